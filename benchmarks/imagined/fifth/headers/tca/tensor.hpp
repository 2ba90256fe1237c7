// Copyright (C) 2023-2025 Tricore Analytics GmbH
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tca {

enum class ElementType : std::uint8_t { f32, f16, bf16, i8, i32, i64, boolean };

using Extents = std::vector<std::int64_t>;

class Exception : public std::runtime_error {
 public:
  explicit Exception(const std::string& what, int code = 0) : std::runtime_error(what), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// An in-order queue on one accelerator card.
class WorkQueue {
 public:
  explicit WorkQueue(int card = 0);
  ~WorkQueue();
  /// Blocks until all the work is done.
  void finish();
  int card() const noexcept;
  static WorkQueue& standard();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

int cardCount();
void useCard(int card);
int currentCard();
void* allocate(std::size_t bytes, int card);
void deallocate(void* p);
void copyToCard(void* dst, const void* src, std::size_t bytes, WorkQueue& q);
void copyToHost(void* dst, const void* src, std::size_t bytes, WorkQueue& q);

/// Reference-counted tensor in card memory.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Extents extents, ElementType type, int card = 0);
  /// Wraps memory that the caller owns. Strides in elements; empty means dense.
  static Tensor wrap(void* data, Extents extents, ElementType type, Extents strides = {}, int card = 0);
  static Tensor fromHost(const void* data, Extents extents, ElementType type);

  const Extents& extents() const;
  const Extents& strides() const;
  std::int64_t extent(int axis) const;
  int rank() const;
  std::int64_t elements() const;
  ElementType type() const;
  void* data() const;
  bool dense() const;
  void toHost(void* dst) const;

 private:
  struct Storage;
  std::shared_ptr<Storage> storage_;
};

}  // namespace tca
