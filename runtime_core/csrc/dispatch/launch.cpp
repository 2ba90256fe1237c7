#include "dispatch/launch.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <utility>
#include <vector>

#include "device/chip.h"
#include "dispatch/adapters.h"
#include "dispatch/alike.h"
#include "dispatch/forms_along.h"
#include "dispatch/index_range.h"
#include "dispatch/strides.h"
#include "memory/access.h"
#include "memory/adopt.h"
#include "memory/box.h"
#include "memory/copy.h"
#include "memory/forms.h"
#include "memory/mapped.h"

namespace torchfl {
namespace {

constexpr c10::DispatchKeySet kAboveBackend =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

at::IntArrayRef output_sizes(const Call& call) {
  return {call.outputs[0].sizes, static_cast<size_t>(call.outputs[0].rank)};
}

at::IntArrayRef output_strides(const Call& call) { return {call.strides, static_cast<size_t>(call.outputs[0].rank)}; }

// Written in place: a copy of what has just been written member by member has to wait for the stores.
void describe(const at::Tensor& t, const DeviceView& view, int32_t local, tfl_tensor* to) {
  tfl_tensor& d = *to;
  d.struct_size = sizeof(tfl_tensor);
  d.dtype = tfl_dtype_of(t.scalar_type());
  d.rank = static_cast<int32_t>(t.dim());
  d.device = local;
  d.handle = view.handle;
  d.byte_offset = view.byte_offset;
  d.numel = t.numel();
  d.sizes = t.sizes().data();
  d.strides = t.strides().data();
}

// Element-wise tensors that share an order of elements other than the contiguous one are one row to the kernel.
constexpr int64_t kUnitStride = 1;
void flatten(tfl_tensor* d) {
  d->rank = 1;
  d->sizes = &d->numel;
  d->strides = &kUnitStride;
}

// A strided kernel sees an input with the output's shape; repeated dimensions have stride 0.
void expand_strides(tfl_tensor* d, const at::Tensor& t, const Call& call, int64_t* strides) {
  const int shift = call.outputs[0].rank - static_cast<int>(t.dim());
  for (int i = 0; i < call.outputs[0].rank; ++i) {
    const bool repeated = i < shift || (t.size(i - shift) == 1 && call.outputs[0].sizes[i] != 1);
    strides[i] = repeated ? 0 : t.stride(i - shift);
  }
  d->rank = call.outputs[0].rank;
  d->numel = call.outputs[0].numel();
  d->sizes = call.outputs[0].sizes;
  d->strides = strides;
}

// What the kernel writes: all outputs of the op, or the first.
size_t written_outputs(const Call& call, const Binding& binding) {
  return binding.first_output ? 1 : call.spec->num_outputs();
}

void make_outputs(const Call& call, size_t count, at::Tensor* outputs, DeviceUses& in_use) {
  outputs[0] = call.contiguous ? new_output(output_sizes(call), call.result, call.device, in_use)
                               : new_strided(output_sizes(call), output_strides(call), call.result, call.device);
  for (size_t i = 1; i < call.spec->num_outputs(); ++i) {
    if (i >= count && call.outputs[i].numel() != 0) continue;  // without elements it needs no kernel
    const at::IntArrayRef sizes{call.outputs[i].sizes, static_cast<size_t>(call.outputs[i].rank)};
    const at::ScalarType dtype = dtype_as(call, call.spec->output_kinds[i]);
    int64_t strides[kMaxRank];
    if (call.results_last) channels_last_strides(call.outputs[i], strides);
    outputs[i] = call.results_last ? new_strided(sizes, {strides, sizes.size()}, dtype, call.device)
                                    : new_tensor(sizes, dtype, call.device);
  }
}

// As torch resizes an out= tensor: with a warning where it had elements.
void fit_destination(const Call& call) {
  const at::Tensor& to = *call.destination;
  if (call.form != Form::out || !at::native::resize_output(to, output_sizes(call))) return;
  to.unsafeGetTensorImpl()->set_sizes_and_strides(output_sizes(call), output_strides(call));
}

// Gives the kernel its call; `in` and `out` are described, but not yet flattened or expanded.
tfl_status enter_kernel(const Call& call, const Binding& binding, const at::Tensor* const* inputs, tfl_tensor* in,
                        tfl_tensor* out, size_t num_outputs, int32_t local) {
  const size_t count = call.num_inputs;
  int64_t expanded[kMaxInputs][kMaxRank];
  const bool strided = binding.layout == KernelLayout::strided;
  const bool flat = !call.contiguous && !strided && call.spec->elementwise();
  for (size_t i = 0; i < count; ++i) {
    if (inputs[i] == nullptr) {
      in[i] = {};
      in[i].struct_size = sizeof(tfl_tensor);
      in[i].rank = -1;
    } else if (flat) {
      flatten(&in[i]);
    } else if (strided && takes_output_shape(call, i)) {
      expand_strides(&in[i], *inputs[i], call, expanded[i]);
    }
  }
  if (flat) flatten(out);

  tfl_call packed;
  packed.struct_size = sizeof(tfl_call);
  packed.device = local;
  packed.stream = nullptr;
  packed.num_inputs = static_cast<uint32_t>(count);
  packed.num_outputs = static_cast<uint32_t>(num_outputs);
  packed.num_attrs = static_cast<uint32_t>(call.spec->attrs.size());
  packed.inputs = in;
  packed.outputs = out;
  packed.attrs = call.attrs;
  make_current(*binding.chip, local);
  return binding.kernel->run(&packed);
}

DeviceView view_of(const Block& block, const at::Tensor& t) {
  if (block.handle == nullptr) return {nullptr, 0};
  return {block.handle, block.offset + static_cast<uint64_t>(t.storage_offset()) * t.element_size()};
}

// A destination that others may be using, whose lock is held until the kernel is done; or inputs that have to move.
tfl_status run_with_access(const Call& call, const Binding& binding, const at::Tensor* const* inputs,
                           const at::Tensor* outputs, size_t num_outputs) {
  const int32_t local = call.device - binding.chip->first_device();
  Access access;
  for (size_t i = 0; i < call.num_inputs; ++i)
    if (inputs[i] != nullptr) access.read(*inputs[i]);
  for (size_t i = 0; i < num_outputs; ++i) access.write(outputs[i], /*overwrites=*/true);
  access.to_device();
  tfl_tensor in[kMaxInputs];
  for (size_t i = 0; i < call.num_inputs; ++i)
    if (inputs[i] != nullptr) describe(*inputs[i], access.device_view(*inputs[i]), local, &in[i]);
  tfl_tensor out[kMaxOutputs];
  for (size_t i = 0; i < num_outputs; ++i) describe(outputs[i], access.device_view(outputs[i]), local, &out[i]);
  const tfl_status status = enter_kernel(call, binding, inputs, in, out, num_outputs, local);
  if (status == TFL_OK) access.commit();
  return status;
}

// New outputs, which no other thread knows: no lock is needed where every input is on the device already. The caller's
// references keep the inputs alive; what the op says it uses keeps their device sides.
tfl_status run_into_new(const Call& call, const Binding& binding, const at::Tensor* const* inputs,
                        const at::Tensor* outputs, size_t num_outputs) {
  ensure_devices();
  const int32_t local = call.device - binding.chip->first_device();
  const bool mapped = binding.chip->mapped();
  tfl_tensor in[kMaxInputs];
  DeviceUses in_use;
  Box* boxes[kMaxInputs];
  bool noted = true;
  for (size_t i = 0; i < call.num_inputs; ++i) {
    if (inputs[i] == nullptr) continue;
    boxes[i] = box_of(*inputs[i]);
    noted = boxes[i]->note_use(in_use) && noted;
  }
  for (size_t i = 0; i < num_outputs; ++i) noted = box_of(outputs[i])->note_use(in_use) && noted;
  if (C10_UNLIKELY(!noted)) return run_with_access(call, binding, inputs, outputs, num_outputs);
  in_use.settle();
  for (size_t i = 0; i < call.num_inputs; ++i) {
    if (inputs[i] == nullptr) continue;
    const Box* box = boxes[i];
    if (C10_UNLIKELY(!(box->valid.load(std::memory_order_acquire) & kDeviceSide)))
      return run_with_access(call, binding, inputs, outputs, num_outputs);
    // Without the lock only the block may be looked at: another thread may be dropping the host side.
    const Block block = C10_UNLIKELY(mapped) ? box->device_block() : box->block;
    if (C10_UNLIKELY(block.handle == nullptr)) return run_with_access(call, binding, inputs, outputs, num_outputs);
    describe(*inputs[i], view_of(block, *inputs[i]), local, &in[i]);
  }
  tfl_tensor out[kMaxOutputs];
  for (size_t i = 0; i < num_outputs; ++i) {
    Box* box = box_of(outputs[i]);
    if (outputs[i].numel() != 0) box->fill_device(/*discard=*/true);
    describe(outputs[i], outputs[i].numel() != 0 ? view_of(box->device_block(), outputs[i]) : DeviceView{nullptr, 0}, local,
             &out[i]);
  }
  const tfl_status status = enter_kernel(call, binding, inputs, in, out, num_outputs, local);
  for (size_t i = 0; status == TFL_OK && i < num_outputs; ++i) {
    Box* box = box_of(outputs[i]);
    if (outputs[i].numel() != 0) box->valid.store(box->sides_after(kDeviceSide), std::memory_order_release);
  }
  if (C10_UNLIKELY(mapped)) note_kernel(call.device);
  return status;
}

// A kernel may want memory of its own, which PyTorch's tensors have taken. What it was to write is undefined by then, so
// that a destination that it also reads gets no second try.
tfl_status run_with_room(const Call& call, const Binding& binding, const at::Tensor* const* inputs,
                         const at::Tensor* outputs, size_t num_outputs) {
  tfl_status status = run_into_new(call, binding, inputs, outputs, num_outputs);
  constexpr int kTries = 8;
  for (int tries = 0; C10_UNLIKELY(status == TFL_OUT_OF_MEMORY) && tries < kTries && relieve(call.device); ++tries)
    status = run_into_new(call, binding, inputs, outputs, num_outputs);
  return status;
}

// ---- Calls whose tensors are all alike (alike.h), by themselves or once adapted: one description for all.

// Whether the tensors that the kernel gets are alike although those of the call are not.
bool adapted_alike(Call& call, const Binding& binding, const at::Tensor* const* inputs) {
  if (!call.spec->uniform || !call.contiguous || !call.direct || converts_output(call) || binding.alignment > 1) return false;
  const auto alike = [&](const at::Tensor& t, at::ScalarType dtype) {
    return t.sizes() == output_sizes(call) && is_plain(call, t, dtype);
  };
  for (size_t i = 0; i < call.num_inputs; ++i)
    if (!alike(*inputs[i], call.common)) return false;
  if (call.destination != nullptr && !alike(*call.destination, call.result)) return false;
  call.numel = call.outputs[0].numel();
  contiguous_strides(call.outputs[0], call.strides);  // of dimensions of size 1 too, where a destination has its own
  return true;
}

// The kernel's call; `operands`, inputs and output, are described.
tfl_status enter_alike(const Call& call, const Binding& binding, const tfl_tensor* operands, int32_t local) {
  const auto count = static_cast<uint32_t>(call.num_inputs);
  const tfl_call packed{sizeof(tfl_call), local,    nullptr,          count,     1, static_cast<uint32_t>(call.spec->attrs.size()),
                        operands,         operands + count, call.attrs};
  make_current(*binding.chip, local);
  const tfl_status status = binding.kernel->run(&packed);
  if (C10_UNLIKELY(binding.chip->mapped())) note_kernel(call.device);
  return status;
}

// False, and nothing done, where some tensor has to move first, or the kernel wants more memory: the general way sees to it.
bool launch_alike(const Call& call, const Binding& binding, const at::Tensor* const* inputs, at::Tensor* result,
                  tfl_status* status) {
  ensure_devices();
  const int32_t local = call.device - binding.chip->first_device();
  const bool mapped = binding.chip->mapped();
  const size_t count = call.num_inputs;
  DeviceUses in_use;
  Box* boxes[kMaxInputs];
  bool noted = true;
  for (size_t i = 0; i < count; ++i) {
    boxes[i] = box_of(*inputs[i]);
    if (!mapped) noted = boxes[i]->note_use(in_use) && noted;  // memory that the chip maps is never taken away
  }
  if (C10_UNLIKELY(!noted)) return false;
  in_use.settle();
  tfl_tensor operands[kMaxInputs + 1];
  const auto place = [&](size_t i, const Block& block, const at::Tensor& t, tfl_dtype dtype) {
    tfl_tensor& d = operands[i];
    d.struct_size = sizeof(tfl_tensor);
    d.dtype = dtype;
    d.rank = call.outputs[0].rank;
    d.device = local;
    d.handle = block.handle;
    const int64_t offset = t.unsafeGetTensorImpl()->storage_offset();
    d.byte_offset = block.offset;
    if (C10_UNLIKELY(offset != 0)) d.byte_offset += static_cast<uint64_t>(offset) * t.itemsize();
    d.numel = call.numel;
    d.sizes = call.outputs[0].sizes;
    d.strides = call.strides;
  };
  for (size_t i = 0; i < count; ++i) {
    if (C10_UNLIKELY(!(boxes[i]->valid.load(std::memory_order_acquire) & kDeviceSide))) return false;
    const Block& block = mapped ? boxes[i]->device_block() : boxes[i]->block;
    if (C10_UNLIKELY(block.handle == nullptr)) return false;
    place(i, block, *inputs[i], call.dtype);
  }
  const tfl_dtype result_dtype = call.result == call.common ? call.dtype : tfl_dtype_of(call.result);
  if (call.destination == nullptr) {
    at::Tensor made = new_output(output_sizes(call), call.result, call.device, in_use);
    Box& box = *box_of(made);
    if (C10_UNLIKELY(!mapped && !box.note_use(in_use))) return false;
    const Block* block = mapped ? &box.device_block() : &box.block;
    if (C10_UNLIKELY(block->handle == nullptr)) {
      box.fill_device(/*discard=*/true);
      block = &box.device_block();
    }
    place(count, *block, made, result_dtype);
    *status = enter_alike(call, binding, operands, local);
    if (C10_UNLIKELY(*status == TFL_OUT_OF_MEMORY)) return false;
    const uint8_t written = mapped ? kHostSide | kDeviceSide : kDeviceSide;
    if (*status == TFL_OK) box.valid.store(written, std::memory_order_release);
    *result = std::move(made);
  } else {
    DeviceWrite write(*call.destination);
    if (C10_UNLIKELY(write.block().handle == nullptr)) return false;
    place(count, write.block(), *call.destination, result_dtype);
    *status = enter_alike(call, binding, operands, local);
    if (*status == TFL_OK) write.commit();
  }
  return true;
}

// A dimension of one element may have any stride, but by it PyTorch tells images of one channel that are channels-last.
void take_strides(const at::Tensor& result, at::IntArrayRef strides) {
  if (result.defined() && result.strides() != strides)
    result.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), strides);
}

// `given`: the call itself, or the one that takes forms in its place (takes_forms()).
tfl_status launch_given(Call& call, const Call& given, const Binding& binding, at::Tensor* results) {
  const bool formed = &given != &call;
  std::vector<at::Tensor> adapted;
  const at::Tensor* inputs[kMaxInputs];
  for (size_t i = 0; i < call.num_inputs; ++i) {
    inputs[i] = call.inputs[i];
    if (!(given.adapt >> i & 1u)) continue;
    adapted.reserve(call.num_inputs);
    adapted.push_back(adapted_input(given, i));
    inputs[i] = &adapted.back();
  }
  const c10::SmallVector<int64_t, kMaxRank> strides(output_strides(call));  // the CPU's
  if (tfl_status status; !formed && !adapted.empty() && adapted_alike(call, binding, inputs) &&
                         launch_alike(call, binding, inputs, results, &status)) {
    take_strides(results[0], strides);
    return status;
  }
  if (call.destination != nullptr) fit_destination(call);
  if (call.destination != nullptr && call.direct && !formed) {
    return run_with_access(call, binding, inputs, call.destination, 1);
  }
  const size_t count = written_outputs(call, binding);
  DeviceUses in_use;  // the outputs, before anybody can see them
  if (C10_UNLIKELY(converts_output(call) || formed)) {
    const Call inner = kernel_call(given, inputs);
    make_outputs(inner, count, results, in_use);
    const tfl_status status = run_with_room(inner, binding, inputs, results, count);
    if (status != TFL_OK) return status;
    if (call.destination != nullptr && formed && rewritten(call, results[0])) return TFL_OK;
    for (size_t i = 0; i < count; ++i) results[i] = converted_output(call, i, results[i]);
  } else {
    make_outputs(call, count, results, in_use);
    const tfl_status status = run_with_room(call, binding, inputs, results, count);
    if (status != TFL_OK) return status;
    take_strides(results[0], strides);
  }
  if (call.destination != nullptr) {
    c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
    const PartOfOp adapted_too;
    at::Tensor to = *call.destination;
    to.copy_(std::exchange(results[0], at::Tensor()));
  }
  return TFL_OK;
}

// Kept apart: a Call is big.
C10_NOINLINE bool launch_forms(Call& call, const Binding& binding, at::Tensor* results, tfl_status* status) {
  Call given;
  if (!takes_forms(call, &given)) return launch_along(call, binding, results, status);
  *status = launch_given(call, given, binding, results);
  return true;
}

}  // namespace

tfl_status launch_status(Call& call, const Binding& binding, at::Tensor* results) {
  if (tfl_status status; call.alike && launch_alike(call, binding, call.inputs, results, &status)) return status;
  if (tfl_status status; C10_UNLIKELY(any_late()) && launch_forms(call, binding, results, &status)) return status;
  return launch_given(call, call, binding, results);
}

Reason launch(Call& call, const Binding& binding, at::Tensor* results) {
  if (C10_UNLIKELY(call.spec->index_input >= 0) && !binding.checks_index)
    if (Reason reason = index_outside(call)) return reason;
  const tfl_status status = launch_status(call, binding, results);
  if (C10_LIKELY(status == TFL_OK)) return {};
  if (status == TFL_UNSUPPORTED) return {Why::declined};
  if (status == TFL_MISSING_SYMBOL) return {Why::missing_symbol};
  binding.chip->raise(status, "kernel '" + binding.impl + "' (" + call.spec->name + ")");
}

void push_results(const Call& call, size_t num_args, at::Tensor* results, torch::jit::Stack* stack) {
  const OpSpec& spec = *call.spec;
  if (call.destination != nullptr) results[0] = *call.destination;  // before its place on the stack goes
  torch::jit::drop(*stack, num_args);
  for (size_t i = 0; i < spec.num_outputs(); ++i) stack->emplace_back(std::move(results[i]));
  for (size_t i = 0; i < spec.hidden_outputs; ++i) stack->emplace_back(at::Tensor());
}

}  // namespace torchfl
