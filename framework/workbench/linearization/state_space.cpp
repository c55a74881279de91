#include "framework/workbench/linearization/state_space.hpp"

namespace polyform::host::inline linearization {

StateSpace in_independent_states(const Linearization& linear) {
  const auto vector = [](const std::vector<double>& v) -> Eigen::VectorXd {
    return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
  };
  return {linear.states,  linear.A.value,        linear.B.value,      linear.C.value,
          linear.D.value, vector(linear.values), vector(linear.rates)};
}

}  // namespace polyform::host::inline linearization
