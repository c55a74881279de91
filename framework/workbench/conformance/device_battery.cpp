// A kind of device on the devices that there are.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/host/process/process.hpp"
#include "framework/workbench/conformance/batteries.hpp"

namespace polyform::host::inline conformance {

namespace {

/// What look() or open() told.
class DeviceNotes final : public DeviceSink {
 public:
  void device(const DeviceDescription& found) noexcept override {
    names.emplace_back(found.name);
    usable.push_back(found.obstacle.empty());
  }
  void none(std::string_view why) noexcept override { reason = why; }
  std::vector<std::string> names;
  std::vector<bool> usable;
  std::string reason;
};

/// Opens each device that can be used and closes it again.
template <class Use>
void with_devices(const DeviceType& type, Measure& m, const Use& use) {
  DeviceNotes all;
  type.look(all);
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    if (!all.usable[i]) continue;
    DeviceNotes why;
    Device* const device = type.open(i, why);
    m.see(device != nullptr || !why.reason.empty() ? 0 : 1, "a device is not opened, and there is no reason");
    if (device == nullptr) continue;
    use(*device);
    device->destroy();
  }
  if (m.seen() == 0) throw Undecided(all.reason.empty() ? "none of its devices can be used" : all.reason);
}

void see_failure(Device& device, Status status, Measure& m, const char* what) {
  m.see(status == Status::failed && !device.failure().empty() ? 0 : 1, what);
}

}  // namespace

void check_device(const DeviceType& type, Checklist& list) {
  allow_all_addresses();
  list.claim("it tells its devices, or why there are none", 0,
             "call DeviceSink::device or none in each way out of look()", [&](Measure& m) {
               DeviceNotes all;
               type.look(all);
               m.see(all.names.empty() == all.reason.empty() ? 1 : 0, "devices and a reason, or neither of them");
               for (const std::string& name : all.names) m.see(name.empty() ? 1 : 0, "a device has no name");
             });
  list.claim("memory comes back as it was given", 0, "copies of one queue go in their order; wait() ends them all",
             [&](Measure& m) {
               with_devices(type, m, [&](Device& device) {
                 std::vector<double> there(1000), back(there.size());
                 for (std::size_t i = 0; i < there.size(); ++i) there[i] = 0.1 * static_cast<double>(i);
                 const std::size_t bytes = there.size() * sizeof(double);
                 for (unsigned queue = 0; queue < Device::queues; ++queue) {
                   DeviceAddress address = 0;
                   const bool done = device.allocate(bytes, address) == Status::ok &&
                                     device.copy_in(address, there.data(), bytes, queue) == Status::ok &&
                                     device.copy_out(back.data(), address, bytes, queue) == Status::ok &&
                                     device.wait(queue) == Status::ok;
                   m.see(done ? 0 : 1, [&] { return std::string(device.failure()); });
                   m.see(done && back != there ? 1 : 0, "other numbers come back");
                   device.free(address);
                 }
               });
             });
  list.claim("memory that is freed can be had again", 0, "free() gives back what allocate() took", [&](Measure& m) {
    with_devices(type, m, [&](Device& device) {
      constexpr std::uint64_t pieces = 16;
      std::uint64_t before = 0, after = 0, all = 0;
      if (device.memory(before, all) != Status::ok) return m.see(1, "it does not tell its memory");
      // Bytes: much more than what others take meanwhile.
      const std::uint64_t piece = std::min<std::uint64_t>(4u << 20, before / 8);
      for (std::uint64_t k = 0; k < pieces; ++k) {
        DeviceAddress address = 0;
        const bool done = device.allocate(piece, address) == Status::ok;
        m.see(done ? 0 : 1, [&] { return std::string(device.failure()); });
        if (!done) return;
        device.free(address);
      }
      const bool told = device.memory(after, all) == Status::ok;
      m.see(told && after + pieces * piece / 2 > before ? 0 : 1, "what was freed is not there again");
    });
  });
  list.claim("what cannot be done is refused with a reason", 0,
             "set failure() and trouble() wherever failed is returned", [&](Measure& m) {
               with_devices(type, m, [&](Device& device) {
                 DeviceAddress address = 0;
                 see_failure(device, device.allocate(std::uint64_t{1} << 60, address), m, "more memory than there is");
                 m.see(device.trouble() == DeviceTrouble::out_of_memory ? 0 : 1, "a lack of memory is told as such");
                 DeviceFunction function = 0;
                 see_failure(device, device.load("no code", "no_function", function), m, "text that is no code");
               });
             });
}

}  // namespace polyform::host::inline conformance
