// An imagined vendor's header.
// An imagined vendor's header.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tsr {

enum class DataType { BFLOAT16, FLOAT32, UINT32, INT32, UINT16, BFLOAT8_B, BFLOAT4_B };
enum class Layout { ROW_MAJOR, TILE };
enum class BufferType { DRAM, L1 };
enum class MathFidelity { LoFi, HiFi2, HiFi4 };

struct CoreGrid {
    uint32_t x, y;
};

struct MemoryConfig {
    BufferType buffer_type = BufferType::DRAM;
    bool sharded = false;
    std::optional<CoreGrid> shard_grid;
};

struct ComputeKernelConfig {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
};

using Shape = std::vector<uint32_t>;

class Device;
Device* open_device(int device_id, size_t l1_small_size = 0, size_t trace_region_size = 0);
void close_device(Device* device);
int get_num_devices();
void synchronize_device(Device* device, std::optional<uint8_t> queue_id = std::nullopt);
void enable_program_cache(Device* device);
void dump_device_profiler(Device* device);

class Tensor {
public:
    Tensor() = default;
    const Shape& shape() const;
    DataType dtype() const;
    Layout layout() const;
    bool is_allocated() const;
    void deallocate(bool force = false);
    Tensor cpu(bool blocking = true) const;
    Tensor to(Device* device, const MemoryConfig& memory_config = {}) const;
    Tensor to(Layout layout) const;
    std::string write_to_string() const;

private:
    struct Attributes;
    std::shared_ptr<Attributes> attributes_;
};

Tensor from_host(const void* data, const Shape& shape, DataType dtype, Layout layout = Layout::TILE);
void to_host(const Tensor& tensor, void* data);
Tensor allocate_tensor_on_device(const Shape& shape, DataType dtype, Layout layout, Device* device,
                                 const MemoryConfig& memory_config = {});
void copy_host_to_device_tensor(const Tensor& host_tensor, Tensor& device_tensor, uint8_t queue_id = 0);
void copy_device_to_host_tensor(const Tensor& device_tensor, Tensor& host_tensor, bool blocking = true);

}  // namespace tsr
