// What a host of any SDK asks of the worked example of a device (sdk/examples/abacus-device): a plugin of any other SDK
// answers alike.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "polyform/contract/device.hpp"

namespace polyform {

/// Takes the type of a device that a plugin registers.
class OneDeviceType final : public DeviceRegistrar {
 public:
  void add(const DeviceType& type) noexcept override { found = &type; }
  const DeviceType* found = nullptr;
};

/// Takes what look() and open() tell.
class DevicesSeen final : public DeviceSink {
 public:
  void device(const DeviceDescription& d) noexcept override { all.push_back(complete(d)); }
  void none(std::string_view why) noexcept override { reason = why; }
  std::vector<DeviceDescription> all;
  std::string reason;
};

/// Looks, opens the second device, and lets it scale three numbers by two. require(condition, what) judges.
template <class Require>
void try_device(const DeviceType& type, const Require& require) {
  DevicesSeen seen;
  type.look(seen);
  require(seen.all.size() == 2 && seen.all[0].name == "abacus of wood" && !seen.all[0].obstacle.empty() &&
              seen.all[1].memory == 1 << 20 && seen.all[1].obstacle.empty(),
          "the type tells its two devices");
  require(seen.query("polyform.of_a_later_sdk.1") == nullptr, "a sink has no further ability");
  require(type.open(0, seen) == nullptr && !seen.reason.empty(), "the first device cannot be opened, for a reason");
  Device* const device = type.open(1, seen);
  require(device != nullptr, "the second device is opened");
  if (device == nullptr) return;
  const std::array<double, 3> in{1, 2, 3};
  std::array<double, 3> out{};
  DeviceAddress at = 0;
  DeviceFunction scale = 0;
  require(device->allocate(sizeof in, at) == Status::ok && device->load(type.code(), "scale", scale) == Status::ok &&
              device->copy_in(at, in.data(), sizeof in, 0) == Status::ok,
          "the device takes memory, code and numbers");
  struct {
    DeviceAddress numbers;
    double factor;
  } const arguments{at, 2};
  require(device->launch({.function = scale, .threads = 3, .arguments = &arguments, .argument_bytes = sizeof arguments},
                         0) == Status::ok &&
              device->wait(0) == Status::ok && device->copy_out(out.data(), at, sizeof out, 0) == Status::ok,
          "the device runs its function");
  require(out[0] == 2 && out[1] == 4 && out[2] == 6, "the numbers are twice as large");
  DeviceAddress none = 0;
  require(device->allocate(1 << 30, none) == Status::failed && device->trouble() == DeviceTrouble::out_of_memory &&
              !device->failure().empty(),
          "the device tells that it lacks memory");
  device->free(at);
  device->destroy();
}

}  // namespace polyform
