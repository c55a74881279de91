#include "abacus_device.hpp"

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <new>

namespace example {

using namespace polyform;

namespace {

constexpr std::uint64_t bytes_in_all = 1 << 20;
/// The form of the code that it loads. A driver would take a program in this form; here the word alone is the program.
constexpr std::string_view code_form = "abacus";

/// What one thread does, and how large the structure is that it gets.
struct Function {
  std::string_view name;
  std::size_t argument_bytes;
  void (*run)(std::uint64_t thread, const void* arguments);
};

void scale(std::uint64_t thread, const void* arguments) {
  Scaling scaling;
  std::memcpy(&scaling, arguments, sizeof scaling);
  reinterpret_cast<double*>(scaling.numbers)[thread] *= scaling.factor;
}

constexpr Function functions[] = {{"scale", sizeof(Scaling), scale}};

class AbacusDevice final : public Device {
 public:
  std::string_view name() const noexcept override { return "abacus of this process"; }
  Status memory(std::uint64_t& free, std::uint64_t& all) noexcept override {
    free = bytes_in_all - used_;
    all = bytes_in_all;
    return Status::ok;
  }

  Status allocate(std::uint64_t bytes, DeviceAddress& out) noexcept override {
    if (bytes > bytes_in_all - used_) return fail("it has not so much memory left", DeviceTrouble::out_of_memory);
    const Block* const block = add_block(bytes);
    if (block == nullptr) return fail("the memory of the process ran out", DeviceTrouble::out_of_memory);
    used_ += bytes;
    out = address_of(block->bytes.get());
    return Status::ok;
  }
  void free(DeviceAddress address) noexcept override {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return;
    used_ -= found->second.size;
    blocks_.erase(found);
  }
  // From and to ordinary memory its copies are as fast as from any other. Of a graphics processor this is memory that
  // the driver has locked.
  Status allocate_host(std::uint64_t bytes, void*& out) noexcept override {
    out = ::operator new(bytes, std::nothrow);
    return out != nullptr ? Status::ok : fail("the memory of the process ran out", DeviceTrouble::out_of_memory);
  }
  void free_host(void* memory) noexcept override { ::operator delete(memory); }

  Status load(std::string_view code, const char* function, DeviceFunction& out) noexcept override {
    if (code != code_form) return fail("the text is no code for it", DeviceTrouble::refused);
    for (std::size_t i = 0; i < std::size(functions); ++i)
      if (functions[i].name == function) {
        out = i + 1;  // 0 means none
        return Status::ok;
      }
    return fail("the code has no function of that name", DeviceTrouble::refused);
  }

  // Everything is done at once, so the order within a queue is kept, and wait() has nothing to wait for.
  Status copy_in(DeviceAddress to, const void* from, std::uint64_t bytes, unsigned) noexcept override {
    if (!holds(to, bytes)) return fail("a copy goes to memory that was not allocated", DeviceTrouble::refused);
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return Status::ok;
  }
  Status copy_out(void* to, DeviceAddress from, std::uint64_t bytes, unsigned) noexcept override {
    if (!holds(from, bytes)) return fail("a copy comes from memory that was not allocated", DeviceTrouble::refused);
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return Status::ok;
  }
  Status launch(const DeviceLaunch& what, unsigned queue) noexcept override {
    if (what.function == 0 || what.function > std::size(functions))
      return fail("the function was not loaded", DeviceTrouble::refused);
    const Function& function = functions[what.function - 1];
    if (what.argument_bytes != function.argument_bytes)
      return fail("the arguments are not those of the function", DeviceTrouble::refused);
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t thread = 0; thread < what.threads; ++thread) function.run(thread, what.arguments);
    seconds_[queue] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return Status::ok;
  }
  Status wait(unsigned) noexcept override { return Status::ok; }
  double seconds(unsigned queue) noexcept override { return seconds_[queue]; }

  std::string_view failure() const noexcept override { return failure_; }
  DeviceTrouble trouble() const noexcept override { return trouble_; }
  void destroy() noexcept override { delete this; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t size;
  };

  static DeviceAddress address_of(const std::byte* bytes) { return reinterpret_cast<DeviceAddress>(bytes); }

  /// nullptr where there is no memory for it. Nothing may be thrown across the boundary.
  const Block* add_block(std::uint64_t bytes) noexcept {
    try {
      Block block{std::make_unique<std::byte[]>(bytes), bytes};
      const DeviceAddress address = address_of(block.bytes.get());
      return &blocks_.emplace(address, std::move(block)).first->second;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  /// Whether so many bytes from the address on lie in one block.
  bool holds(DeviceAddress from, std::uint64_t bytes) const noexcept {
    const auto after = blocks_.upper_bound(from);
    if (after == blocks_.begin()) return false;
    const auto& [begin, block] = *std::prev(after);
    return from - begin <= block.size && bytes <= block.size - (from - begin);
  }
  Status fail(std::string_view why, DeviceTrouble trouble) noexcept {
    failure_ = why;
    trouble_ = trouble;
    return Status::failed;
  }

  std::map<DeviceAddress, Block> blocks_;  ///< by the address at which they begin
  std::uint64_t used_ = 0;                 ///< bytes
  double seconds_[queues]{};               ///< of the last launch of each queue
  std::string_view failure_;
  DeviceTrouble trouble_ = DeviceTrouble::refused;
};

class AbacusDeviceType final : public DeviceType {
 public:
  std::string_view name() const noexcept override { return "abacus"; }
  std::string_view meaning() const noexcept override { return "the memory of the process as a device"; }
  std::string_view source() const noexcept override { return "a worked example of Polyform"; }
  std::string_view code() const noexcept override { return code_form; }

  // Two devices, to show what a user sees of one that cannot be used. Of a driver that is not there this function says
  // sink.none(why).
  void look(DeviceSink& sink) const noexcept override {
    sink.device({.name = "abacus of wood", .obstacle = "it stands in a museum"});
    sink.device({.name = "abacus of this process", .memory = bytes_in_all});
  }
  Device* open(std::size_t number, DeviceSink& why) const noexcept override {
    if (number != 1) {
      why.none("only the second abacus can be used");
      return nullptr;
    }
    auto* const device = new (std::nothrow) AbacusDevice;
    if (device == nullptr) why.none("the memory of the process ran out");
    return device;
  }
};

constexpr AbacusDeviceType type;

}  // namespace

const DeviceType& abacus_device() noexcept { return type; }

}  // namespace example
