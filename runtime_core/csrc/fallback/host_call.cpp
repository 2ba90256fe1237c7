#include "fallback/host_call.h"

#include <ATen/ops/zeros.h>

#include "fallback/sparse.h"
#include "memory/adopt.h"

namespace torchfl {

void HostCall::take(const at::Tensor& t, bool write, bool overwrites) {
  if (!t.defined()) return;
  if (is_ours(t)) {
    TORCH_CHECK(t.layout() == at::kStrided, op_.public_name, " on ", t.device(), " does not take a ", t.layout(),
                " tensor");
    TORCH_CHECK(t.device().index() == device_ || op_.mixes_devices || t.dim() == 0,
                "Expected all tensors to be on the same device, but found at least two devices, fl:",
                static_cast<int>(device_), " and ", t.device(), "!");
    if (write)
      access_.write(t, overwrites);
    else
      access_.read(t);
    return;
  }
  TORCH_CHECK(op_.mixes_devices || (t.dim() == 0 && !write),
              "Expected all tensors to be on the same device, but found at least two devices, fl:",
              static_cast<int>(device_), " and ", t.device(), "!");
  if (t.layout() == at::kStrided && t.has_storage()) foreign_.push_back(storage_of(t));
}

at::Tensor HostCall::wrap(const at::Tensor& cpu, bool only) {
  if (!cpu.defined() || !cpu.device().is_cpu()) return cpu;
  if (at::Tensor argument = access_.device_tensor_of(cpu); argument.defined()) return argument;
  if (C10_UNLIKELY(cpu._is_zerotensor())) return adopt(at::zeros(cpu.sizes(), cpu.options()), device_);
  if (C10_UNLIKELY(cpu.is_sparse())) return sparse_on_device(cpu, device_);
  TORCH_CHECK(cpu.layout() == at::kStrided && !cpu.is_quantized() && !cpu.is_nested(), op_.public_name,
              " gives a tensor that the device cannot hold (",
              cpu.is_nested() ? "strided nested" : cpu.toString(), "): move its arguments to the CPU first");
  if (at::Tensor aliased = access_.device_alias_of(cpu); aliased.defined()) return aliased;
  c10::StorageImpl* storage = storage_of(cpu);
  for (const auto& [known, adopted] : adopted_)
    if (known == storage) return alias(adopted, cpu);
  for (c10::StorageImpl* argument : foreign_)  // the user's own CPU memory is not ours to take
    if (argument == storage) return adopt(cpu.clone(), device_);
  if (only) return adopt(cpu, device_);
  adopted_.emplace_back(storage, adopt_storage(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage), device_));
  return alias(adopted_.back().second, cpu);
}

}  // namespace torchfl
