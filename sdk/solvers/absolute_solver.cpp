#include "polyform/solvers/absolute_solver.hpp"

#include <algorithm>

#include "polyform/mechanics/observation.hpp"

namespace polyform {

AbsoluteSolver::AbsoluteSolver(const SystemView& view, bool project, double tolerance, const std::vector<bool>& absent)
    : centred_(view),
      view_(centred_.view()),
      system_(view_, absent, centred_.origin()),
      forces_(view_, centred_.origin()),
      tree_(view_),
      hints_(view_, discrete_),
      project_(project),
      tolerance_(tolerance) {
  kernels_.add(kernels::saddle_point);
  const std::size_t n = view.bodies.size();
  for (std::size_t j = n; project && j < view.joints.size(); ++j)
    project_stages_ = project_stages_ || absent.empty() || !absent[j];
  poses_.resize(n);
  motions_.resize(n);
  orientations_.resize(view.frames());
  for (auto* of_modes : {&eta_, &etadot_, &modal_forces_}) of_modes->resize(view.modes);
  for (auto* of_states : {&x_, &xdot_}) of_states->resize(view.states);
  q_.resize(view.nq);
  v_.resize(view.nv);
  rates_.resize(view.nq);
  wrenches_.resize(view.frames());
  efforts_.resize(view.nv);
  system_.follow(discrete_.of_elements());
  forces_.follow(discrete_.of_elements());
  kept_discrete_.resize(discrete_.values().size());
  find_kinds();
}

void AbsoluteSolver::find_kinds() {
  const auto are = [&](StateKind kind, std::size_t count) { kinds_.insert(kinds_.end(), count, kind); };
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    are(StateKind::position, 7);
    are(StateKind::velocity, 6);
  }
  are(StateKind::position, view_.modes);
  are(StateKind::velocity, view_.modes);
  are(StateKind::position, hints_.size());
  are(StateKind::other, view_.states);
}

void* AbsoluteSolver::query(std::string_view asked) noexcept {
  if (asked == PowerSource::interface_name) return static_cast<PowerSource*>(this);
  if (asked == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
  if (asked == SecondOrderSystem::interface_name) return static_cast<SecondOrderSystem*>(this);
  if (asked == DiscreteState::interface_name) return static_cast<DiscreteState*>(&discrete_);
  return asked == Equations::interface_name ? static_cast<Equations*>(this) : nullptr;
}

double AbsoluteSolver::power() noexcept {
  return forces_.power() + system_.flexible().damping_power() + system_.modules().power() + system_.driving_power();
}

void AbsoluteSolver::read(std::span<const double> y) noexcept {
  failure_ = {};
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const double* b = y.data() + 13 * i;
    const Quat orientation{b[3], b[4], b[5], b[6]};
    const Mat3 R = rotation_matrix(orientation);
    const Vec3 c = R * center_of(i);
    const Vec3 p = Vec3{b[0], b[1], b[2]} - c;
    const Vec3 w{b[7], b[8], b[9]};
    poses_[i] = {orientation, p};
    orientations_[i] = orientation;
    motions_[i] = {R, p, {w, Vec3{b[10], b[11], b[12]} - cross(w, c)}};
  }
  const double* modes = y.data() + 13 * poses_.size();
  std::copy_n(modes, view_.modes, eta_.begin());
  std::copy_n(modes + view_.modes, view_.modes, etadot_.begin());
  system_.nodes().orient(eta_.data(), orientations_);
  hints_.read(y.data() + hints_at(), orientations_, q_);
  const auto x = y.last(view_.states);
  std::copy(x.begin(), x.end(), x_.begin());
}

void AbsoluteSolver::write(std::span<double> y) const noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    double* b = y.data() + 13 * i;
    const Quat& o = poses_[i].orientation;
    const Vec3& w = motions_[i].V.angular;
    const Vec3 c = rotation_matrix(o) * center_of(i);
    const Vec3 p = poses_[i].position + c, v = motions_[i].V.linear + cross(w, c);
    for (const double value : {p.x, p.y, p.z, o.w, o.x, o.y, o.z, w.x, w.y, w.z, v.x, v.y, v.z}) *b++ = value;
  }
  double* modes = y.data() + 13 * poses_.size();
  modes = std::copy(eta_.begin(), eta_.end(), modes);
  modes = std::copy(etadot_.begin(), etadot_.end(), modes);
  hints_.write(q_, modes);
  std::copy(x_.begin(), x_.end(), y.end() - static_cast<std::ptrdiff_t>(view_.states));
}

void AbsoluteSolver::evaluate(double t) noexcept { system_.evaluate(t, motions_, q_, v_, eta_, etadot_, x_); }

/// Motions, coordinates, states and discrete states of a canonical state.
void AbsoluteSolver::take(const ConstStateView& state) noexcept {
  discrete_.encode(state);
  std::copy(state.eta.begin(), state.eta.end(), eta_.begin());
  std::copy(state.etadot.begin(), state.etadot.end(), etadot_.begin());
  std::copy(state.x.begin(), state.x.end(), x_.begin());
  tree_.evaluate(state.q.data(), state.v.data(), eta_.data(), etadot_.data());
  std::copy(tree_.bodies().begin(), tree_.bodies().end(), motions_.begin());
  std::copy(state.q.begin(), state.q.end(), q_.begin());
  tree_.orientations(state.q.data(), orientations_, eta_.data());
  for (std::size_t i = 0; i < poses_.size(); ++i) poses_[i] = {orientations_[i], motions_[i].p};
  hints_.set_signs(q_, orientations_);
}

Status AbsoluteSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  failure_ = {};
  take(state);
  write(y);
  evaluate(0);
  return check_regular() ? Status::ok : Status::failed;
}

Status AbsoluteSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  read(y);
  evaluate(0);
  put_state(state);
  return Status::ok;
}

/// The state just read and evaluated.
void AbsoluteSolver::put_state(const StateView& state) const noexcept {
  std::copy(q_.begin(), q_.end(), state.q.begin());
  std::copy(v_.begin(), v_.end(), state.v.begin());
  std::copy(eta_.begin(), eta_.end(), state.eta.begin());
  std::copy(etadot_.begin(), etadot_.end(), state.etadot.begin());
  std::copy(x_.begin(), x_.end(), state.x.begin());
  discrete_.decode(state);
}

/// Constraints and forces at the state just read.
void AbsoluteSolver::find_loads(double t) noexcept {
  evaluate(t);
  forces_.evaluate(t, system_.frames(), q_, v_, x_, wrenches_, efforts_, xdot_);
  std::fill(modal_forces_.begin(), modal_forces_.end(), 0.0);
  for (const FrameIndex f : forces_.loaded_nodes()) {
    const std::size_t node = at(f) - poses_.size();
    system_.nodes().add_wrench(node, system_.frames(), wrenches_[at(f)], wrenches_[at(view_.nodes[node].body)],
                               modal_forces_.data() + system_.nodes().mode_offset(node));
  }
  for (const BodyIndex b : forces_.loaded_bodies())
    wrenches_[at(b)].angular -= cross(system_.center(at(b)), wrenches_[at(b)].linear);
}

Status AbsoluteSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read(y);
  Correction unused;
  if (project_stages_ && !project(t, y, unused)) return Status::failed;
  find_loads(t);
  if (!solve(wrenches_, efforts_, modal_forces_, Accelerations::of_stage)) return Status::failed;
  find_position_rates(ydot);
  const double* x = system_.solution().data();
  for (std::size_t i = 0; i < poses_.size(); ++i) std::copy_n(x + system_.offset(i), 6, ydot.data() + 13 * i + 7);
  double* const modes = ydot.data() + 13 * poses_.size() + view_.modes;
  for (const FlexibleData& f : view_.flexible)
    std::copy_n(x + system_.offset(at(f.body)) + 6, f.modes, modes + f.mode_offset);
  const auto states = ydot.last(view_.states);
  std::copy(xdot_.begin(), xdot_.end(), states.begin());
  system_.module_rates(states);
  return Status::ok;
}

/// At the motions just evaluated.
void AbsoluteSolver::find_position_rates(std::span<double> ydot) noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const Spatial& V = motions_[i].V;
    const Vec3 v = V.linear + cross(V.angular, motions_[i].R * center_of(i));
    const Quat o = quaternion_rate(poses_[i].orientation, V.angular);
    double* rate = ydot.data() + 13 * i;
    for (const double value : {v.x, v.y, v.z, o.w, o.x, o.y, o.z}) *rate++ = value;
  }
  std::copy(etadot_.begin(), etadot_.end(), ydot.data() + 13 * poses_.size());
  double* rate = ydot.data() + hints_at();
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    const JointData& joint = view_.joints[h.joint];
    joint_position_rates(joint, q_.data() + joint.q_offset, v_.data() + joint.v_offset, rates_.data() + joint.q_offset);
    rate = std::copy_n(rates_.data() + h.first_q, h.count, rate);
  }
}

Status AbsoluteSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read(y);
  if (!hints_.coordinates().empty()) evaluate(t);  // for the velocities of the joints
  find_position_rates(ydot);
  return Status::ok;
}

/// Moves the bodies just read onto the constraints and makes their velocities fit.
bool AbsoluteSolver::project(double t, std::span<const double> y, Correction& out) noexcept {
  for (Pose& pose : poses_) pose.orientation = normalized(pose.orientation);
  PositionCorrection position;
  if (!system_.correct_positions(t, poses_, q_, tolerance_, position, eta_, x_)) return fail(system_.failure());
  out.position_residual = position.residual_before;
  out.iterations = position.iterations;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    // The mass centre (of a flexible body: the frame origin) keeps its velocity when the body is moved.
    const double* b = y.data() + 13 * i;
    const Mat3 R = rotation_matrix(poses_[i].orientation);
    const Vec3& w = motions_[i].V.angular;
    const Vec3 v{b[10], b[11], b[12]};
    motions_[i] = {R, poses_[i].position, {w, v - cross(w, R * center_of(i))}};
  }
  return system_.project_velocities(t, motions_, q_, v_, out.velocity_residual, true, eta_, etadot_, x_) ||
         fail(system_.failure());
}

Status AbsoluteSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  read(y);
  out = {};
  if (project_) {
    if (!project(t, y, out)) return Status::failed;
  } else {
    for (Pose& pose : poses_) pose.orientation = normalized(pose.orientation);
    evaluate(t);
    out.position_residual = system_.position_violation();
    out.velocity_residual = system_.velocity_violation();
  }
  write(y);
  return Status::ok;
}

Status AbsoluteSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  read(y);
  find_loads(t);
  if (!solve(wrenches_, efforts_, modal_forces_, Accelerations::shown) || !check_rows()) return Status::failed;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const Spatial a = system_.origin_acceleration(i);
    out.bodies[i] = {{normalized(poses_[i].orientation), centred_.origin() + poses_[i].position},
                     motions_[i].V.linear,
                     motions_[i].V.angular,
                     a.linear,
                     a.angular};
  }
  put_state(out.state());
  for (const FlexibleData& f : view_.flexible)
    std::copy_n(system_.solution().data() + system_.offset(at(f.body)) + 6, f.modes,
                out.modal_acceleration.data() + f.mode_offset);
  std::copy(xdot_.begin(), xdot_.end(), out.state_rates.begin());
  system_.module_rates(out.state_rates);
  system_.module_multipliers(out.module_multipliers);
  system_.joint_accelerations(out.acceleration);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) out.reactions[j] = system_.reaction(j);
  const FlexibleSet& flexible = system_.flexible();
  const ModuleSet& modules = system_.modules();
  out.kinetic_energy = kinetic_energy(view_, motions_, flexible, etadot_.data()) + modules.kinetic_energy();
  out.potential_energy = centred_.potential_at_origin() + gravity_potential(view_, motions_, eta_.data()) +
                         forces_.potential_energy() + flexible.strain_energy() + modules.potential_energy();
  out.power = power();
  out.position_violation = system_.position_violation();
  out.velocity_violation = system_.velocity_violation();
  return Status::ok;
}

Status AbsoluteSolver::do_form(double t, const ConstStateView& state, EquationValues& out) noexcept {
  const KeptDiscrete of_the_solver(discrete_, kept_discrete_);
  take(state);
  find_loads(t);
  system_.set_loads(wrenches_, efforts_, modal_forces_);
  const std::size_t unknowns = system_.offset(system_.blocks());
  for (const std::span<double> part : {out.M, out.A}) std::fill(part.begin(), part.end(), 0.0);
  std::copy(system_.loads().begin(), system_.loads().end(), out.f.begin());
  std::copy(system_.right().begin(), system_.right().end(), out.b.begin());
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    const std::size_t first = system_.offset(i), size = system_.size(i);
    if (i >= poses_.size() || view_.bodies[i].flexible != rigid) {
      for (std::size_t r = 0; r < size; ++r)
        std::copy_n(system_.mass_matrix(i).data() + r * size, size, &out.M[(first + r) * unknowns + first]);
      continue;
    }
    const Mat3 J = system_.inertia(i).full();
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) out.M[(first + r) * unknowns + first + c] = J(r, c);
      out.M[(first + 3 + r) * (unknowns + 1)] = view_.bodies[i].mass;
    }
  }
  for (std::size_t tie = 0; tie < system_.ties(); ++tie)
    for (std::size_t k = 0; k < system_.tied_blocks(tie); ++k) {
      const AbsoluteSystem::Coefficients c = system_.coefficients(tie, k);
      const std::size_t own = c.own.size() / system_.rows(tie);
      for (std::size_t r = 0; r < system_.rows(tie); ++r) {
        double* row = &out.A[(system_.first_row(tie) + r) * unknowns + system_.offset(c.block)];
        for (std::size_t e = 0; e < 6 && !c.frame.empty(); ++e) *row++ = c.frame[r][e];
        std::copy_n(c.own.data() + r * own, own, row);
      }
    }
  return Status::ok;
}

}  // namespace polyform
