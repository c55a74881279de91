#include "polyform/solvers/joint_placement.hpp"

#include <algorithm>

namespace polyform {

JointPlacement::JointPlacement(const SystemView& view, const JointState& state, TreeSweep& sweep, LoopClosure& loops)
    : state_(state), sweep_(sweep), loops_(loops) {
  if (loops_.empty()) return;
  q_.resize(view.nq);
  v_.resize(view.nv);
  placed_.resize(state_.moving() + (view.nq - view.nq_tree));
}

PlacedState JointPlacement::place_with_loops(const JointState::Parts& y) noexcept {
  const std::span<const double> moving(y.q.data(), state_.moving());  // q v η η̇ stand together
  const auto cut = placed_.begin() + static_cast<std::ptrdiff_t>(moving.size());
  if (!stands_ || !std::equal(moving.begin(), moving.end(), placed_.begin()) ||
      !std::equal(y.cut.begin(), y.cut.end(), cut)) {
    std::copy(moving.begin(), moving.end(), placed_.begin());
    std::copy(y.cut.begin(), y.cut.end(), cut);
    std::copy(y.cut.begin(), y.cut.end(), std::copy(y.q.begin(), y.q.end(), q_.begin()));
    std::copy(y.v.begin(), y.v.end(), v_.begin());
    // The sweep goes on reading the modes: they must be those that stand, whatever becomes of y.
    const JointState::Parts here = state_.split_moving(placed_);
    sweep_.kinematics(here.q.data(), here.v.data(), here.eta.data(), here.etadot.data());
    motions_ = sweep_.motions(here.v.data());
    loops_.evaluate(motions_, q_, v_);
    stands_ = true;
  }
  JointState::tell_left_out(y, loops_);
  return standing();
}

}  // namespace polyform
