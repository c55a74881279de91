#include "framework/workbench/devices/device_search.hpp"

#include <fmt/format.h>

#include <cstring>

#include "framework/diagnostics.hpp"
#include "framework/host/process/process.hpp"

namespace polyform::host::inline devices {

namespace {

/// Long enough for a driver that wakes many devices, s.
constexpr double longest_look = 60;

// A message: 'd', the memory, the name, a zero, the obstacle; or 'n' and the reason.
class TellingSink final : public DeviceSink {
 public:
  explicit TellingSink(const Messenger& back) : back_(back) {}
  void device(const DeviceDescription& found) noexcept override {
    std::string message = "d";
    message.append(reinterpret_cast<const char*>(&found.memory), sizeof found.memory);
    back_.send(message.append(found.name).append(1, '\0').append(found.obstacle));
  }
  void none(std::string_view reason) noexcept override { back_.send(std::string("n").append(reason)); }

 private:
  const Messenger& back_;
};

void take(std::string_view message, DeviceFinding& finding) {
  if (message.front() == 'n') {
    finding.reason = message.substr(1);
    return;
  }
  FoundDevice found{finding.type, finding.devices.size(), {}, 0, {}};
  std::memcpy(&found.memory, message.data() + 1, sizeof found.memory);
  const std::string_view texts = message.substr(1 + sizeof found.memory);
  const std::size_t end = texts.find('\0');
  found.name = texts.substr(0, end);
  found.obstacle = texts.substr(end + 1);
  finding.devices.push_back(std::move(found));
}

}  // namespace

std::string FoundDevice::short_name() const {
  return number == 0 ? std::string(type->name()) : fmt::format("{}:{}", type->name(), number);
}

std::vector<DeviceFinding> look_for_devices(const Catalog& catalog) {
  std::vector<DeviceFinding> all;
  for (const auto& [name, type] : catalog.devices) {
    DeviceFinding& finding = all.emplace_back();
    finding.type = type;
    const ProcessJob job{[&](const Messenger& back) {
                           allow_all_addresses();
                           TellingSink sink(back);
                           finding.type->look(sink);
                         },
                         [&](std::string_view message) { take(message, finding); },
                         {}};
    const ProcessLimits limits{longest_look};
    const ProcessEnd end = run_in_processes(std::span(&job, 1), limits, 1).front();
    if (!end.done()) {
      finding.devices.clear();
      finding.reason = fmt::format("looking for its devices ended: {}", describe(end, limits));
    }
    if (finding.devices.empty() && finding.reason.empty()) finding.reason = "it tells neither devices nor a reason";
  }
  return all;
}

const FoundDevice* choose_device(std::span<const DeviceFinding> all, std::string_view name, std::string& why) {
  const bool any = name == any_device;
  const FoundDevice* blocked = nullptr;
  std::string known;
  for (const DeviceFinding& finding : all) {
    if (finding.devices.empty() && (any || name == finding.type->name())) {
      why = fmt::format("{}: {}", finding.type->name(), finding.reason);
      if (!any) return nullptr;
    }
    for (const FoundDevice& device : finding.devices) {
      known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", device.short_name(), device.name);
      if (!any && name != device.short_name() && name != device.name) continue;
      if (device.obstacle.empty()) return &device;
      blocked = &device;
    }
  }
  if (blocked != nullptr) why = fmt::format("{}: {}", blocked->name, blocked->obstacle);
  if (blocked != nullptr || any) {
    if (why.empty()) why = "no plugin for devices is loaded";
    return nullptr;
  }
  throw Failure(Exit::bad_input, fmt::format("there is no device {}", name),
                known.empty() ? "polyform plugins says why none is used; --device none goes without."
                              : fmt::format("There is: {}.", known));
}

}  // namespace polyform::host::inline devices
