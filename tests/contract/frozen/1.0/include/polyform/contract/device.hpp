// Devices: processors with memory of their own that run one function for many worlds at once.
//
// A plugin of kind "device" registers a DeviceType. The host asks it which devices there are, opens one, and hands it
// code, memory and launches; it knows nothing of what stands behind. Whatever goes wrong is a sentence for people and a
// DeviceTrouble for the host.
//
//   POLYFORM_PLUGIN("device", "my-device", "1.0")
//   { polyform::add_device(registrar, my_device); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "polyform/contract/device_launch.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/plugin.hpp"

namespace polyform {

/// Takes what DeviceType::look finds. The views live as long as the call. Never throws.
class DeviceSink {
 public:
  virtual void device(const DeviceDescription&) noexcept = 0;
  /// Why there is none at all: a sentence without a full stop.
  virtual void none(std::string_view reason) noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~DeviceSink() = default;
};

/// What a failure means for the host.
enum class DeviceTrouble : std::int32_t {
  refused,        ///< what was asked for cannot be done; the device is as before
  out_of_memory,  ///< the same, and with less memory it could be done
  lost            ///< nothing can be done on the device any more; what it holds is lost
};

/// A device that was opened, by one process, used by one thread at a time. What is given to a queue is done in the
/// order in which it was given; what is in different queues may be done at the same time. All that is not waited for
/// may still be under way. Whatever returns Status::failed tells failure() and trouble().
class Device {
 public:
  static constexpr unsigned queues = 2;

  virtual std::string_view name() const noexcept = 0;
  /// Bytes that are free now, and in all.
  virtual Status memory(std::uint64_t& free, std::uint64_t& all) noexcept = 0;
  virtual Status allocate(std::uint64_t bytes, DeviceAddress& out) noexcept = 0;
  virtual void free(DeviceAddress) noexcept = 0;
  /// Memory of the host from and to which copies go while other work is done.
  virtual Status allocate_host(std::uint64_t bytes, void*& out) noexcept = 0;
  virtual void free_host(void*) noexcept = 0;
  /// Loads code of DeviceType::code() and finds a function in it.
  virtual Status load(std::string_view code, const char* function, DeviceFunction& out) noexcept = 0;

  virtual Status copy_in(DeviceAddress to, const void* from, std::uint64_t bytes, unsigned queue) noexcept = 0;
  virtual Status copy_out(void* to, DeviceAddress from, std::uint64_t bytes, unsigned queue) noexcept = 0;
  virtual Status launch(const DeviceLaunch&, unsigned queue) noexcept = 0;
  /// Returns when all that was given to the queue is done. A failure may be that of anything in it.
  virtual Status wait(unsigned queue) noexcept = 0;
  /// How long the last launch in the queue took, after wait(), s.
  virtual double seconds(unsigned queue) noexcept = 0;

  /// Of the last failure: a sentence without a full stop.
  virtual std::string_view failure() const noexcept = 0;
  virtual DeviceTrouble trouble() const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }
  /// Gives back all that was allocated and loaded, and frees the object where it was made.
  virtual void destroy() noexcept = 0;

 protected:
  ~Device() = default;
};

/// A kind of device. One object per type, constant, living as long as its plugin.
class DeviceType {
 public:
  virtual std::string_view name() const noexcept = 0;
  virtual std::string_view meaning() const noexcept = 0;  ///< one line
  virtual std::string_view source() const noexcept = 0;   ///< what defines its interface
  /// The form of the code that its devices load: "ptx".
  virtual std::string_view code() const noexcept = 0;
  /// Tells all devices in their order, or why there are none. A process that has looked, or has opened a device, must
  /// not go on in copies of itself (fork): the host looks in a process of its own.
  virtual void look(DeviceSink&) const noexcept = 0;
  /// The device of that number, from 0, in the order of look(); nullptr where it cannot be opened, after why.none().
  virtual Device* open(std::size_t number, DeviceSink& why) const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual const void* query(std::string_view interface_name) const noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~DeviceType() = default;
};

/// Registrar::query(DeviceRegistrar::interface_name): a host that knows devices.
class DeviceRegistrar {
 public:
  static constexpr std::string_view interface_name = "polyform.device_registrar.1";
  virtual void add(const DeviceType&) noexcept = 0;

 protected:
  ~DeviceRegistrar() = default;
};

/// Registers a device type with a host that knows devices.
inline void add_device(Registrar& registrar, const DeviceType& type) noexcept {
  if (auto* const devices = static_cast<DeviceRegistrar*>(registrar.query(DeviceRegistrar::interface_name)))
    devices->add(type);
}

}  // namespace polyform
