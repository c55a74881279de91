// How the cases of a study are run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/session/arguments.hpp"

namespace polyform::apps {

inline constexpr std::string_view no_device = "none";

/// How each case is run: as polyform run would with these arguments.
struct CaseSettings {
  RunArguments run;
  std::string solver;  ///< "": the model's, else the preferred one
  std::vector<std::string> options;
  bool lenient = false;
  std::vector<std::string> set{};  ///< PATH=VALUE of the model
  bool compile = false;            ///< the solver is compiled for the model
  std::string device{};            ///< by name, on which cases are done that it can do; "" or no_device: none
  bool lanes = true;               ///< several cases are evaluated at once where the model allows it
  std::string trajectories{};      ///< columns that are kept of each case, as of --columns; "": none
  std::vector<std::string> import_options{};  ///< KEY=VALUE, of a model in another program's format
};

}  // namespace polyform::apps
