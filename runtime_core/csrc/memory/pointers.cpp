#include "memory/pointers.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "device/activity.h"
#include "device/chip.h"
#include "memory/box.h"
#include "memory/budget.h"

#if __has_include(<c10/core/StorageMaterializer.h>)
#define TORCHFL_HAS_MATERIALIZER 1
#endif

namespace torchfl {
namespace {

struct Open {
  std::mutex mutex;
  std::unordered_map<const void*, Box*> boxes;
  std::atomic<size_t> count{0};
};

Open& open_addresses() {
  static auto* one = new Open;  // leaked: storages may outlive static destruction
  return *one;
}

// The caller holds the box's lock. Other threads look the box up in the storage meanwhile: of the old DataPtr and the new
// one only the address differs, so that at no moment they find another box, or none.
void show(Box& box, c10::StorageImpl* storage, void* address) {
  c10::DataPtr shown(address, &box, &Box::deleter, c10::Device(c10::DeviceType::PrivateUse1, box.device));
  box.lives_on = true;
  storage->set_data_ptr_noswap(std::move(shown));
  box.lives_on = false;
}

// The caller holds the box's lock, and the bytes are on the device.
void* address_of(const Box& box) {
  const Chip& chip = chip_of(box.device);
  const Block block = box.device_block();
  void* address = nullptr;
  chip.check(chip.api().address(box.device - chip.first_device(), block.handle, block.offset, &address), "address");
  return address;
}

#ifdef TORCHFL_HAS_MATERIALIZER
// PyTorch calls it before it gives anyone an address to write to.
void on_data_ptr(c10::StorageImpl* storage) {
  if (storage->_mutable_data_ptr_no_checks().get_deleter() != &Box::deleter) return;
  OpScope scope;
  Box& box = *static_cast<Box*>(storage->_mutable_data_ptr_no_checks().get_context());
  box.settle();
  DeviceUses in_use;
  (void)box.note_use(in_use);  // and the lock is held
  std::lock_guard<std::mutex> lock(box.mutex);
  if (box.nbytes == 0) return;
  box.fill_device(/*discard=*/false);
  if (box.open == nullptr) {  // else it is the same: the block has not moved since
    void* address = address_of(box);
    show(box, storage, address);
    box.open.reset(new Box::OpenAddress{
        address, c10::weak_intrusive_ptr<c10::StorageImpl>(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage))});
    std::lock_guard<std::mutex> all(open_addresses().mutex);
    open_addresses().boxes[address] = &box;
    open_addresses().count.store(open_addresses().boxes.size());
  }
  box.device_written();
}
#endif

}  // namespace

void arm_data_ptr(c10::StorageImpl* storage, const Box& box) noexcept {
#ifdef TORCHFL_HAS_MATERIALIZER
  if (box.nbytes == 0 || storage->has_materializer()) return;
  const Chip& chip = chip_of(box.device);
  if (chip.api().address != nullptr && !chip.mapped()) storage->set_materializer(&on_data_ptr);
#else
  (void)storage, (void)box;
#endif
}

void withdraw_address(Box& box, c10::StorageImpl* storage) noexcept {
  if (box.open == nullptr) return;
  {
    std::lock_guard<std::mutex> all(open_addresses().mutex);
    open_addresses().boxes.erase(box.open->address);
    open_addresses().count.store(open_addresses().boxes.size());
  }
  box.open.reset();
  if (storage == nullptr) return;
  show(box, storage, box.address);
  arm_data_ptr(storage, box);
}

Box* pointed_to(const void* address) noexcept {
  Open& open = open_addresses();
  if (open.count.load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard<std::mutex> all(open.mutex);
  const auto found = open.boxes.find(address);
  return found == open.boxes.end() ? nullptr : found->second;
}

void mark_device_written(const at::Tensor& tensor) {
  OpScope scope;
  Box* box = box_of(tensor);
  std::lock_guard<std::mutex> lock(box->mutex);
  if (box->nbytes != 0) {
    TORCH_CHECK(box->open != nullptr,
                "mark_device_written() is for tensors whose address was asked for by data_ptr(); this one's was not, so that "
                "nothing can have written to it");
    box->device_written();
  }
  tensor.unsafeGetTensorImpl()->bump_version();
}

}  // namespace torchfl
