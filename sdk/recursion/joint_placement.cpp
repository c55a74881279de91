#include "polyform/solvers/joint_placement.hpp"

#include <algorithm>

namespace polyform {

JointPlacement::JointPlacement(const SystemView& view, const JointState& state, TreeSweep& sweep, LoopClosure& loops,
                               RowsLeftOut& left_out)
    : state_(state), sweep_(sweep), loops_(loops), left_out_(left_out), has_discrete_(view.discrete > 0) {
  if (loops_.empty()) return;
  q_.resize(view.nq);
  v_.resize(view.nv);
  if (loops_.constraints().elements().has_modules()) x_.resize(view.states);
  placed_.resize(state_.moving() + (view.nq - view.nq_tree));
}

PlacedState JointPlacement::place_with_loops(double t, const JointState::Parts& y) noexcept {
  const std::span<const double> moving(y.q.data(), state_.moving());  // q v η η̇ stand together
  const auto cut = placed_.begin() + static_cast<std::ptrdiff_t>(moving.size());
  if (!stands_ || !std::equal(moving.begin(), moving.end(), placed_.begin()) ||
      !std::equal(y.cut.begin(), y.cut.end(), cut)) {
    std::copy(moving.begin(), moving.end(), placed_.begin());
    std::copy(y.cut.begin(), y.cut.end(), cut);
    std::copy(y.cut.begin(), y.cut.end(), std::copy(y.q.begin(), y.q.end(), q_.begin()));
    std::copy(y.v.begin(), y.v.end(), v_.begin());
    // The sweep keeps pointers to the modes. They point into the copy, for the caller may change y.
    const JointState::Parts here = state_.split_moving(placed_);
    sweep_.kinematics(here.q.data(), here.v.data(), here.eta.data(), here.etadot.data());
    motions_ = sweep_.motions(here.v.data());
    evaluate_loops(t, y.x);
    stands_ = true;
  } else if (!loops_.constraints().elements().empty() &&
             (t != t_ || has_discrete_ || !std::equal(x_.begin(), x_.end(), y.x.begin()))) {
    evaluate_loops(t, y.x);  // the rows of the elements have changed with time
  }
  for (std::size_t i = 0; i < left_out_.groups(); ++i) loops_.rows().leave_out(i, static_cast<unsigned>(left_out_[i]));
  return standing();
}

void JointPlacement::evaluate_loops(double t, std::span<const double> x) noexcept {
  t_ = t;
  std::copy_n(x.begin(), x_.size(), x_.begin());
  loops_.constraints().evaluate(t, motions_, q_, v_, x);
}

void JointPlacement::keep_left_out() noexcept {
  for (std::size_t i = 0; i < left_out_.groups(); ++i) left_out_.keep(i, loops_.rows().left_out(i));
}

}  // namespace polyform
