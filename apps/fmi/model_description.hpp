// The description of an FMU: modelDescription.xml.
#pragma once

#include <string>

#include "apps/fmi/fmu_model.hpp"

namespace polyform::fmi {

/// The name of the library in the FMU, without its ending: letters, digits and _ of the model's name.
std::string model_identifier(const std::string& name);

/// version: 2 or 3.
std::string model_description(const FmuModel&, const Settings&, int version);

}  // namespace polyform::fmi
