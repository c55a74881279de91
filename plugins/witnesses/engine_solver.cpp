#include "engine_solver.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/observed.hpp"

namespace polyform::witnesses {

EngineSolver::EngineSolver(std::unique_ptr<CentredView> centred, std::unique_ptr<Engine> engine,
                           std::string_view kernel)
    : centred_(std::move(centred)),
      engine_(std::move(engine)),
      kernel_(kernel),
      tree_(view()),
      forces_(view(), centred_->origin()),
      vdot_(view().nv),
      efforts_(view().nv),
      xdot_(view().states),
      accelerations_(view().bodies.size()),
      wrenches_(view().bodies.size()),
      loads_(view().bodies.size()),
      orientations_(view().bodies.size()) {
  failure_.reserve(1000);
}

void* EngineSolver::query(std::string_view asked) noexcept {
  return asked == Kernels::interface_name ? static_cast<Kernels*>(this) : nullptr;
}

std::size_t EngineSolver::do_state_size() const noexcept { return view().nq + view().nv + view().states; }

Status EngineSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  auto next = std::ranges::copy(state.q, y.begin()).out;
  next = std::ranges::copy(state.v, next).out;
  std::ranges::copy(state.x, next);
  return Status::ok;
}

Status EngineSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  std::copy_n(q(y), view().nq, state.q.begin());
  std::copy_n(v(y), view().nv, state.v.begin());
  std::ranges::copy(x(y), state.x.begin());
  return Status::ok;
}

Status EngineSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (!find_accelerations(t, y)) return Status::failed;
  for (const JointData& joint : view().joints)
    joint_position_rates(joint, q(y) + joint.q_offset, v(y) + joint.v_offset, ydot.data() + joint.q_offset);
  const auto next = std::ranges::copy(vdot_, ydot.begin() + static_cast<std::ptrdiff_t>(view().nq)).out;
  std::ranges::copy(xdot_, next);
  return Status::ok;
}

/// Trees do not drift: there quaternions alone are scaled back to unit length.
Status EngineSolver::do_correct(double, std::span<double> y, Correction& out) noexcept {
  for (const JointData& joint : view().joints)
    out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
  if (view().cut_joints().empty()) return Status::ok;
  failure_.clear();
  if (engine_->correct(y.data(), y.data() + view().nq, out)) return Status::ok;
  fail();
  return Status::failed;
}

Status EngineSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  if (!find_accelerations(t, y)) return Status::failed;
  tree_.accelerations(vdot_.data(), accelerations_);
  tree_.orientations(q(y), orientations_);
  const Observed observed{.motions = tree_.bodies(),
                          .orientations = orientations_,
                          .accelerations = accelerations_,
                          .state = {.q = {q(y), view().nq}, .v = {v(y), view().nv}, .x = x(y)},
                          .state_rates = xdot_,
                          .force_potential = forces_.potential_energy(),
                          .power = forces_.power(),
                          .position_violation = engine_->position_violation(),
                          .velocity_violation = engine_->velocity_violation()};
  fill_observation(*centred_, observed, out);
  std::ranges::copy(vdot_, out.acceleration.begin());
  find_reactions(out.reactions);
  return Status::ok;
}

bool EngineSolver::find_accelerations(double t, std::span<const double> y) noexcept {
  tree_.evaluate(q(y), v(y));
  forces_.evaluate(t, tree_.frames(), {q(y), view().nq}, {v(y), view().nv}, x(y), wrenches_, efforts_, xdot_);
  failure_.clear();
  const Engine::Loads loads{forces_.loaded_bodies(), wrenches_,
                            forces_.loads_joints() ? std::span<const double>(efforts_) : std::span<const double>()};
  if (!engine_->accelerate(q(y), v(y), loads, vdot_)) return fail();
  if (std::ranges::all_of(vdot_, [](double a) { return std::isfinite(a); })) return true;
  failure_ = "the engine gives an acceleration that is no finite number, as where a body has no inertia about a joint";
  return false;
}

bool EngineSolver::fail() noexcept {
  failure_ = engine_->failure().substr(0, failure_.capacity());
  return false;
}

/// From the tips to ground, by Newton and Euler: a joint transmits what its outboard body and all beyond need, less the
/// applied forces and what cut joints transmit.
void EngineSolver::find_reactions(std::span<Spatial> reactions) noexcept {
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
  const auto add = [&](BodyIndex body, const Vec3& point, const Spatial& wrench) {
    if (is_ground(body)) return;
    loads_[at(body)] += Spatial{wrench.angular + cross(point - bodies[at(body)].p, wrench.linear), wrench.linear};
  };
  const auto origin_of = [&](const JointData& joint) {
    const BodyMotion& moving = motion_of(joint.moving, bodies);
    return moving.p + moving.R * joint.p_moving;
  };
  engine_->cut_reactions(reactions.subspan(bodies.size()));
  for (std::size_t k = bodies.size(); k < reactions.size(); ++k) {
    const JointData& joint = view().joints[k];
    add(joint.moving, origin_of(joint), Spatial{} - reactions[k]);
    add(joint.base, origin_of(joint), reactions[k]);
  }
  for (std::size_t i = bodies.size(); i-- > 0;) {
    const JointData& joint = view().joints[i];
    const Spatial load = loads_[i];
    const Vec3 &p = bodies[i].p, origin = origin_of(joint);
    add(joint.inboard(), p, load);
    reactions[i] = (joint.reversed ? -1.0 : 1.0) * Spatial{load.angular + cross(p - origin, load.linear), load.linear};
  }
}

}  // namespace polyform::witnesses
