// A device without hardware: its memory is that of the process, and its only function is built in.
#pragma once

#include "polyform/contract/device.hpp"

namespace example {

const polyform::DeviceType& abacus_device() noexcept;

/// The arguments of its function `scale`: thread i multiplies the i-th number at an address by the factor.
struct Scaling {
  polyform::DeviceAddress numbers;
  double factor;
};

}  // namespace example
