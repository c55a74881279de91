// Models to MJCF.
#pragma once

#include "polyform/contract/importer.hpp"

namespace polyform::importers {

const Exporter& mjcf_exporter() noexcept;

}  // namespace polyform::importers
