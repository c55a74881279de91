// What an FMU was made of: kept in the FMU as resources/fmu.json, so that it reads its model as the export did.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/session/arguments.hpp"

namespace polyform::fmi {

enum class Kind { model_exchange, co_simulation };

struct Settings {
  apps::ModelArguments model;            ///< file and state: in the FMU relative to its resources
  std::optional<std::string> text = {};  ///< of a model that is no file, while it is exported
  apps::RunArguments run;
  std::string solver;
  std::vector<std::string> options;  ///< of the solver
  std::vector<std::string> inputs;   ///< patterns; none: all fields that are given as functions of time
  Kind kind = Kind::co_simulation;
  std::string token;  ///< the same in the model description: who has one that differs has another FMU
};

std::string to_text(const Settings&);
/// Failure (bad_input) if the text is not one of to_text(). file: for the message.
Settings settings_of(std::string_view text, const std::string& file);

}  // namespace polyform::fmi
