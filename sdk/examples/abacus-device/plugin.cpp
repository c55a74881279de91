#include "abacus_device.hpp"

POLYFORM_PLUGIN("device", "abacus-device", "1.0") { polyform::add_device(registrar, example::abacus_device()); }
