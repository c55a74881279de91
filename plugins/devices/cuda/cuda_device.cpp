#include "cuda_device.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string>

#include "driver.hpp"
#include "polyform/helpers/failure.hpp"

namespace polyform::cuda {

namespace {

/// The oldest processors for which the code of models is made.
constexpr int least_capability = 7;
constexpr unsigned threads_per_block = 64;

/// After these nothing that the context holds can be used.
bool loses_context(Result result) {
  return result == result::deinitialized || result == result::invalid_context || result == result::uncorrectable ||
         result == result::link_lost || result == result::unknown ||
         (result >= result::illegal_address && result <= result::launch_failed && result != result::out_of_resources);
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, std::string name) : driver_(driver), name_(std::move(name)) {}

  /// Makes what launches need; false where that fails. Its failure says why the device cannot be opened.
  bool begin(Ordinal ordinal) {
    if (const Result result = driver_.create_context(&context_, wait_without_work, ordinal);
        result != result::success) {
      note(result);
      return failure_.say("{}", driver_.text(result));
    }
    for (Queue& queue : queues_)
      if (!done("has no queue", driver_.create_stream(&queue.stream, 1)) ||
          !done("has no clock", driver_.create_event(&queue.begin, 0)) ||
          !done("has no clock", driver_.create_event(&queue.end, 0)))
        return false;
    return true;
  }

  std::string_view name() const noexcept override { return name_; }
  Status memory(std::uint64_t& free, std::uint64_t& all) noexcept override {
    std::size_t free_bytes = 0, all_bytes = 0;
    const Status status =
        is_current() ? told("does not tell its memory", driver_.memory(&free_bytes, &all_bytes)) : Status::failed;
    free = free_bytes;
    all = all_bytes;
    return status;
  }
  Status allocate(std::uint64_t bytes, DeviceAddress& out) noexcept override {
    Address address = 0;
    const Status status =
        is_current() ? told("has no memory to spare", driver_.allocate(&address, bytes)) : Status::failed;
    out = address;
    return status;
  }
  void free(DeviceAddress address) noexcept override {
    if (address != 0 && is_current()) driver_.free(address);
  }
  Status allocate_host(std::uint64_t bytes, void*& out) noexcept override {
    return is_current() ? told("has no memory of the host to spare", driver_.allocate_host(&out, bytes))
                        : Status::failed;
  }
  void free_host(void* memory) noexcept override {
    if (memory != nullptr && is_current()) driver_.free_host(memory);
  }

  Status load(std::string_view code, const char* function, DeviceFunction& out) noexcept override {
    try {
      const std::string text(code);  // that ends
      std::array<char, 2048> log{};
      int options[] = {error_log, error_log_bytes};
      void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
      Module* module = nullptr;
      if (!is_current()) return Status::failed;
      const Result result = driver_.load(&module, text.c_str(), 2, options, values);
      if (result != result::success) {
        note(result);
        failure_.say("{} refuses the code: {}{}{}", name_, driver_.text(result), log[0] != '\0' ? ": " : "",
                     log.data());
        return Status::failed;
      }
      Function* found = nullptr;
      const Status status = told("does not find the function", driver_.function(&found, module, function));
      out = reinterpret_cast<DeviceFunction>(found);
      return status;
    } catch (const std::exception&) {
      failure_.say("memory ran out");
      trouble_ = DeviceTrouble::refused;
      return Status::failed;
    }
  }

  Status copy_in(DeviceAddress to, const void* from, std::uint64_t bytes, unsigned queue) noexcept override {
    return is_current() ? told("cannot be copied to", driver_.copy_in(to, from, bytes, queues_[queue].stream))
                        : Status::failed;
  }
  Status copy_out(void* to, DeviceAddress from, std::uint64_t bytes, unsigned queue) noexcept override {
    return is_current() ? told("cannot be copied from", driver_.copy_out(to, from, bytes, queues_[queue].stream))
                        : Status::failed;
  }
  Status launch(const DeviceLaunch& what, unsigned queue) noexcept override {
    if (!is_current()) return Status::failed;
    const Queue& in = queues_[queue];
    std::size_t bytes = what.argument_bytes;
    void* extra[] = {parameters_at, const_cast<void*>(what.arguments), parameter_bytes_at, &bytes, nullptr};
    const auto blocks = static_cast<unsigned>((what.threads + threads_per_block - 1) / threads_per_block);
    const Result results[] = {driver_.record(in.begin, in.stream),
                              driver_.launch(reinterpret_cast<Function*>(what.function), blocks, 1, 1,
                                             threads_per_block, 1, 1, 0, in.stream, nullptr, extra),
                              driver_.record(in.end, in.stream)};
    for (const Result result : results)
      if (told("cannot run the code", result) == Status::failed) return Status::failed;
    return Status::ok;
  }
  Status wait(unsigned queue) noexcept override {
    return is_current() ? told("did not come to the end of its work", driver_.synchronize(queues_[queue].stream))
                        : Status::failed;
  }
  double seconds(unsigned queue) noexcept override {
    float milliseconds = 0;
    if (!is_current() || driver_.elapsed(&milliseconds, queues_[queue].begin, queues_[queue].end) != result::success)
      return 0;
    return 1e-3 * static_cast<double>(milliseconds);
  }

  std::string_view failure() const noexcept override { return failure_.text(); }
  DeviceTrouble trouble() const noexcept override { return trouble_; }
  /// All that was allocated and loaded belongs to the context.
  void destroy() noexcept override {
    if (context_ != nullptr) driver_.destroy_context(context_);
    delete this;
  }

 private:
  struct Queue {
    Stream* stream = nullptr;
    Event *begin = nullptr, *end = nullptr;
  };

  /// Calls go to this device, in whichever thread.
  bool is_current() noexcept { return done("cannot be reached", driver_.set_context(context_)); }
  void note(Result result) noexcept {
    trouble_ = result == result::out_of_memory ? DeviceTrouble::out_of_memory
               : loses_context(result)         ? DeviceTrouble::lost
                                               : DeviceTrouble::refused;
  }
  bool done(const char* what, Result result) noexcept {
    if (result == result::success) return true;
    note(result);
    try {
      return failure_.say("{} {}: {}", name_, what, driver_.text(result));
    } catch (const std::exception&) {
      return failure_.say("{} {}", name_, what);
    }
  }
  Status told(const char* what, Result result) noexcept { return done(what, result) ? Status::ok : Status::failed; }

  const Driver& driver_;
  std::string name_;
  Context* context_ = nullptr;
  std::array<Queue, queues> queues_;
  Failure failure_;
  DeviceTrouble trouble_ = DeviceTrouble::refused;
};

class Cuda final : public DeviceType {
 public:
  std::string_view name() const noexcept override { return "cuda"; }
  std::string_view meaning() const noexcept override { return "graphics processors by the CUDA driver, libcuda.so.1"; }
  std::string_view source() const noexcept override { return "CUDA Driver API reference"; }
  std::string_view code() const noexcept override { return "ptx"; }

  void look(DeviceSink& sink) const noexcept override {
    guarded(sink, [&](const Driver& driver, int count) {
      for (int i = 0; i < count; ++i) tell(driver, i, sink);
      return nullptr;
    });
  }
  Device* open(std::size_t number, DeviceSink& why) const noexcept override {
    return guarded(why, [&](const Driver& driver, int count) -> Device* {
      if (number >= static_cast<std::size_t>(count)) {
        why.none("there is no device of that number");
        return nullptr;
      }
      Ordinal ordinal = 0;
      if (const Result result = driver.ordinal(&ordinal, static_cast<int>(number)); result != result::success) {
        why.none(driver.text(result));
        return nullptr;
      }
      auto* const device = new CudaDevice(driver, name_of(driver, ordinal));
      if (device->begin(ordinal)) return device;
      why.none(device->failure());
      device->destroy();
      return nullptr;
    });
  }

 private:
  /// Calls with the driver and the number of devices, which is not 0, or tells why there are none.
  template <class Call>
  static Device* guarded(DeviceSink& sink, const Call& call) noexcept {
    try {
      std::string why;
      const Driver* const found = driver(why);
      int count = 0;
      if (found != nullptr) {
        const Result result = found->count(&count);
        if (result != result::success && result != result::no_device) why = found->text(result);
        if (why.empty() && count == 0) why = "the driver knows no device";
      }
      if (why.empty()) return call(*found, count);
      sink.none(why);
    } catch (const std::exception&) {
      sink.none("memory ran out");
    }
    return nullptr;
  }
  static std::string name_of(const Driver& driver, Ordinal ordinal) {
    std::array<char, 256> name{};
    if (driver.name(name.data(), static_cast<int>(name.size()) - 1, ordinal) != result::success) return "a device";
    return name.data();
  }
  static void tell(const Driver& driver, int number, DeviceSink& sink) {
    Ordinal ordinal = 0;
    std::string name = "a device", obstacle;
    std::size_t bytes = 0;
    int major = 0, minor = 0;
    const auto see = [&](Result result) {
      if (result != result::success && obstacle.empty()) obstacle = driver.text(result);
      return result == result::success;
    };
    if (see(driver.ordinal(&ordinal, number))) {
      name = name_of(driver, ordinal);
      see(driver.all_memory(&bytes, ordinal));
      if (see(driver.attribute(&major, capability_major, ordinal)) &&
          see(driver.attribute(&minor, capability_minor, ordinal)) && major < least_capability)
        obstacle = fmt::format("its compute capability {}.{} is below {}.0", major, minor, least_capability);
    }
    sink.device({.name = name, .memory = bytes, .obstacle = obstacle});
  }
};

}  // namespace

const DeviceType& cuda() noexcept {
  static const Cuda type;
  return type;
}

}  // namespace polyform::cuda
