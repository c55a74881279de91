// Graphics processors by the CUDA driver, as devices of the contract.
#pragma once

#include "polyform/contract/device.hpp"

namespace polyform::cuda {

const DeviceType& cuda() noexcept;

}  // namespace polyform::cuda
