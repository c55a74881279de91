#include "mujoco_solver.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/observed.hpp"

namespace polyform::mujoco {
namespace {

Vec3 vector_at(const mjtNum* p) { return {p[0], p[1], p[2]}; }
Quat quaternion_at(const double* p) { return {p[0], p[1], p[2], p[3]}; }
Mat3 matrix_at(const mjtNum* rows) {
  Mat3 m;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m(r, c) = rows[3 * r + c];
  return m;
}

}  // namespace

MujocoSolver::MujocoSolver(const SystemView& system, std::string& refusal)
    : centred_(system),
      model_(MujocoModel::make(view(), refusal)),
      tree_(view()),
      forces_(view(), centred_.origin()),
      vdot_(view().nv),
      efforts_(view().nv),
      xdot_(view().states),
      right_(view().nv),
      solution_(view().nv),
      accelerations_(view().bodies.size()),
      wrenches_(view().bodies.size()),
      loads_(view().bodies.size()),
      orientations_(view().bodies.size()) {
  failure_.reserve(200);
}

void* MujocoSolver::query(std::string_view asked) noexcept {
  return asked == Kernels::interface_name ? static_cast<Kernels*>(this) : nullptr;
}

std::size_t MujocoSolver::do_state_size() const noexcept { return view().nq + view().nv + view().states; }

Status MujocoSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  auto next = std::ranges::copy(state.q, y.begin()).out;
  next = std::ranges::copy(state.v, next).out;
  std::ranges::copy(state.x, next);
  return Status::ok;
}

Status MujocoSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  std::copy_n(q(y), view().nq, state.q.begin());
  std::copy_n(v(y), view().nv, state.v.begin());
  std::ranges::copy(x(y), state.x.begin());
  return Status::ok;
}

Status MujocoSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (!find_accelerations(t, y)) return Status::failed;
  for (const JointData& joint : view().joints)
    joint_position_rates(joint, q(y) + joint.q_offset, v(y) + joint.v_offset, ydot.data() + joint.q_offset);
  const auto next = std::ranges::copy(vdot_, ydot.begin() + static_cast<std::ptrdiff_t>(view().nq)).out;
  std::ranges::copy(xdot_, next);
  return Status::ok;
}

/// Trees do not drift; quaternions are scaled back to unit length.
Status MujocoSolver::do_correct(double, std::span<double> y, Correction& out) noexcept {
  for (const JointData& joint : view().joints)
    out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
  return Status::ok;
}

Status MujocoSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  if (!find_accelerations(t, y)) return Status::failed;
  tree_.accelerations(vdot_.data(), accelerations_);
  tree_.orientations(q(y), orientations_);
  Observed observed{.motions = tree_.bodies(),
                    .orientations = orientations_,
                    .accelerations = accelerations_,
                    .state = {.q = {q(y), view().nq}, .v = {v(y), view().nv}, .x = x(y)},
                    .state_rates = xdot_,
                    .force_potential = forces_.potential_energy(),
                    .power = forces_.power()};
  fill_observation(centred_, observed, out);
  std::ranges::copy(vdot_, out.acceleration.begin());
  find_reactions(out.reactions);
  return Status::ok;
}

bool MujocoSolver::find_accelerations(double t, std::span<const double> y) noexcept {
  tree_.evaluate(q(y), v(y));
  forces_.evaluate(t, tree_.frames(), {q(y), view().nq}, {v(y), view().nv}, x(y), wrenches_, efforts_, xdot_);
  mjModel* const m = &model_->model();
  mjData* const d = &model_->data();
  set_state(q(y), v(y));
  d->warning[mjWARN_INERTIA].number = 0;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
  mj_factorM(m, d);
  mj_comVel(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  std::transform(d->qfrc_bias, d->qfrc_bias + m->nv, right_.begin(), std::negate());
  add_forces();
  mj_solveM(m, d, solution_.data(), right_.data(), 1);
  take_accelerations();
  failure_.clear();
  const bool regular = d->warning[mjWARN_INERTIA].number == 0 &&
                       std::ranges::all_of(vdot_, [](double a) { return std::isfinite(a); });
  if (!regular) failure_ = "MuJoCo finds the mass matrix singular, or an acceleration that is no finite number";
  return regular;
}

/// MuJoCo takes the angular velocity of a ball in the axes that the ball leads to.
void MujocoSolver::set_state(const double* q, const double* v) noexcept {
  mjData* const d = &model_->data();
  for (const Coordinate& c : model_->coordinates()) {
    if (c.kind != Primitive::Kind::ball) {
      d->qpos[c.qpos] = c.reversed ? -q[c.q] : q[c.q];
      d->qvel[c.qvel] = c.reversed ? -v[c.v] : v[c.v];
      continue;
    }
    const Quat given = quaternion_at(q + c.q), turn = c.reversed ? conjugate(given) : given;
    const Vec3 w = vector_at(v + c.v), own = c.reversed ? -w : transpose_times(rotation_matrix(given), w);
    std::copy_n(&turn.w, 4, d->qpos + c.qpos);
    std::copy_n(&own.x, 3, d->qvel + c.qvel);
  }
}

/// Wrenches go through MuJoCo's own Jacobians.
void MujocoSolver::add_forces() noexcept {
  mjModel* const m = &model_->model();
  mjData* const d = &model_->data();
  for (const BodyIndex body : forces_.loaded_bodies()) {
    const PlacedBody& placed = model_->body(at(body));
    const Vec3 point = vector_at(d->xpos + 3 * placed.number) + matrix_at(d->xmat + 9 * placed.number) * placed.origin;
    const Spatial& wrench = wrenches_[at(body)];
    mj_applyFT(m, d, &wrench.linear.x, &wrench.angular.x, &point.x, placed.number, right_.data());
  }
  if (!forces_.loads_joints()) return;
  for (const Coordinate& c : model_->coordinates()) {
    if (c.kind != Primitive::Kind::ball) {
      right_[c.qvel] += c.reversed ? -efforts_[c.v] : efforts_[c.v];
      continue;
    }
    const Vec3 effort = vector_at(efforts_.data() + c.v);
    const Vec3 own =
        c.reversed ? -effort : transpose_times(rotation_matrix(quaternion_at(d->qpos + c.qpos)), effort);
    right_[c.qvel] += own.x;
    right_[c.qvel + 1] += own.y;
    right_[c.qvel + 2] += own.z;
  }
}

void MujocoSolver::take_accelerations() noexcept {
  for (const Coordinate& c : model_->coordinates()) {
    if (c.kind != Primitive::Kind::ball) {
      vdot_[c.v] = c.reversed ? -solution_[c.qvel] : solution_[c.qvel];
      continue;
    }
    const Vec3 own = vector_at(solution_.data() + c.qvel);
    const Vec3 a = c.reversed ? -own : rotation_matrix(quaternion_at(model_->data().qpos + c.qpos)) * own;
    std::copy_n(&a.x, 3, vdot_.begin() + static_cast<std::ptrdiff_t>(c.v));
  }
}

/// From the tips to ground, by Newton and Euler: a joint transmits what its outboard body and all beyond need beside the
/// applied forces.
void MujocoSolver::find_reactions(std::span<Spatial> reactions) noexcept {
  const std::span<const BodyMotion> bodies = tree_.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyData& body = view().bodies[i];
    const Vec3 c = bodies[i].R * body.center_of_mass, &w = bodies[i].V.angular, &alpha = accelerations_[i].angular;
    const Sym3 inertia = rotate(bodies[i].R, body.inertia);
    const Vec3 force =
        body.mass * (accelerations_[i].linear + cross(alpha, c) + cross(w, cross(w, c)) - view().gravity);
    loads_[i] = {inertia * alpha + cross(w, inertia * w) + cross(c, force), force};
  }
  for (const BodyIndex body : forces_.loaded_bodies()) loads_[at(body)] -= wrenches_[at(body)];
  for (std::size_t i = bodies.size(); i-- > 0;) {
    const JointData& joint = view().joints[i];
    const Spatial& load = loads_[i];
    const BodyIndex inboard = joint.inboard();
    const Vec3& p = bodies[i].p;
    if (!is_ground(inboard))
      loads_[at(inboard)] += Spatial{load.angular + cross(p - bodies[at(inboard)].p, load.linear), load.linear};
    const BodyMotion& moving = motion_of(joint.moving, bodies);
    const Vec3 origin = moving.p + moving.R * joint.p_moving;
    reactions[i] =
        (joint.reversed ? -1.0 : 1.0) * Spatial{load.angular + cross(p - origin, load.linear), load.linear};
  }
}

}  // namespace polyform::mujoco
