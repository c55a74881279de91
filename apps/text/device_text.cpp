#include "apps/text/device_text.hpp"

#include <fmt/format.h>

#include "apps/text/wrapping.hpp"

namespace polyform::apps {

namespace {

std::string text_of_code(const DeviceCases& cases) {
  if (!cases.obstacle().empty()) return wrapped_entry("device", "none: " + cases.obstacle(), 13);
  const host::DeviceCode& code = cases.code();
  if (!cases.why_general().empty())
    return fmt::format("device       {}\n", cases.device().name) +
           wrapped_entry("", "by the general code, not by code of the model: " + cases.why_general(), 2);
  const std::string when = code.kept ? "it was kept from before" : fmt::format("it took {:.1f} s", code.seconds);
  return fmt::format("device       {}\n  {}\n  by {}; {}\n", cases.device().name, code.file.string(), code.compiler,
                     when);
}

}  // namespace

std::string device_text(const DeviceCases& cases) {
  const bool tells = cases.obstacle().empty() && !cases.events().empty();
  return text_of_code(cases) + (tells ? wrapped_entry("", cases.events(), 2) : "");
}

Json device_json(const DeviceCases& cases) {
  if (!cases.obstacle().empty()) return {{"name", nullptr}, {"reason", cases.obstacle()}};
  const host::DeviceCode& code = cases.code();
  Json out{{"name", cases.device().name}, {"memory", cases.device().memory}};
  if (!cases.events().empty()) out["events"] = cases.events();
  if (!cases.why_general().empty()) {
    out.update({{"code", "general"}, {"reason", cases.why_general()}});
    return out;
  }
  out.update(
      {{"code", code.file.string()}, {"compiler", code.compiler}, {"seconds", code.seconds}, {"kept", code.kept}});
  return out;
}

std::string devices_text(std::span<const host::DeviceFinding> all) {
  std::string text;
  for (const host::DeviceFinding& finding : all) {
    if (finding.devices.empty())
      text += wrapped_entry(fmt::format("  {}", finding.type->name()), "none: " + finding.reason, 14);
    for (const host::FoundDevice& device : finding.devices)
      text += wrapped_entry(fmt::format("  {}", device.short_name()),
                            fmt::format("{}, {:.1f} GB{}{}", device.name, 1e-9 * static_cast<double>(device.memory),
                                        device.obstacle.empty() ? "" : "; not used: ", device.obstacle),
                            14);
  }
  return text.empty() ? text : "Devices for polyform study --device:\n" + text;
}

Json devices_json(std::span<const host::DeviceFinding> all) {
  Json out = Json::array();
  for (const host::DeviceFinding& finding : all) {
    if (finding.devices.empty()) out.push_back({{"type", finding.type->name()}, {"reason", finding.reason}});
    for (const host::FoundDevice& device : finding.devices) {
      Json one = {{"type", finding.type->name()}, {"name", device.name}, {"memory", device.memory}};
      one["device"] = device.short_name();
      if (!device.obstacle.empty()) one["reason"] = device.obstacle;
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace polyform::apps
