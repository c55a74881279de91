// Three numbers go to the device, are scaled there, and come back; what cannot be done is refused with a sentence. No
// model is needed: the device is called as the host would call it.
#include "abacus_device.hpp"

#include <cstdio>

namespace {

using namespace polyform;

int failures = 0;

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

/// Takes the first device without an obstacle.
class FirstUsable final : public DeviceSink {
 public:
  void device(const DeviceDescription& found) noexcept override {
    if (!any && found.obstacle.empty()) any = true, number = count;
    ++count;
  }
  void none(std::string_view) noexcept override {}
  bool any = false;
  std::size_t number = 0, count = 0;
};

void require_failure(const Device& device, Status status, DeviceTrouble trouble, const char* what) {
  require(status == Status::failed && device.trouble() == trouble && !device.failure().empty(), what);
}

void try_device(Device& device, std::string_view code) {
  const double in[] = {1, -2.5, 4};
  double out[3]{};
  DeviceAddress at = 0, none = 0;
  DeviceFunction scale = 0;
  std::uint64_t before = 0, free = 0, all = 0;
  require(device.memory(before, all) == Status::ok && before == all, "all memory is free at the start");
  require(device.allocate(sizeof in, at) == Status::ok && device.load(code, "scale", scale) == Status::ok,
          "memory and code are taken");
  require(device.memory(free, all) == Status::ok && free == before - sizeof in, "memory that was taken is not free");
  const example::Scaling arguments{at, 2};
  require(
      device.copy_in(at, in, sizeof in, 0) == Status::ok &&
          device.launch({.function = scale, .threads = 3, .arguments = &arguments, .argument_bytes = sizeof arguments},
                        0) == Status::ok &&
          device.copy_out(out, at, sizeof out, 0) == Status::ok && device.wait(0) == Status::ok,
      "copies and the launch are done");
  require(out[0] == 2 && out[1] == -5 && out[2] == 8, "the numbers are twice as large");

  require_failure(device, device.allocate(all, none), DeviceTrouble::out_of_memory, "more memory than is left");
  require_failure(device, device.copy_in(at, in, sizeof in + 1, 0), DeviceTrouble::refused, "a copy beyond its memory");
  require_failure(device, device.load("other code", "scale", scale), DeviceTrouble::refused, "code of another form");
  require_failure(device, device.load(code, "other", scale), DeviceTrouble::refused, "a function that is not there");
  device.free(at);
  require(device.memory(free, all) == Status::ok && free == before, "memory that was freed is free");
}

}  // namespace

int main() {
  const DeviceType& type = example::abacus_device();
  FirstUsable found;
  type.look(found);
  require(found.any, "there is a device that can be used");
  Device* const device = type.open(found.number, found);
  require(device != nullptr, "it is opened");
  if (device != nullptr) {
    try_device(*device, type.code());
    device->destroy();
  }
  return failures == 0 ? 0 : 1;
}
