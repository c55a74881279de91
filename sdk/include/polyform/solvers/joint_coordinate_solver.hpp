// Solvers in joint coordinates: state, forces, loops and observations around a sweep over the spanning tree.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "polyform/solvers/centred_view.hpp"
#include "polyform/solvers/contradiction.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/solvers/joint_state.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/lost_digits.hpp"
#include "polyform/mechanics/observation.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/solvers/recursion.hpp"
#include "polyform/solvers/rows_left_out.hpp"

namespace polyform {

/// Back onto the loops after each step.
struct LoopCorrection {
  bool on = true;
  double tolerance = 1e-10;   ///< largest constraint residual that is left: m, rad, m/s, rad/s
};

/// A solver with the state of joint_state.hpp. Sweep: what evaluates the method, with the functions of Recursion; any other
/// carries trees of rigid bodies only.
template <class Sweep>
class JointCoordinateSolver : public Solver, public PowerSource, public SecondOrderSystem {
  static constexpr bool closes_loops = std::is_same_v<Sweep, Recursion>;

 public:
  /// For a sweep over trees with loops.
  JointCoordinateSolver(const SystemView& view, const LoopCorrection& correction)
      : JointCoordinateSolver(view, correction, loops_) {}
  virtual ~JointCoordinateSolver() = default;

  bool good() const { return forces_.good() && flexible_.good(); }
  std::string_view failure() const noexcept override { return failure_; }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == LostDigits::interface_name) return &lost_;
    if (asked == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
    if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
    if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&discrete_);
    return asked == PowerSource::interface_name ? static_cast<PowerSource*>(this) : nullptr;
  }
  double power() noexcept override { return forces_.power() + flexible_.set().damping_power(); }
  std::span<const StateKind> kinds() const noexcept override { return state_.kinds(); }
  Status position_rates(double, std::span<const double> y, std::span<double> ydot) noexcept override {
    if (!loops_.empty()) place(state_.split(y));
    return find_position_rates(y, ydot);
  }

 protected:
  /// argument: what the sweep is made with, after the view.
  template <class Argument>
  JointCoordinateSolver(const SystemView& view, const LoopCorrection& correction, Argument& argument)
      : centred_(view), view_(centred_.view()), state_(view_), correction_(correction), flexible_(view_),
        loops_(view_, flexible_), sweep_(view_, argument), forces_(view_, centred_.origin()), tree_(view_), q_(view.nq), v_(view.nv), efforts_(view.nv), vdot_(view.nv), etaddot_(view.modes),
        xdot_(view.states), rest_(std::max(view.nv_tree, view.modes)), step_(view.nv_tree + view.modes),
        wrenches_(view.frames()), accelerations_(view.frames()), orientations_(view.frames()) {
    failure_.reserve(400);
    if (closes_loops)
      for (const std::string_view kernel : {kernels::hinge_elimination, kernels::tree_recursion}) kernels_.add(kernel);
    if (!loops_.empty()) kernels_.add(kernels::loop_closure);
    for (const JointData& cut : view_.cut_joints()) left_out_.add(cut.name, 6 - cut.nv);
    kept_discrete_.resize(discrete_.values().size());
    forces_.follow(discrete_.of_elements());
    closed_.resize(do_state_size());
    if (!loops_.empty()) placed_.resize(state_.moving() + (view.nq - view.nq_tree));
    // Efforts on cut joints act as wrenches on the frames that these tie.
    for (const BodyIndex b : forces_.loaded_bodies()) loaded_.push_back(frame_of(b));
    loaded_.insert(loaded_.end(), forces_.loaded_nodes().begin(), forces_.loaded_nodes().end());
    if (forces_.loads_joints()) loaded_.insert(loaded_.end(), loops_.tied_frames().begin(), loops_.tied_frames().end());
    std::sort(loaded_.begin(), loaded_.end());
    loaded_.erase(std::unique(loaded_.begin(), loaded_.end()), loaded_.end());
  }

  /// Motions of all frames; with loops also q_ and v_ of all joints and the constraints of the cut ones. The end of a
  /// step, where it was corrected, is the start of the next one and stands already.
  std::span<const BodyMotion> place(const JointState::Parts& y) noexcept {
    if (loops_.empty()) {
      sweep_.kinematics(y.q.data(), y.v.data(), y.eta.data(), y.etadot.data());
      return loaded_.empty() ? std::span<const BodyMotion>() : sweep_.motions(y.v.data());
    }
    const std::span<const double> moving(y.q.data(), state_.moving());  // q v η η̇ stand together
    const auto cut = placed_.begin() + static_cast<std::ptrdiff_t>(moving.size());
    if (!is_placed_ || !std::equal(moving.begin(), moving.end(), placed_.begin()) ||
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
      is_placed_ = true;
    }
    for (std::size_t i = 0; i < left_out_.groups(); ++i) loops_.leave_out(i, static_cast<unsigned>(left_out_[i]));
    return motions_;
  }

  /// At the end of a step: y back onto the loops. False with a failure when that is not possible.
  virtual bool return_to_loops(std::span<double> y, Correction& out) noexcept { return close(y, out); }

  /// Newton's method on the positions of the cut joints, then their velocities, each step the least in the metric of the
  /// inertia. It goes on to round-off: next to a singular position a residual moves the mechanism by many times its own
  /// size.
  bool close(std::span<double> y, Correction& out) noexcept {
    const JointState::Parts parts = state_.split(y);
    place(parts);
    double residual = loops_.position_violation();
    out.position_residual = std::max(out.position_residual, residual);
    out.velocity_residual = loops_.velocity_violation();
    if (!correction_.on) return kept(y);
    const double speed = loops_.speed();
    double change = 0;
    ClosingSteps steps(residual);
    while (!(residual <= std::min(correction_.tolerance, loops_.position_rounding()))) {
      if (!steps.go_on()) return cannot_close(out.iterations);
      if (!find_lightest_step(parts, LoopClosure::Level::position)) return blame(y) == Status::ok;
      state_.move(y, step_);
      ++out.iterations;
      place(parts);
      const double before = std::exchange(residual, loops_.position_violation());
      steps.made(residual);
      if (has_come_to_rounding(residual, before, accepted_position())) break;
    }
    for (int passes = 0; passes < 2 && loops_.velocity_violation() > loops_.velocity_rounding(); ++passes) {
      if (!find_lightest_step(parts, LoopClosure::Level::velocity)) return blame(y) == Status::ok;
      keep_left_out();
      state_.accelerate(y, step_);
      change = std::max(change, largest(step_));
      place(parts);
    }
    return !is_abrupt(change, speed) && kept(y);
  }
  /// Residuals that count as closed: nothing is below rounding.
  double accepted_position() const { return std::max(correction_.tolerance, loops_.position_rounding()); }
  double accepted_velocity() const { return std::max(correction_.tolerance, loops_.velocity_rounding()); }

  /// The rows that the loops leave out become those of the state.
  void keep_left_out() noexcept {
    for (std::size_t i = 0; i < left_out_.groups(); ++i) left_out_.keep(i, loops_.left_out(i));
  }
  /// y with the turns of the cut joints as placed.
  bool kept(std::span<double> y) const noexcept {
    state_.keep_turns(y, q_);
    return true;
  }
  static double largest(std::span<const double> x) noexcept {
    double most = 0;
    for (const double value : x) most = std::max(most, std::abs(value));
    return most;
  }
  /// Whether a correction has changed the velocities so much that it invents a motion rather than removes an error.
  bool is_abrupt(double change, double speed) noexcept {
    if (!(change > 0.1 * speed)) return false;
    fmt::format_to_n(std::back_inserter(failure_), 400,
                     "to close the loop of joint `{:.60}` its velocities would have to change by {:.2g} within a step (m/s "
                     "or rad/s; the largest is {:.2g}). Likely cause: too long a step past a singular position",
                     view_.joints[loops_.worst_joint()].name, change, speed);
    return true;
  }
  bool cannot_close(std::size_t steps) noexcept {
    fmt::format_to_n(std::back_inserter(failure_), 400,
                     "the loop of joint `{:.60}` cannot be closed: after {} Newton steps it is off by {:.2e} (m or rad). "
                     "Likely causes: too long a time step, or a mechanism at its limit position",
                     view_.joints[loops_.worst_joint()].name, steps, loops_.position_violation());
    return false;
  }

  const JointState& state() const { return state_; }
  LoopClosure& loops() { return loops_; }
  std::span<const BodyMotion> motions() const { return motions_; }   ///< with loops: as placed
  Sweep& sweep() { return sweep_; }

  std::size_t do_state_size() const noexcept override { return state_.size(); }

  Status do_encode(const ConstStateView& state, std::span<double> y) noexcept override {
    state_.encode(state, y);
    discrete_.encode(state);
    left_out_.clear();
    if constexpr (closes_loops) sweep_.look();
    if (loops_.empty()) return Status::ok;
    place(state_.split(y));
    if (!find_lightest_step(state_.split(y), LoopClosure::Level::velocity)) return blame(y);
    keep_left_out();
    return Status::ok;
  }

  Status do_decode(std::span<const double> y, const StateView& state) noexcept override {
    const JointState::Parts parts = state_.split(y);
    if (loops_.empty()) {
      std::copy(parts.q.begin(), parts.q.end(), state.q.begin());
      std::copy(parts.v.begin(), parts.v.end(), state.v.begin());
    } else {
      place(parts);
      std::copy(q_.begin(), q_.end(), state.q.begin());
      std::copy(v_.begin(), v_.end(), state.v.begin());
    }
    std::copy(parts.eta.begin(), parts.eta.end(), state.eta.begin());
    std::copy(parts.etadot.begin(), parts.etadot.end(), state.etadot.begin());
    std::copy(parts.x.begin(), parts.x.end(), state.x.begin());
    discrete_.decode(state);
    return Status::ok;
  }

  /// The stages of an integrator lie beside the loops by the square of the step. Near a singular position that would be
  /// blown up: there the derivative is that of the nearest closed state, in the metric of the inertia: what brings a stage
  /// back does then no more work than the constraint forces that it went without.
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    if (find_rates(t, y, ydot) == Status::failed) return Status::failed;
    if (loops_.empty() || !correction_.on || !loops_.is_nearly_singular() ||
        loops_.position_violation() <= loops_.position_rounding())
      return Status::ok;
    std::copy(y.begin(), y.end(), closed_.begin());
    const KeptDiscrete within_the_step(discrete_, kept_discrete_);
    Correction unused;
    if (close(closed_, unused)) return find_rates(t, closed_, ydot);
    failure_.clear();  // too far from closed, which the end of the step will tell
    return Status::ok;
  }

  /// Joint coordinates of a tree satisfy every joint: only the lengths of quaternions drift, and closed loops.
  Status do_correct(double, std::span<double> y, Correction& out) noexcept override {
    out = {};
    failure_.clear();
    for (const JointData& joint : view_.tree_joints())
      out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
    return loops_.empty() || return_to_loops(y, out) ? Status::ok : Status::failed;
  }

  Status do_observe(double t, std::span<const double> y, Observation& out) noexcept override {
    if (solve(t, y, vdot_.data(), etaddot_.data(), xdot_, true) == Status::failed) return Status::failed;
    const JointState::Parts parts = state_.split(y);
    const std::span<const BodyMotion> motions = sweep_.motions(y.data() + view_.nq_tree);
    do_decode(y, out.state());
    tree_.orientations(y.data(), orientations_, parts.eta.data());
    sweep_.body_accelerations(accelerations_);
    for (std::size_t i = 0; i < out.bodies.size(); ++i)
      out.bodies[i] = {{orientations_[i], centred_.origin() + motions[i].p},
                       motions[i].V.linear,
                       motions[i].V.angular,
                       accelerations_[i].linear,
                       accelerations_[i].angular};
    std::copy(vdot_.begin(), vdot_.end(), out.acceleration.begin());
    std::copy(etaddot_.begin(), etaddot_.end(), out.modal_acceleration.begin());
    std::copy(xdot_.begin(), xdot_.end(), out.state_rates.begin());
    const double contradiction = loops_.joint_accelerations(motions, accelerations_, out.acceleration);
    if (is_contradiction(contradiction, least_contradiction_of_cuts, loops_.position_violation(),
                         loops_.velocity_violation()))
      return contradict(contradiction);
    sweep_.reactions(out.reactions);
    for (std::size_t i = 0; i < view_.cut_joints().size(); ++i)
      out.reactions[view_.bodies.size() + i] = cut_reaction(i, motions);
    const FlexibleSet& set = flexible_.set();
    out.kinetic_energy = kinetic_energy(view_, motions, set, parts.etadot.data());
    out.potential_energy = centred_.potential_at_origin() + gravity_potential(view_, motions, parts.eta.data()) +
                           forces_.potential_energy() + set.strain_energy();
    out.power = power();
    out.position_violation = loops_.position_violation();
    out.velocity_violation = loops_.velocity_violation();
    return Status::ok;
  }

 private:
  /// Into step_, from the residuals of the loops as placed: the step in positions (per velocity coordinate) or change of
  /// velocities that removes them, by the sweep at rest. False when a hinge has no inertia to move.
  bool find_lightest_step(const JointState::Parts& y, LoopClosure::Level level) noexcept {
    if constexpr (closes_loops) {
      std::fill(rest_.begin(), rest_.end(), 0.0);
      is_placed_ = false;
      sweep_.kinematics(y.q.data(), rest_.data(), y.eta.data(), rest_.data());
      sweep_.motions(rest_.data());
      return sweep_.closing_step(level, step_.data(), step_.data() + view_.nv_tree);
    }
    return false;
  }
  Status find_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
    const std::size_t etadot = state_.joints() + view_.modes, x = state_.moving();
    if (solve(t, y, ydot.data() + view_.nq_tree, ydot.data() + etadot, ydot.subspan(x, view_.states), false) ==
        Status::failed)
      return Status::failed;
    return find_position_rates(y, ydot);
  }
  /// Of the joints, the modes and, as placed, the cut joints.
  Status find_position_rates(std::span<const double> y, std::span<double> ydot) noexcept {
    sweep_.position_rates(y.data(), y.data() + view_.nq_tree, ydot.data());
    std::copy_n(y.data() + state_.joints() + view_.modes, view_.modes, ydot.data() + state_.joints());
    for (const JointData& cut : view_.cut_joints())
      joint_position_rates(cut, q_.data() + cut.q_offset, v_.data() + cut.v_offset,
                           ydot.data() + state_.uncut() + (cut.q_offset - view_.nq_tree));
    return Status::ok;
  }

  Status solve(double t, std::span<const double> y, double* vdot, double* etaddot, std::span<double> xdot,
               bool observing) noexcept {
    const JointState::Parts parts = state_.split(y);
    const std::span<const BodyMotion> motions = place(parts);
    if (!forces_.empty()) {
      if (loops_.empty())
        forces_.evaluate(t, motions, parts.q, parts.v, parts.x, wrenches_, efforts_, xdot);
      else
        evaluate_forces(t, motions, parts.x, xdot);
    }
    const bool solved = sweep_.accelerations(
        loaded_, wrenches_, forces_.loads_joints() ? std::span<const double>(efforts_) : std::span<const double>(), vdot,
        etaddot, observing);
    if (!solved) return blame(y);
    lost_.part = sweep_.lost();
    failure_.clear();
    return Status::ok;
  }

  void evaluate_forces(double t, std::span<const BodyMotion> motions, std::span<const double> x,
                       std::span<double> xdot) noexcept {
    for (const FrameIndex f : loops_.tied_frames()) wrenches_[at(f)] = {};
    forces_.evaluate(t, motions, q_, v_, x, wrenches_, efforts_, xdot);
    if (!forces_.loads_joints()) return;
    for (std::size_t i = 0; i < view_.cut_joints().size(); ++i) {
      const JointData& cut = view_.cut_joints()[i];
      const ConstraintRow w = constraint_row(cut, motion_of(cut.base_frame, motions), motion_of(cut.moving_frame, motions),
                                             cut_effort(i));
      if (!is_ground(cut.base_frame)) wrenches_[at(cut.base_frame)] += w.base;
      if (!is_ground(cut.moving_frame)) wrenches_[at(cut.moving_frame)] += w.moving;
    }
  }

  /// The wrench of the efforts on the i-th cut joint, F axes at the origin of M.
  Spatial cut_effort(std::size_t i) const noexcept {
    const JointData& cut = view_.cut_joints()[i];
    return effort_wrench(loops_.joint(i).motion, cut.nv, efforts_.data() + cut.v_offset);
  }

  /// What the i-th cut joint transmits to its moving body at the origin of M, ground axes.
  Spatial cut_reaction(std::size_t i, std::span<const BodyMotion> motions) const noexcept {
    const BodyMotion& base = motion_of(view_.cut_joints()[i].base_frame, motions);
    Spatial reaction = loops_.reaction(i, base);
    if (forces_.loads_joints()) reaction += reaction_in_ground(base, cut_effort(i));
    return reaction;
  }

  /// Rows that were left out are met where they depend on the others, unless what they ask does not.
  Status contradict(double error) noexcept {
    fmt::format_to_n(std::back_inserter(failure_), 400,
                     "the constraints contradict each other at joint `{:.60}`: no accelerations satisfy them all (relative "
                     "error {:.1e}). {}",
                     view_.joints[loops_.worst_joint()].name, error, causes_of_contradiction(view_));
    return Status::failed;
  }

  /// Why the sweep failed.
  Status blame(std::span<const double> y) noexcept {
    const std::size_t failed = sweep_.failed_joint();
    failure_.clear();
    const auto finite = [](double x) { return std::isfinite(x); };
    if (const char* reason = obstacle()) {
      fmt::format_to_n(std::back_inserter(failure_), 400, "joint `{:.60}` {}", view_.joints[failed].name, reason);
    } else if (!std::all_of(y.begin(), y.end(), finite) || !std::all_of(efforts_.begin(), efforts_.end(), finite)) {
      failure_ = "the state or a force is not finite: it has gone astray, or the step is too long";
    } else if (failed_in_mode()) {
      fmt::format_to_n(std::back_inserter(failure_), 400, "a mode of body `{:.60}` moves no mass", view_.bodies[failed].name);
    } else {
      fmt::format_to_n(std::back_inserter(failure_), 400,
                       "joint `{:.60}` moves body `{:.60}` without any inertia against it, or with so little that it is "
                       "lost in rounding{}",
                       view_.joints[failed].name, view_.bodies[failed].name,
                       loops_.carries(failed) ? "; another cut joint in its loop may give it some (`cut: true`)" : "");
    }
    return Status::failed;
  }
  bool failed_in_mode() const noexcept {
    if constexpr (closes_loops) return sweep_.failed_in_mode();
    else return false;
  }
  /// Why a sweep of the paper failed, where the joint has inertia to move; nullptr where it has none.
  const char* obstacle() const noexcept {
    if constexpr (closes_loops) return nullptr;
    else return sweep_.failure();
  }

  CentredView centred_;
  const SystemView& view_;  ///< the centred one
  JointState state_;
  DiscreteValues discrete_{view_};
  RowsLeftOut left_out_{discrete_};             ///< per cut joint
  std::vector<std::int32_t> kept_discrete_;     ///< room for discrete_ while a stage is brought onto the loops
  LoopCorrection correction_;
  FlexibleLinks flexible_;
  LoopClosure loops_;
  Sweep sweep_;
  ForceSet forces_;
  TreeKinematics tree_;
  std::vector<FrameIndex> loaded_;
  std::vector<double> q_, v_;        ///< of all joints, in use when there are loops
  std::vector<double> efforts_, vdot_, etaddot_, xdot_, rest_;
  std::vector<double> step_;         ///< per velocity coordinate of the tree joints, then per mode
  std::vector<double> closed_;       ///< y of a stage, brought onto the loops
  std::vector<double> placed_;       ///< q, v, η, η̇ and the cut joints' coordinates of what stands
  bool is_placed_ = false;
  std::span<const BodyMotion> motions_;
  std::vector<Spatial> wrenches_, accelerations_;
  std::vector<Quat> orientations_;
  LostDigits lost_;
  KernelList kernels_;
  std::string failure_;
};

}  // namespace polyform
