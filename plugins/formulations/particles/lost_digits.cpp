#include "lost_digits.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/solvers/loop_residual.hpp"
#include "recursion.hpp"

namespace polyform::particles {
namespace {

/// S z + e of one body.
template <class T>
SpatialVector<T> momentum_rate(const Transfer<double>& s, const SpatialVector<T>& z) {
  const auto row = [](const Vec3& m, const Vector3<T>& v) { return dot(widened<T>(m), v); };
  const Sym3 &a = s.aa, &u = s.uu;
  const Vector3<T> angular{row({a.xx, a.xy, a.xz}, z.angular) + row(s.au.row(0), z.linear),
                           row({a.xy, a.yy, a.yz}, z.angular) + row(s.au.row(1), z.linear),
                           row({a.xz, a.yz, a.zz}, z.angular) + row(s.au.row(2), z.linear)};
  const Vector3<T> linear{row(s.au.column(0), z.angular) + row({u.xx, u.xy, u.xz}, z.linear),
                          row(s.au.column(1), z.angular) + row({u.xy, u.yy, u.yz}, z.linear),
                          row(s.au.column(2), z.angular) + row({u.xz, u.yz, u.zz}, z.linear)};
  return SpatialVector<T>{angular, linear} + widened<T>(s.e);
}

}  // namespace

LostDigits::LostDigits(Recursion& recursion)
    : sweep_(recursion),
      fine_z_(recursion.links_.size()),
      fine_force_(recursion.links_.size()),
      fine_rates_(recursion.links_.rates),
      force_(recursion.links_.size()),
      step_(recursion.links_.size()),
      rest_(recursion.links_.rates),
      rates_(recursion.links_.rates) {}
LostDigits::~LostDigits() = default;

/// S and e of the single bodies, which the sums over all that they carry have replaced.
void LostDigits::set_terms(const PlacedBodies& in, std::span<const Spatial> loads) noexcept {
  for (std::size_t i = 0; i < sweep_.links_.size(); ++i) {
    sweep_.set_inertia(i, in);
    sweep_.set_velocity_terms(i, in, loads);
  }
}

/// z of all bodies from the rates of the joints, as follow_joint() finds it.
void LostDigits::accelerate_finely() noexcept {
  using T = DoubleDouble;
  for (std::size_t i = 0; i < sweep_.links_.size(); ++i) {
    const Link& link = sweep_.links_[i];
    const T* rates = fine_rates_.data() + link.rate;
    SpatialVector<T> z{{}, widened<T>(-sweep_.view_.gravity)};
    if (link.parent >= 0) z = fine_z_[static_cast<std::size_t>(link.parent)];
    z.linear += cross(z.angular, widened<T>(sweep_.arms_[i]));
    z += widened<T>(sweep_.biases_[i]);
    for (std::uint32_t k = 0; k < link.directions; ++k)
      z += rates[k] * widened<T>(sweep_.directions_[link.direction + k].H);
    if (link.hinge == Hinge::spherical) z.angular = {rates[0], rates[1], rates[2]};
    fine_z_[i] = z;
  }
}

/// The wrenches of the joints on their outboard bodies, from z, and their parts that the joints cannot bear. After
/// set_terms().
template <class T>
void LostDigits::find_rest(const PlacedBodies& in, const SpatialVector<T>* z, SpatialVector<T>* force) noexcept {
  for (std::size_t i = 0; i < sweep_.links_.size(); ++i) force[i] = momentum_rate(sweep_.momenta_[i], z[i]);
  find_rest_of_loops(sweep_.loops_, in.motions, sweep_.to_first_, -sweep_.view_.gravity, z, force);
  for (std::size_t i = sweep_.links_.size(); i-- > 0;) {
    const Link& link = sweep_.links_[i];
    const SpatialVector<T>& f = force[i];
    double* rest = rest_.data() + link.rate;
    for (std::uint32_t k = 0; k < link.directions; ++k)
      rest[k] = -static_cast<double>(dot(widened<T>(sweep_.directions_[link.direction + k].H), f));
    if (link.hinge == Hinge::spherical) {
      const Vec3 moment = narrowed(f.angular);
      for (std::size_t k = 0; k < 3; ++k) rest[k] = -moment[k];
    }
    if (link.parent < 0) continue;
    SpatialVector<T>& parent = force[link.parent];
    parent.linear += f.linear;
    parent.angular += f.angular + cross(widened<T>(sweep_.arms_[i]), f.linear);
  }
}

/// The recursion for what is missing. Into rates_ and step_; multipliers on top of those that there
/// are. False when a joint has no inertia to move.
bool LostDigits::solve_for_rest(const PlacedBodies& in) noexcept {
  for (std::size_t i = 0; i < sweep_.links_.size(); ++i) {
    sweep_.set_inertia(i, in);
    sweep_.momenta_[i].e = {};
    sweep_.biases_[i] = {};
  }
  if (!sweep_.loops_.empty()) {
    sweep_.loops_.multipliers().keep();
    sweep_.begin_loops(LoopClosure::Level::rest, in, {});
  }
  const bool solved = sweep_.sum_momenta<true>();
  for (std::size_t i = 0; solved && i < sweep_.links_.size(); ++i) follow_rest(i);
  if (!sweep_.loops_.empty()) sweep_.loops_.multipliers().add_kept();
  return solved;
}

/// As follow_joint(), with the rates kept.
void LostDigits::follow_rest(std::size_t i) noexcept {
  const Link& link = sweep_.links_[i];
  Spatial z;
  if (link.parent >= 0) z = step_[static_cast<std::size_t>(link.parent)];
  z.linear = add_cross(z.linear, z.angular, sweep_.arms_[i]);
  double* rates = rates_.data() + link.rate;
  for (std::uint32_t k = 0; k < link.directions; ++k) {
    const Column<double>& direction = sweep_.directions_[link.direction + k];
    rates[k] = direction.rate(z) - (link.looped ? sweep_.loops_.rate(i, k) : 0);
    z += rates[k] * direction.H;
  }
  if (link.hinge == Hinge::spherical) {
    z.angular = add_product(sweep_.balls_[i].free, sweep_.balls_[i].gain, z.linear);
    for (std::size_t k = 0; k < 3; ++k) rates[k] = z.angular[k];
  }
  step_[i] = z;
  if (link.looped) sweep_.loops_.close(i, z);
}

/// The accelerations by weight, loads and turning.
ActingAccelerations LostDigits::find_acting(const PlacedBodies& in, std::span<const Spatial> loads) const noexcept {
  double load = 0, mass = 0, reach = 0, turning = 0;
  for (std::size_t i = 0; i < sweep_.links_.size(); ++i) {
    if (!loads.empty()) load += norm(loads[i].linear);
    mass += sweep_.links_[i].mass;
    reach = std::max({reach, norm(sweep_.arms_[i]), norm(in.triangles[i].r21)});
    turning = std::max(turning, dot(in.angular_velocities[i], in.angular_velocities[i]));
  }
  return acting_accelerations(sweep_.view_.gravity, load, mass, reach, turning);
}

/// Whether z has lost more digits than are tolerated, in doubles.
bool LostDigits::looks_wrong(const PlacedBodies& in, std::span<const Spatial> loads) noexcept {
  set_terms(in, loads);
  find_rest<double>(in, sweep_.z_.data(), force_.data());
  const bool solved = solve_for_rest(in);
  const double part = solved ? size_of_step(step_, sweep_.z_, find_acting(in, loads)) : 1;
  if (!sweep_.loops_.empty()) sweep_.loops_.multipliers().restore();
  return mending_.is_much(part);
}

bool LostDigits::mend(const PlacedBodies& in, std::span<const Spatial> loads) noexcept {
  if (!mending_.is_on() && !looks_wrong(in, loads)) {
    mending_.found_nothing();
    return false;
  }
  const ActingAccelerations acting = find_acting(in, loads);
  std::fill(fine_rates_.begin(), fine_rates_.end(), DoubleDouble());
  const auto accelerate = [&] {
    set_terms(in, loads);
    accelerate_finely();
  };
  const auto find = [&] {
    accelerate();
    find_rest(in, fine_z_.data(), fine_force_.data());
    return solve_for_rest(in) ? size_of_step(step_, sweep_.z_, acting) : 1;
  };
  const auto add = [&] {
    for (std::size_t k = 0; k < rates_.size(); ++k) fine_rates_[k] += rates_[k];
  };
  const auto drop = [&] {
    if (!sweep_.loops_.empty()) sweep_.loops_.multipliers().restore();
  };
  mending_.mend(Mending::Aim::accelerations, find, add, drop);
  accelerate();
  for (std::size_t i = 0; i < sweep_.z_.size(); ++i) {
    const Spatial z = narrowed(fine_z_[i]);
    step_[i] = z - sweep_.z_[i];
    sweep_.z_[i] = z;
  }
  mending_.mended(size_of_step(step_, sweep_.z_, acting));
  return true;
}

}  // namespace polyform::particles
