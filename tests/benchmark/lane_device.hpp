// Runs on a device beside evaluations in lanes.
#pragma once

#include <string>

#include "framework/host/assembly/system.hpp"
#include "framework/workbench/devices/device_search.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::benchmark {

/// Runs of many worlds by rk4 on a device, by one kind of code.
struct DeviceRate {
  double all = 0;      ///< evaluations of a body per second, with transfers and final states
  double busy = 0;     ///< of the time in which the device computes
  std::string reason;  ///< why there are none
};

/// general: by the general code of the formulation, else by that of the model, which clang compiles.
DeviceRate device_rate(const std::string& title, const host::System&, const Formulation&, const host::FoundDevice&,
                       bool general);

}  // namespace polyform::benchmark
