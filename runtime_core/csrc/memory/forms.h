// Forms: a tensor's elements in another order of memory, size or encoding, as some kernels want them (dispatch/adapters.h).
//
// A storage keeps one form beside its bytes, until they are written. A late storage has nothing but its form, which a
// kernel gave; its own bytes are made of it when somebody asks for them, so that between two kernels that want the form
// nothing is converted.
//
// Late are only storages of new results, made so before another thread can see them. settle() makes the bytes; all that
// touches a storage calls it before it takes the storage's lock, as Access does, so that what holds a lock finds no late
// storage. An address that data_ptr() gave needs bytes: such a storage is never late.
#pragma once

#include "memory/box.h"

namespace torchfl {

// Of a tensor, as its storage is read: dtype, offset, rank, sizes, strides.
std::vector<int64_t> reading_of(const at::Tensor& t);

// A tensor of these sizes and strides whose bytes are those of `made`, a tensor of the same sizes in another order and, where
// the dtypes are int8 and uint8, with the zero point 128. `form` describes `made`.
at::Tensor new_late(const at::Tensor& made, at::IntArrayRef strides, at::ScalarType dtype, std::vector<int64_t> form);

// Gives a late storage another form, after an op in place. False, and nothing done: it is late no more, or not in the form `before`.
bool rewrite_late(Box& box, const at::Tensor& before, const at::Tensor& made);

// What is kept for the tensor; undefined where nothing is, or another form.
at::Tensor kept_form(const at::Tensor& t, const std::vector<int64_t>& form);

// Keeps `made`, that form of the tensor, if it was asked for before and nothing was written since `writes` were counted.
void keep_form(const at::Tensor& t, std::vector<int64_t> form, const at::Tensor& made, uint64_t writes);

// The form of a late tensor; undefined where it is not late, or a view that reads the storage otherwise.
at::Tensor late_form(const at::Tensor& t);

// -128..127 as 0..255 and back, in place: flips the sign bit of CPU bytes.
at::Tensor shifted_bytes(const at::Tensor& bytes, at::ScalarType dtype);

// Whether there is any late storage: one look for ops that would have to look at each tensor.
inline std::atomic<int64_t> late_storages{0};
inline bool any_late() noexcept { return late_storages.load(std::memory_order_relaxed) != 0; }

}  // namespace torchfl
