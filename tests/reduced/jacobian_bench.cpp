#include "tests/reduced/jacobian_bench.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

namespace polyform::test {

double DenseJacobian::difference(const DenseJacobian& other) const {
  double worst = 0, largest = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    worst = std::max(worst, std::abs(values[i] - other.values[i]));
    largest = std::max(largest, std::abs(values[i]));
  }
  return worst / largest;
}

JacobianBench::JacobianBench(const std::string& text)
    : system_(system_from_text(text)),
      view_(system_->view()),
      flexible_(view_),
      loops_(view_, flexible_),
      recursion_(view_, loops_),
      jacobian_(view_, loops_, recursion_),
      least_(view_, jacobian_) {
  const ConstStateView start = system_->initial_state();
  q_.assign(start.q.begin(), start.q.end());
  eta_.assign(start.eta.begin(), start.eta.end());
  v_.resize(view_.nv);
  etadot_.resize(view_.modes);
  for (const JointData& cut : view_.cut_joints()) {
    first_row_.push_back(rows_);
    rows_ += 6 - cut.nv;
  }
  place();
}

void JacobianBench::place() {
  recursion_.kinematics(q_.data(), v_.data(), eta_.data(), etadot_.data());
  motions_ = recursion_.motions(v_.data());
  loops_.constraints().evaluate(0, motions_, q_, v_);
}

void JacobianBench::move(const std::vector<double>& step) {
  for (const JointData& joint : view_.tree_joints()) {
    double rates[7];
    joint_position_rates(joint, q_.data() + joint.q_offset, step.data() + joint.v_offset, rates);
    for (std::size_t k = 0; k < joint.nq; ++k) q_[joint.q_offset + k] += rates[k];
    joint_normalize(joint, q_.data() + joint.q_offset);
  }
  for (std::size_t k = 0; k < view_.modes; ++k) eta_[k] += step[view_.nv_tree + k];
  place();
}

void JacobianBench::close() {
  std::vector<double> step(coordinates());
  const ClosingConstraints& constraints = loops_.constraints();
  for (int count = 0; constraints.errors().position() > 10 * constraints.errors().position_rounding(); ++count) {
    INFO("residual " << constraints.errors().position());
    REQUIRE(count < 50);
    jacobian_.semi_analytic(motions_);
    for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop) least_.leave_out(loop, 0);
    least_.factorize();
    for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop)
      for (std::size_t r = 0; r < jacobian_.rows(loop); ++r) least_.set(loop, r, constraints.joint(loop).residual[r]);
    least_.solve(step);
    move(step);
  }
}

DenseJacobian JacobianBench::dense() const {
  DenseJacobian all{rows_, coordinates(), std::vector<double>(rows_ * coordinates())};
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop)
    for (const reduced::ConstraintJacobian::Block& block : jacobian_.blocks(loop))
      for (std::size_t k = 0; k < block.nv; ++k)
        for (std::size_t r = 0; r < jacobian_.rows(loop); ++r)
          all(first_row_[loop] + r, block.v + k) = jacobian_.values(block)[k * jacobian_.rows(loop) + r];
  return all;
}

DenseJacobian JacobianBench::semi_analytic() {
  jacobian_.semi_analytic(motions_);
  return dense();
}

DenseJacobian JacobianBench::direct_differentiation() {
  jacobian_.direct_differentiation(motions_);
  return dense();
}

std::vector<double> JacobianBench::residuals() {
  std::vector<double> all(rows_);
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop)
    std::copy_n(loops_.constraints().joint(loop).residual, loops_.constraints().joint(loop).rows,
                all.begin() + static_cast<std::ptrdiff_t>(first_row_[loop]));
  return all;
}

DenseJacobian JacobianBench::differences() {
  constexpr double h = 1e-4;
  constexpr std::pair<double, double> stencil[] = {{-2, 1.0 / 12}, {-1, -8.0 / 12}, {1, 8.0 / 12}, {2, -1.0 / 12}};
  DenseJacobian all{rows_, coordinates(), std::vector<double>(rows_ * coordinates())};
  const std::vector<double> q = q_, eta = eta_;
  for (std::size_t c = 0; c < coordinates(); ++c)
    for (const auto& [place, weight] : stencil) {
      std::vector<double> step(coordinates());
      step[c] = place * h;
      move(step);
      const std::vector<double> residual = residuals();
      for (std::size_t r = 0; r < rows_; ++r) all(r, c) += weight * residual[r] / h;
      q_ = q;
      eta_ = eta;
    }
  place();
  return all;
}

}  // namespace polyform::test
