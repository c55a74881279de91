#include "cuda_device.hpp"
#include "polyform/contract/plugin.hpp"

POLYFORM_PLUGIN("device", "cuda-devices", "1.0") { polyform::add_device(registrar, polyform::cuda::cuda()); }
