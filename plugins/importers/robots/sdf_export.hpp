// Models to SDF.
#pragma once

#include "polyform/contract/importer.hpp"

namespace polyform::importers {

const Exporter& sdf_exporter() noexcept;

}  // namespace polyform::importers
