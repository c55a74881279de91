// Accelerations found anew, with the digits that masses of very different size take won back: for what the balance of
// forces cannot tell, as forces through a body are many millions of times its own inertia force.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "framework/simulation/observation_store.hpp"
#include "polyform/formulation.hpp"

namespace polyform::host {

class SecondOpinion {
 public:
  explicit SecondOpinion(const SystemView&);
  ~SecondOpinion();

  struct Difference {
    double part = 0;         ///< relative
    std::size_t body = 0;
  };
  /// How far the accelerations that a solver observed are from those found here; nothing where none can be had: bodies
  /// that bend, constraint elements, modules, a tree that cannot be swept. linear, angular: accelerations that count as
  /// rounding of what acts.
  std::optional<Difference> on(double t, const Observation&, double linear, double angular);

 private:
  struct Own;
  const SystemView& view_;
  std::unique_ptr<Own> own_;
};

}  // namespace polyform::host
