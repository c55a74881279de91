// The structures that a device and the host hand each other (device.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "polyform/contract/growth.hpp"

namespace polyform {

/// What a device tells of itself.
struct DeviceDescription {
  Size<DeviceDescription> size{};
  std::string_view name{};      ///< as its maker calls it
  std::uint64_t memory = 0;     ///< bytes in all
  std::string_view obstacle{};  ///< why it cannot be used: a sentence without a full stop; empty where it can
};

/// A place in the memory of a device, and a function that was loaded; 0: none.
using DeviceAddress = std::uint64_t;
using DeviceFunction = std::uint64_t;

/// One launch: so many threads call the function, each with one structure by value, and find their number by the
/// means of the device. There may be some threads more, which the function has to let pass.
struct DeviceLaunch {
  Size<DeviceLaunch> size{};
  DeviceFunction function = 0;
  std::uint64_t threads = 0;
  const void* arguments = nullptr;  ///< the structure; it is copied in the call
  std::size_t argument_bytes = 0;
};

}  // namespace polyform
