// Which devices there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/registry/catalog.hpp"

namespace polyform::host::inline devices {

struct FoundDevice {
  const DeviceType* type = nullptr;
  std::size_t number = 0;  ///< among those of its type
  std::string name;
  std::uint64_t memory = 0;  ///< bytes
  std::string obstacle;      ///< why it cannot be used; empty where it can

  /// By which it is asked for: that of its type, with a colon and the number for all but the first.
  std::string short_name() const;
};

/// What one type of device has: devices, or the reason why there are none.
struct DeviceFinding {
  const DeviceType* type = nullptr;
  std::vector<FoundDevice> devices;
  std::string reason;
};

/// Looks for devices of all types, by name, in a process of its own: a driver that was asked would not work in copies
/// of this process.
std::vector<DeviceFinding> look_for_devices(const Catalog&);

/// The device of a short name or a name, or the first that can be used for any. Failure (bad_input) where a name is
/// that of none; nullptr where it cannot be used, and why.
const FoundDevice* choose_device(std::span<const DeviceFinding>, std::string_view name, std::string& why);

/// What stands for the first device that can be used.
inline constexpr std::string_view any_device = "auto";

}  // namespace polyform::host::inline devices
