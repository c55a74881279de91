// What is told of devices.
#pragma once

#include <span>
#include <string>

#include "apps/session/device_cases.hpp"
#include "apps/text/json_output.hpp"
#include "framework/workbench/devices/device_search.hpp"

namespace polyform::apps {

/// The device of a study and its code, or why none was used.
std::string device_text(const DeviceCases&);
Json device_json(const DeviceCases&);

/// All devices that were found, a line each, and why none are.
std::string devices_text(std::span<const host::DeviceFinding>);
Json devices_json(std::span<const host::DeviceFinding>);

}  // namespace polyform::apps
