// Digits that the recursion has lost between light and heavy bodies: noticed by what is left of the conditions of the
// joints, and won back by solving for that.
//
// What is left is the moment or work that a joint ought not to bear (Eq 2.18, Steps 3 and 4),
//
//   rest = −Hᵀ F,   F = Σ outboard (momentum rates − loads)        and of cut joints what their constraints miss
//
// It is summed with twice the digits from the rates of the joints, and the same recursion solved for it, without
// velocity terms, loads and weight, gives what is missing.
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

Recursion::Refinement::Refinement() = default;
Recursion::Refinement::~Refinement() = default;
void Recursion::Refinement::resize(std::size_t bodies, std::size_t of_rates) {
  for (auto* v : {&fine_z, &fine_force}) v->resize(bodies);
  for (auto* v : {&z, &force, &step}) v->resize(bodies);
  fine_rates.resize(of_rates);
  for (auto* v : {&rest, &rates}) v->resize(of_rates);
}

/// S and e of the single bodies, which the sums over all that they carry have replaced.
void Recursion::set_terms(const Input& in) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    set_inertia(i, in);
    set_velocity_terms(i, in);
  }
}

/// z of all bodies from the rates of the joints, as follow_joint() finds it.
void Recursion::accelerate_finely() noexcept {
  using T = DoubleDouble;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const T* rates = refinement_.fine_rates.data() + link.rate;
    SpatialVector<T> z{{}, widened<T>(-view_.gravity)};
    if (link.parent >= 0) z = refinement_.fine_z[static_cast<std::size_t>(link.parent)];
    z.linear += cross(z.angular, widened<T>(arms_[i]));
    z += widened<T>(biases_[i]);
    for (std::uint32_t k = 0; k < link.directions; ++k) z += rates[k] * widened<T>(directions_[link.direction + k].H);
    if (link.hinge == Hinge::spherical) z.angular = {rates[0], rates[1], rates[2]};
    refinement_.fine_z[i] = z;
  }
}

/// What the joints put on their outboard bodies, from z; and what of it they ought not to bear. After set_terms().
template <class T>
void Recursion::find_rest(const Input& in, const SpatialVector<T>* z, SpatialVector<T>* force) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) force[i] = momentum_rate(momenta_[i], z[i]);
  find_rest_of_loops(loops_, in.motions, to_first_, -view_.gravity, z, force);
  for (std::size_t i = links_.size(); i-- > 0;) {
    const Link& link = links_[i];
    const SpatialVector<T>& f = force[i];
    double* rest = refinement_.rest.data() + link.rate;
    for (std::uint32_t k = 0; k < link.directions; ++k)
      rest[k] = -static_cast<double>(dot(widened<T>(directions_[link.direction + k].H), f));
    if (link.hinge == Hinge::spherical) {
      const Vec3 moment = narrowed(f.angular);
      for (std::size_t k = 0; k < 3; ++k) rest[k] = -moment[k];
    }
    if (link.parent < 0) continue;
    SpatialVector<T>& parent = force[link.parent];
    parent.linear += f.linear;
    parent.angular += f.angular + cross(widened<T>(arms_[i]), f.linear);
  }
}

/// The recursion for what is missing. Rates and z of it into the refinement, multipliers on top of those that there
/// are. False when a joint has no inertia to move.
bool Recursion::solve_for_rest(const Input& in) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    set_inertia(i, in);
    momenta_[i].e = {};
    biases_[i] = {};
  }
  if (!loops_.empty()) {
    loops_.multipliers().keep();
    begin_loops(LoopClosure::Level::rest, in, {});
  }
  const bool solved = sum_momenta<true>();
  if (solved) {
    loops_.close_ground();
    for (std::size_t i = 0; i < links_.size(); ++i) follow_rest(i);
  }
  if (!loops_.empty()) loops_.multipliers().add_kept();
  return solved;
}

/// As follow_joint(), with the rates kept.
void Recursion::follow_rest(std::size_t i) noexcept {
  const Link& link = links_[i];
  Spatial z;
  if (link.parent >= 0) z = refinement_.step[static_cast<std::size_t>(link.parent)];
  z.linear = add_cross(z.linear, z.angular, arms_[i]);
  double* rates = refinement_.rates.data() + link.rate;
  for (std::uint32_t k = 0; k < link.directions; ++k) {
    const Column<double>& direction = directions_[link.direction + k];
    rates[k] = direction.rate(z) - (link.looped ? loops_.rate(i, k) : 0);
    z += rates[k] * direction.H;
  }
  if (link.hinge == Hinge::spherical) {
    z.angular = add_product(balls_[i].free, balls_[i].gain, z.linear);
    for (std::size_t k = 0; k < 3; ++k) rates[k] = z.angular[k];
  }
  refinement_.step[i] = z;
  if (link.looped) loops_.close(i, z);
}

/// Of weight, loads and turning.
ActingAccelerations Recursion::find_acting(const Input& in) const noexcept {
  double load = 0, mass = 0, reach = 0, turning = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (!in.loads.empty()) load += norm(in.loads[i].linear);
    mass += links_[i].mass;
    reach = std::max({reach, norm(arms_[i]), norm(in.triangles[i].r21)});
    turning = std::max(turning, dot(in.angular_velocities[i], in.angular_velocities[i]));
  }
  return acting_accelerations(view_.gravity, load, mass, reach, turning);
}

/// Whether z has lost more digits than are tolerated, in doubles.
bool Recursion::looks_wrong(const Input& in) noexcept {
  set_terms(in);
  find_rest<double>(in, z_.data(), refinement_.force.data());
  const bool solved = solve_for_rest(in);
  const double part = solved ? size_of_step(refinement_.step, z_, find_acting(in)) : 1;
  if (!loops_.empty()) loops_.multipliers().restore();
  return refinement_.mending.is_much(part);
}

/// Whether z_ has been changed.
bool Recursion::mend(const Input& in) noexcept {
  Refinement& refine = refinement_;
  if (!refine.mending.is_on() && !looks_wrong(in)) {
    refine.mending.found_nothing();
    return false;
  }
  const ActingAccelerations acting = find_acting(in);
  std::fill(refine.fine_rates.begin(), refine.fine_rates.end(), DoubleDouble());
  const auto accelerate = [&] {
    set_terms(in);
    accelerate_finely();
  };
  const auto find = [&] {
    accelerate();
    find_rest(in, refine.fine_z.data(), refine.fine_force.data());
    return solve_for_rest(in) ? size_of_step(refine.step, z_, acting) : 1;
  };
  const auto add = [&] {
    for (std::size_t k = 0; k < refine.rates.size(); ++k) refine.fine_rates[k] += refine.rates[k];
  };
  const auto drop = [&] {
    if (!loops_.empty()) loops_.multipliers().restore();
  };
  refine.mending.mend(Mending::Aim::accelerations, find, add, drop);
  accelerate();
  for (std::size_t i = 0; i < z_.size(); ++i) {
    const Spatial z = narrowed(refine.fine_z[i]);
    refine.step[i] = z - z_[i];
    z_[i] = z;
  }
  refine.mending.mended(size_of_step(refine.step, z_, acting));
  return true;
}

}  // namespace polyform::particles
