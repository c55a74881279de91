// A mechanism as a model file.
#pragma once

#include <string>
#include <vector>

#include "tests/benchmark/systems.hpp"

namespace polyform::benchmark {

struct ModelText {
  std::string text;
  std::vector<std::string> joints;  ///< name of each joint of the mechanism
};

/// The text of the model. Runs of like bodies become chains, so that the text of a huge chain stays small.
ModelText model_text(const Mechanism&);

}  // namespace polyform::benchmark
