// H2 by itself: at the initial state of a model, or at a state along a motion.
#pragma once

#include <string>
#include <vector>

#include "h2.hpp"
#include "tests/thompson/bench.hpp"

namespace polyform::test {

class TreeBench {
 public:
  TreeBench(const std::string& model_text, thompson::Construction construction);

  const SystemView& view() const { return view_; }
  const TreeKinematics& tree() const { return tree_; }
  const std::vector<double>& velocities() const { return v_; }
  /// At the initial state moved on by a time, with the initial velocities of the joints held.
  void at(double time);
  /// H2, 6N × P; a body has its six rows together.
  Eigen::MatrixXd H2();
  /// Ḣ2 q̇2 for the joints' velocities, 6N.
  Eigen::VectorXd rate_times_velocities();

 private:
  std::unique_ptr<host::System> system_;
  const SystemView& view_;
  TreeKinematics tree_;
  thompson::H2 h2_;
  std::vector<double> q_, v_;
};

}  // namespace polyform::test
