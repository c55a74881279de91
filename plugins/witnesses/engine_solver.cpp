#include "engine_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "polyform/mechanics/observation.hpp"
#include "polyform/solvers/contradiction.hpp"
#include "polyform/solvers/observed.hpp"

namespace polyform::witnesses {
namespace {

/// Accelerations that leave this part of a row do not meet it.
constexpr double least_missed = 1e-6;

/// Those on which forces act, then others on which rows do.
std::vector<BodyIndex> loaded_bodies(const ForceSet& forces, const EngineRows& rows) {
  std::vector<BodyIndex> loaded(forces.loaded_bodies().begin(), forces.loaded_bodies().end());
  for (const BodyIndex body : rows.bodies())
    if (std::ranges::find(loaded, body) == loaded.end()) loaded.push_back(body);
  return loaded;
}

}  // namespace

EngineSolver::EngineSolver(std::unique_ptr<CentredView> centred, std::unique_ptr<Engine> engine,
                           std::string_view kernel)
    : centred_(std::move(centred)),
      engine_(std::move(engine)),
      kernel_(kernel),
      tree_(view()),
      forces_(view(), centred_->origin()),
      rows_(view(), centred_->origin()),
      loaded_(loaded_bodies(forces_, rows_)),
      closing_(view(), *engine_, tree_, rows_, loaded_),
      vdot_(view().nv),
      efforts_(view().nv),
      xdot_(view().states),
      accelerations_(view().bodies.size()),
      wrenches_(view().bodies.size()),
      forces_alone_(view().bodies.size()),
      loads_(view().bodies.size()),
      orientations_(view().bodies.size()) {
  failure_.reserve(1000);
  kinds_.assign(view().nq, StateKind::position);
  kinds_.resize(view().nq + view().nv, StateKind::velocity);
  kinds_.resize(do_state_size(), StateKind::other);
}

void* EngineSolver::query(std::string_view asked) noexcept {
  if (asked == Kernels::interface_name) return static_cast<Kernels*>(this);
  return asked == SecondOrderSystem::interface_name ? static_cast<SecondOrderSystem*>(this) : nullptr;
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
  if (!find_accelerations(t, y) || position_rates(t, y, ydot) != Status::ok) return Status::failed;
  const auto next = std::ranges::copy(vdot_, ydot.begin() + static_cast<std::ptrdiff_t>(view().nq)).out;
  std::ranges::copy(xdot_, next);
  return Status::ok;
}

Status EngineSolver::position_rates(double, std::span<const double> y, std::span<double> ydot) noexcept {
  for (const JointData& joint : view().joints)
    joint_position_rates(joint, q(y) + joint.q_offset, v(y) + joint.v_offset, ydot.data() + joint.q_offset);
  return Status::ok;
}

Status EngineSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  failure_.clear();
  if (closing_.correct(t, y, out)) return Status::ok;
  return fail(closing_.failure()), Status::failed;
}

Status EngineSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  if (!find_accelerations(t, y)) return Status::failed;
  tree_.accelerations(vdot_.data(), accelerations_);
  tree_.orientations(q(y), orientations_);
  const ElementRows& elements = rows_.elements();
  const Observed observed{
      .motions = tree_.bodies(),
      .orientations = orientations_,
      .accelerations = accelerations_,
      .state = {.q = {q(y), view().nq}, .v = {v(y), view().nv}, .x = x(y)},
      .state_rates = xdot_,
      .modules = &elements.modules(),
      .force_potential = forces_.potential_energy(),
      .power = forces_.power() + elements.modules().power() + elements.driving_power(rows_.multipliers()),
      .position_violation = std::max(engine_->position_violation(), rows_.errors().position()),
      .velocity_violation = std::max(engine_->velocity_violation(), rows_.errors().velocity())};
  fill_observation(*centred_, observed, out);
  std::ranges::copy(vdot_, out.acceleration.begin());
  find_reactions(out.reactions);
  elements.add_reactions(rows_.multipliers(), tree_.bodies(), out.reactions);
  elements.put_constraint_multipliers(rows_.multipliers(), out.constraint_multipliers);
  elements.put_module_multipliers(rows_.multipliers(), out.module_multipliers);
  return Status::ok;
}

bool EngineSolver::find_accelerations(double t, std::span<const double> y) noexcept {
  failure_.clear();
  closing_.place(t, y);
  std::ranges::fill(wrenches_, Spatial{});
  forces_.evaluate(t, tree_.frames(), {q(y), view().nq}, {v(y), view().nv}, x(y), wrenches_, efforts_, xdot_);
  return rows_.empty() ? accelerate(y) : meet_rows(y);
}

bool EngineSolver::accelerate(std::span<const double> y) noexcept {
  const Engine::Loads loads{loaded_, wrenches_,
                            forces_.loads_joints() ? std::span<const double>(efforts_) : std::span<const double>()};
  if (!engine_->accelerate(q(y), v(y), loads, vdot_)) return fail(engine_->failure());
  if (std::ranges::all_of(vdot_, [](double a) { return std::isfinite(a); })) return true;
  failure_ = "the engine gives an acceleration that is no finite number, as where a body has no inertia about a joint";
  return false;
}

/// The second pass takes away the rounding of the first, and what the engine finds in the end is what it gives.
bool EngineSolver::meet_rows(std::span<const double> y) noexcept {
  constexpr int passes = 2;
  if (!rows_.prepare(EngineRows::Level::acceleration, *engine_, q(y), loaded_)) return fail(engine_->failure());
  std::ranges::copy(wrenches_, forces_alone_.begin());
  for (int pass = 0; pass <= passes; ++pass) {
    std::ranges::copy(forces_alone_, wrenches_.begin());
    rows_.add_loads(tree_.bodies(), wrenches_);
    if (!accelerate(y)) return false;
    tree_.accelerations(vdot_.data(), accelerations_);
    if (pass < passes) rows_.meet_accelerations(accelerations_);
  }
  rows_.put_rates(xdot_);
  const EngineRows::Missed missed = rows_.missed_by(accelerations_);
  const ClosingErrors& errors = rows_.errors();
  if (!is_contradiction(missed.part, least_missed, errors.position(), errors.velocity())) return true;
  fmt::format_to(std::back_inserter(failure_),
                 "no accelerations of the engine meet `{:.100}` (relative error {:.1e}). {}", missed.element,
                 missed.part, causes_of_contradiction(view()));
  return false;
}

bool EngineSolver::fail(std::string_view why) noexcept {
  failure_ = why.substr(0, failure_.capacity());
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
  for (const BodyIndex body : loaded_) loads_[at(body)] -= wrenches_[at(body)];
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
