#include "dispatch/adapters.h"

#include <ATen/EmptyTensor.h>
#include <ATen/TensorOperators.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "device/chip.h"
#include "dispatch/strides.h"
#include "memory/access.h"
#include "memory/adopt.h"
#include "memory/box.h"
#include "memory/counters.h"
#include "memory/mapped.h"
#include "memory/numbers.h"

namespace torchfl {
namespace {

constexpr c10::DispatchKeySet kAboveBackend =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

// Flips the sign bit: -128..127 to 0..255 and back.
constexpr int64_t kSignBit = 0x80;

// A padded result is cut out on the device where that takes at most this many copies, else on the host side.
constexpr int64_t kMostCopies = 64;

// How the kernel wants a tensor.
struct Target {
  at::ScalarType dtype;  // before the shift to uint8
  bool shifted = false;
  Shape plain;  // before padding: the tensor expanded to what the op wants
  Shape sizes;
  int64_t strides[kMaxRank];

  at::IntArrayRef plain_list() const { return {plain.sizes, static_cast<size_t>(plain.rank)}; }
  at::IntArrayRef size_list() const { return {sizes.sizes, static_cast<size_t>(sizes.rank)}; }
  at::IntArrayRef stride_list() const { return {strides, static_cast<size_t>(sizes.rank)}; }
};

Shape shape_of(const at::Tensor& t) {
  Shape shape;
  shape.rank = static_cast<int>(t.dim());
  for (int i = 0; i < shape.rank; ++i) shape.sizes[i] = t.size(i);
  return shape;
}

Target target_of(const Call& call, size_t i) {
  const bool output_shape = takes_output_shape(call, i);
  Target to;
  to.dtype = input_dtype(call, i);
  to.shifted = call.shifted && to.dtype == at::kChar;
  to.plain = output_shape ? call.outputs[0] : shape_of(*call.inputs[i]);
  if (is_score_mask(*call.spec, i)) {
    int64_t scores[4];
    score_shape(call, scores);
    to.plain.rank = 4;
    std::copy_n(scores, 4, to.plain.sizes);
  }
  to.sizes = to.plain;
  if (call.padded) pad_sizes(*call.spec, call.padding, static_cast<int>(i), &to.sizes);
  if (call.spec->elementwise() && !call.padded)
    std::copy_n(call.strides, to.sizes.rank, to.strides);
  else if (call.channels_last && !output_shape)
    channels_last_strides(to.sizes, to.strides);
  else
    contiguous_strides(to.sizes, to.strides);
  return to;
}

// By what a kept tensor is found again: the bytes' reading and their form.
std::vector<int64_t> key_of(const at::Tensor& t, const Target& to) {
  std::vector<int64_t> key{static_cast<int64_t>(t.scalar_type()), static_cast<int64_t>(to.dtype), to.shifted,
                           t.storage_offset(), t.dim(), to.sizes.rank};
  key.insert(key.end(), t.sizes().begin(), t.sizes().end());
  key.insert(key.end(), t.strides().begin(), t.strides().end());
  key.insert(key.end(), to.sizes.sizes, to.sizes.sizes + to.sizes.rank);
  key.insert(key.end(), to.strides, to.strides + to.sizes.rank);
  return key;
}

// The part of `whole` that has the given sizes and begins at its start.
at::Tensor corner(const at::Tensor& whole, at::IntArrayRef sizes) {
  return whole.as_strided(sizes, whole.strides().slice(0, sizes.size()), 0);
}

at::Tensor make(const Call& call, const at::Tensor& host, const Target& to) {
  const at::Tensor from = host.expand(to.plain_list());
  at::Tensor made = at::detail::empty_strided_cpu(to.size_list(), to.stride_list(), to.dtype);
  if (!call.padded) {
    made.copy_(from);
  } else {
    if (made.sizes() != from.sizes()) made.zero_();
    if (call.padding.to[Padding::numel] != 0) {
      int64_t row[kMaxRank];  // the elements in the output's order of memory, one after another
      std::copy_n(call.strides, call.outputs[0].rank, row);
      made.as_strided(from.sizes(), {row, static_cast<size_t>(call.outputs[0].rank)}, 0).copy_(from);
    } else {
      corner(made, from.sizes()).copy_(from);
    }
  }
  if (!to.shifted) return made;
  at::Tensor bytes = made.view(at::kByte);
  bytes.bitwise_xor_(kSignBit);
  return bytes;
}

// The kernel's padded result, cut to the op's sizes by copies within the device. Undefined where that is no gain.
at::Tensor cut_on_device(const Call& call, const at::Tensor& padded) {
  Chip& chip = chip_of(call.device);
  if (chip.api().copy_d2d == nullptr || chip.mapped() || call.padding.to[Padding::numel] != 0 || !call.contiguous) return {};
  const Shape& sizes = call.outputs[0];
  int inner = sizes.rank - 1;  // the innermost dimension that was padded: what lies inside it is in one piece
  while (inner > 0 && padded.size(inner) == sizes.sizes[inner]) --inner;
  int64_t piece = padded.element_size(), copies = 1;
  for (int i = inner; i < sizes.rank; ++i) piece *= sizes.sizes[i];
  for (int i = 0; i < inner; ++i) copies *= sizes.sizes[i];
  if (copies > kMostCopies) return {};
  at::Tensor cut = new_tensor({sizes.sizes, static_cast<size_t>(sizes.rank)}, padded.scalar_type(), call.device);
  Access access;
  access.read(padded);
  access.write(cut, /*overwrites=*/true);
  access.to_device();
  const DeviceView from = access.device_view(padded), to = access.device_view(cut);
  const int32_t local = call.device - chip.first_device();
  make_current(chip, local);
  for (int64_t n = 0; n < copies; ++n) {
    int64_t rest = n, offset = 0;
    for (int i = inner - 1; i >= 0; --i) {
      offset += rest % sizes.sizes[i] * padded.stride(i);
      rest /= sizes.sizes[i];
    }
    const auto bytes = static_cast<uint64_t>(piece);
    chip.check(chip.api().copy_d2d(local, to.handle, to.byte_offset + static_cast<uint64_t>(n) * bytes, from.handle,
                                   from.byte_offset + static_cast<uint64_t>(offset * padded.element_size()), bytes, nullptr),
               "copy_d2d");
    count_copy(copy_counters().d2d, copy_counters().d2d_bytes, bytes);
  }
  access.commit();
  return cut;
}

at::Tensor convert_on_host(const Call& call, const at::Tensor& result) {
  const Shape& sizes = call.outputs[0];
  const at::IntArrayRef wanted{sizes.sizes, static_cast<size_t>(sizes.rank)};
  const at::IntArrayRef strides{call.strides, static_cast<size_t>(sizes.rank)};
  Access access;
  access.read(result);
  access.to_host();
  at::Tensor from = access.host_view(result);
  if (call.padded)
    from = call.padding.to[Padding::numel] != 0 ? from.as_strided(wanted, strides, 0) : corner(from, wanted);
  at::Tensor made = at::detail::empty_strided_cpu(wanted, strides, from.scalar_type());
  made.copy_(from);
  if (call.shifted && call.result == at::kChar) made = made.bitwise_xor_(kSignBit).view(at::kChar);
  return adopt(made, call.device);
}

// A number that an element-wise op takes as a contiguous tensor, kept from before or made.
at::Tensor adapted_number(const Call& call, size_t i) {
  ensure_devices();  // raises in a fork before any lock is touched
  const at::Tensor& value = *call.inputs[i];
  const auto key = number_key(value, input_dtype(call, i), {call.outputs[0].sizes, static_cast<size_t>(call.outputs[0].rank)},
                              call.device);
  if (key)
    if (at::Tensor kept = kept_number(*key); kept.defined()) return kept;
  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  const MappedScope in_place(call.device);
  at::Tensor made = adopt(make(call, value, target_of(call, i)), call.device);
  if (key) keep_number(*key, made);
  return made;
}

const char* order_name(const at::Tensor& t) {
  const bool images = t.dim() == 4;
  if (t.is_contiguous()) return images ? "NCHW" : "NCDHW";
  if (t.is_contiguous(images ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d))
    return images ? "NHWC" : "NDHWC";
  return "strided";
}

void (*layout_notice)(const std::string&, const std::string&, const std::string&, const std::string&) = nullptr;

}  // namespace

void set_layout_notice(void (*notice)(const std::string&, const std::string&, const std::string&, const std::string&)) {
  layout_notice = notice;
}

void tell_layout(const Call& call, const ChipTable& table, ChipCounters& counters) {
  if (layout_notice == nullptr || counters.layout_told.load(std::memory_order_relaxed)) return;
  const auto [expected, got] = layout_mismatch(call);
  if (expected.empty() || counters.layout_told.exchange(true)) return;
  layout_notice(call.spec->name, table.chip->selector(), expected, got);
}

at::Tensor adapted_input(const Call& call, size_t i) {
  const at::Tensor& t = *call.inputs[i];
  if (!is_ours(t) && call.spec->elementwise() && call.contiguous && !converts_output(call)) return adapted_number(call, i);
  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  const MappedScope in_place(call.device);
  const Target to = target_of(call, i);
  if (!is_ours(t)) return adopt(make(call, t, to), call.device);
  const std::vector<int64_t> key = key_of(t, to);
  Box* box = box_of(t);
  uint64_t writes = 0;
  {
    std::lock_guard<std::mutex> lock(box->mutex);
    if (box->kept.tensor.defined() && box->kept.key == key) return box->kept.tensor;
    writes = box->writes;
  }
  Access access;
  access.read(t);
  access.to_host();
  at::Tensor made = adopt(make(call, access.host_view(t), to), call.device);
  at::Tensor replaced;  // freed after the lock
  std::lock_guard<std::mutex> lock(box->mutex);
  if (box->writes != writes) return made;
  if (box->kept.key == key) {  // the second time
    replaced = std::exchange(box->kept.tensor, made);
  } else {
    replaced = std::exchange(box->kept.tensor, at::Tensor());
    box->kept.key = key;
  }
  return made;
}

Call kernel_call(const Call& call, const at::Tensor* const* adapted) {
  Call inner = call;
  inner.form = Form::functional;
  inner.destination = nullptr;
  inner.padded = inner.shifted = false;
  inner.adapt = 0;
  inner.direct = true;
  for (size_t i = 0; i < call.num_inputs; ++i) {
    inner.inputs[i] = adapted[i];
    if (adapted[i] != nullptr)
      inner.shapes[i] = {static_cast<int>(adapted[i]->dim()), adapted[i]->sizes().data()};
  }
  if (call.shifted) {
    inner.common = at::kByte;
    inner.dtype = TFL_U8;
    if (call.result == at::kChar) inner.result = at::kByte;
  }
  if (call.padded) {
    pad_sizes(*call.spec, call.padding, -1, &inner.outputs[0]);
    if (call.channels_last)
      channels_last_strides(inner.outputs[0], inner.strides);
    else
      contiguous_strides(inner.outputs[0], inner.strides);
    inner.contiguous = !call.channels_last;
  }
  return inner;
}

at::Tensor converted_output(const Call& call, const at::Tensor& result) {
  c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
  const MappedScope in_place(call.device);
  if (!call.shifted)
    if (at::Tensor cut = cut_on_device(call, result); cut.defined()) return cut;
  return convert_on_host(call, result);
}

std::string adapters_text(const Call& call) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (size_t i = 0; i < call.num_inputs; ++i) {
    if (call.inputs[i] == nullptr || !(call.adapt >> i & 1u)) continue;
    const at::Tensor& t = *call.inputs[i];
    const Target to = target_of(call, i);
    const std::string name =
        call.spec->list_input ? call.spec->inputs[0] + "[" + std::to_string(i) + "]" : call.spec->inputs[i];
    const bool expanded = t.sizes() != to.plain_list();
    if (t.scalar_type() != to.dtype)
      add(name + " cast");
    else if (t.device().is_cpu())
      add(name + " uploaded");
    else if (to.shifted)
      add(name + " as uint8 with zero point 128");
    else if (call.padded && to.size_list() != t.sizes() && !(expanded && call.padding.to[Padding::numel] == 0))
      add(name + " padded to [" + c10::Join(", ", to.size_list()) + "]");
    else if (expanded)
      add(name + " expanded");
    else if (call.channels_last && t.dim() >= 4)
      add(name + (t.dim() == 4 ? " to NHWC" : " to NDHWC"));
    else
      add(name + " laid out anew");
  }
  if (converts_output(call)) add(call.shifted ? "result back to int8" : "result sliced");
  if (call.destination != nullptr && !call.direct) add("result copied into the destination");
  return text;
}

std::pair<std::string, std::string> layout_mismatch(const Call& call) {
  if (!call.spec->of_images() || call.padded || call.shifted) return {};
  const at::Tensor* image = call.inputs[0];
  if (image == nullptr || image->dim() < 4 || !(call.adapt & 1u) || image->scalar_type() != call.common) return {};
  const std::string wanted = call.channels_last ? (image->dim() == 4 ? "NHWC" : "NDHWC")
                                                : (image->dim() == 4 ? "NCHW" : "NCDHW");
  const std::string got = order_name(*image);
  return wanted == got ? std::pair<std::string, std::string>{} : std::pair{wanted, got};
}

}  // namespace torchfl
