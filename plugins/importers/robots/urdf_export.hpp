// Models to URDF.
#pragma once

#include "polyform/contract/importer.hpp"

namespace polyform::importers {

const Exporter& urdf_exporter() noexcept;

}  // namespace polyform::importers
