// A device for the tests of the contract: its memory is that of the process, and its code is one function that scales
// numbers. It needs no hardware, and it is built against the headers of each SDK.
#include <cstdlib>
#include <cstring>

#include "polyform/contract/device.hpp"

namespace {

using namespace polyform;

/// The arguments of its function: so many numbers at an address become `factor` times as large.
struct Scaling {
  DeviceAddress numbers;
  double factor;
};

class MemoryDevice final : public Device {
 public:
  std::string_view name() const noexcept override { return "memory of the process"; }
  Status memory(std::uint64_t& free, std::uint64_t& all) noexcept override {
    free = all = 1 << 20;
    return Status::ok;
  }
  Status allocate(std::uint64_t bytes, DeviceAddress& out) noexcept override {
    if (bytes > 1 << 20) return fail("there is not so much memory", DeviceTrouble::out_of_memory);
    out = reinterpret_cast<DeviceAddress>(std::malloc(bytes));
    return out != 0 ? Status::ok : fail("there is not so much memory", DeviceTrouble::out_of_memory);
  }
  void free(DeviceAddress at) noexcept override { std::free(reinterpret_cast<void*>(at)); }
  Status allocate_host(std::uint64_t bytes, void*& out) noexcept override {
    out = std::malloc(bytes);
    return out != nullptr ? Status::ok : fail("there is not so much memory", DeviceTrouble::out_of_memory);
  }
  void free_host(void* at) noexcept override { std::free(at); }
  Status load(std::string_view, const char* function, DeviceFunction& out) noexcept override {
    if (std::string_view(function) != "scale") return fail("there is no such function", DeviceTrouble::refused);
    out = 1;
    return Status::ok;
  }
  Status copy_in(DeviceAddress to, const void* from, std::uint64_t bytes, unsigned) noexcept override {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return Status::ok;
  }
  Status copy_out(void* to, DeviceAddress from, std::uint64_t bytes, unsigned) noexcept override {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return Status::ok;
  }
  Status launch(const DeviceLaunch& what, unsigned) noexcept override {
    Scaling scaling;
    if (what.function != 1 || what.argument_bytes != sizeof scaling)
      return fail("the arguments are not those of the function", DeviceTrouble::refused);
    std::memcpy(&scaling, what.arguments, sizeof scaling);
    for (std::uint64_t i = 0; i < what.threads; ++i) reinterpret_cast<double*>(scaling.numbers)[i] *= scaling.factor;
    return Status::ok;
  }
  Status wait(unsigned) noexcept override { return Status::ok; }
  double seconds(unsigned) noexcept override { return 0; }
  std::string_view failure() const noexcept override { return failure_; }
  DeviceTrouble trouble() const noexcept override { return trouble_; }
  void destroy() noexcept override { delete this; }

 private:
  Status fail(std::string_view why, DeviceTrouble trouble) noexcept {
    failure_ = why;
    trouble_ = trouble;
    return Status::failed;
  }
  std::string_view failure_;
  DeviceTrouble trouble_ = DeviceTrouble::refused;
};

class MemoryDeviceType final : public DeviceType {
 public:
  std::string_view name() const noexcept override { return "memory"; }
  std::string_view meaning() const noexcept override { return "the memory of the process as a device"; }
  std::string_view source() const noexcept override { return "the tests of the contract"; }
  std::string_view code() const noexcept override { return "none"; }
  void look(DeviceSink& sink) const noexcept override {
    // Two of them, so that the second is found only by its number.
    sink.device({.name = "the first", .memory = 1 << 20, .obstacle = "it is there to be passed over"});
    sink.device({.name = "the second", .memory = 1 << 20});
  }
  Device* open(std::size_t number, DeviceSink& why) const noexcept override {
    if (number == 1) return new MemoryDevice;
    why.none("only the second one can be used");
    return nullptr;
  }
};
const MemoryDeviceType memory{};

}  // namespace

POLYFORM_PLUGIN("device", "memory-device", "1.0") { polyform::add_device(registrar, memory); }
