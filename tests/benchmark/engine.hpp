// One column of the benchmark: whatever computes the accelerations of a system from its positions and velocities.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/benchmark/systems.hpp"

namespace polyform::benchmark {

/// Why an engine cannot run a system: one sentence without a full stop.
class Cannot : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Makes the engine's model, and its states in the engine's own form. The mechanism outlives the engine. Throws
  /// Cannot.
  virtual void load(const Mechanism&) = 0;
  /// Sets state 0 or 1 and computes the accelerations of the whole system: this is what is timed. Throws Cannot.
  virtual void evaluate(std::size_t state) = 0;
  /// What the last evaluation found: d/dt of the velocity coordinates of the tree joints.
  virtual void accelerations(std::vector<double>& out) = 0;
};

struct EngineInfo {
  std::string_view name;
  std::string version;
  std::unique_ptr<Engine> (*make)();
};
/// The engines that were found when this program was built.
std::vector<EngineInfo> engines();

}  // namespace polyform::benchmark
