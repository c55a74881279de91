#include "polyform/solvers/joint_dynamics.hpp"

#include <algorithm>

#include "polyform/solvers/postponed_hinges.hpp"

namespace polyform {

JointDynamics::JointDynamics(const SystemView& view, const MakeSweep& make)
    : centred_(view),
      view_(centred_.view()),
      state_(view_),
      discrete_(view_),
      left_out_(discrete_),
      flexible_(view_),
      loops_(view_, flexible_, centred_.origin(), postponed_hinges(view_)),
      sweep_(make(view_, loops_)),
      placement_(view_, state_, *sweep_, loops_, left_out_),
      loads_(view_, centred_.origin(), loops_),
      failure_(view_, loops_.constraints(), loads_) {
  for (std::size_t i = 0; i < loops_.layout().count(); ++i)
    left_out_.add(loops_.constraints().name(i), loops_.layout().loop(i).rows);
  if (!loops_.empty()) loops_.hold_ground_rows();
  loads_.follow(discrete_.of_elements());
  loops_.constraints().follow(discrete_.of_elements());
}

PlacedState JointDynamics::place(double t, std::span<const double> y) noexcept {
  const JointState::Parts parts = state_.split(y);
  return loops_.empty() ? PlacedState{{}, parts.q, parts.v} : placement_.place(t, parts);
}

Status JointDynamics::solve(double t, std::span<const double> y, const JointRates& out, bool observing,
                            PlacedState& here) noexcept {
  const JointState::Parts parts = state_.split(y);
  here = placement_.place(t, parts, observing || !loads_.frames().empty());
  loads_.evaluate(t, here, parts.x, out.x);
  if (!sweep_->accelerations(loads_.frames(), loads_.wrenches(), loads_.efforts(), out.v, out.eta, observing)) {
    failure_.cannot_solve(sweep_->failure(), y);
    return Status::failed;
  }
  const ElementRows& elements = loops_.constraints().elements();
  if (elements.has_modules()) {
    if (const std::string_view unheld = elements.variables().unheld(); !unheld.empty()) {
      failure_.leaves_free(unheld);
      return Status::failed;
    }
    elements.variables().put_rates(out.x);
  }
  lost_.part = sweep_->lost();
  failure_.clear();
  return Status::ok;
}

Status JointDynamics::find_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  PlacedState here;
  if (solve(t, y, state_.rates(ydot), false, here) == Status::failed) return Status::failed;
  find_position_rates(y, here, ydot);
  return Status::ok;
}

void JointDynamics::find_position_rates(std::span<const double> y, const PlacedState& here,
                                        std::span<double> ydot) noexcept {
  sweep_->position_rates(y.data(), y.data() + view_.nq_tree, ydot.data());
  std::copy_n(y.data() + state_.joints() + view_.modes, view_.modes, ydot.data() + state_.joints());
  for (const JointData& cut : view_.cut_joints())
    joint_position_rates(cut, here.q.data() + cut.q_offset, here.v.data() + cut.v_offset,
                         ydot.data() + state_.uncut() + (cut.q_offset - view_.nq_tree));
}

}  // namespace polyform
