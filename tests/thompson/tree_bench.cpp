#include "tests/thompson/tree_bench.hpp"

#include <catch2/catch.hpp>

namespace polyform::test {
namespace {

Eigen::VectorXd flat(const thompson::BodyVectors& of_bodies) {
  Eigen::VectorXd x(6 * static_cast<int>(of_bodies.size()));
  for (int i = 0; i < static_cast<int>(of_bodies.size()); ++i)
    x.segment<6>(6 * i) = of_bodies[static_cast<std::size_t>(i)];
  return x;
}

}  // namespace

TreeBench::TreeBench(const std::string& model_text, thompson::Construction construction)
    : system_(system_from_text(model_text)), view_(system_->view()), tree_(view_), h2_(view_, construction) {
  const ConstStateView state = system_->initial_state();
  v_.assign(state.v.begin(), state.v.end());
  at(0);
}

void TreeBench::at(double time) {
  const ConstStateView state = system_->initial_state();
  q_.assign(state.q.begin(), state.q.end());
  constexpr int steps = 8;  // Runge and Kutta's method for quaternions
  for (int s = 0; s < steps && time != 0; ++s) {
    std::vector<double> k[4], stage;
    for (int i = 0; i < 4; ++i) {
      stage = q_;
      const double h = time / steps * (i == 3 ? 1 : 0.5);
      for (std::size_t c = 0; c < q_.size() && i > 0; ++c) stage[c] += h * k[i - 1][c];
      k[i].resize(q_.size());
      for (const JointData& joint : view_.joints)
        joint_position_rates(joint, stage.data() + joint.q_offset, v_.data() + joint.v_offset,
                             k[i].data() + joint.q_offset);
    }
    for (std::size_t c = 0; c < q_.size(); ++c)
      q_[c] += time / steps / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
  }
  tree_.evaluate(q_.data(), v_.data());
  REQUIRE(h2_.evaluate(tree_, true));
}

Eigen::MatrixXd TreeBench::H2() {
  Eigen::MatrixXd all(6 * static_cast<int>(view_.bodies.size()), static_cast<int>(h2_.size()));
  thompson::BodyVectors column(view_.bodies.size());
  for (std::size_t k = 0; k < h2_.size(); ++k) {
    std::vector<double> unit(h2_.size());
    unit[k] = 1;
    h2_.to_bodies(unit.data(), false, column);
    all.col(static_cast<int>(k)) = flat(column);
  }
  return all;
}

Eigen::VectorXd TreeBench::rate_times_velocities() {
  thompson::BodyVectors rate(view_.bodies.size());
  const std::vector<double> zero(h2_.size());
  h2_.to_bodies(zero.data(), true, rate);
  return flat(rate);
}

}  // namespace polyform::test
