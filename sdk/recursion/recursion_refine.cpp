// Digits that the recursion has lost: noticed by the residual of its result, and won back by solving for that residual.
//
// S − S H D⁻¹ Hᵀ S between a light and a heavy body is a small difference of large numbers. With the ratio κ of the two
// inertias the recursion loses about κ² of its digits: S H ought to be zero where D is small and has the rounding of S
// there, which comes in twice over D. The residual
//
//   rest = τ − Hᵀ F,   F = Σ outboard (inertia · z + gyroscopic terms − loads)        and of loops   g − Eᵀ z
//
// is formed with no such difference, from the coordinates' rates alone, and the same recursion solved for it, at rest
// and without loads, gives what is missing. As the residual is formed with twice the digits, each such step takes the
// error times what the recursion gets wrong, down to the last digit of a double.
#include <algorithm>
#include <cmath>

#include "polyform/solvers/loop_residual.hpp"
#include "polyform/solvers/recursion.hpp"

namespace polyform {
namespace {

template <class T>
Vector3<T> times(const Mat3& m, const Vector3<T>& v) {
  const auto row = [&](std::size_t k) { return dot(widened<T>(m.row(k)), v); };
  return {row(0), row(1), row(2)};
}

/// Inertia · z and the gyroscopic terms, at P.
template <class T>
SpatialVector<T> inertia_force(const Inertia<double>& body, const Vec3& omega, const SpatialVector<T>& z) {
  const Vector3<T> a = widened<T>(body.a), b = widened<T>(body.b), c = widened<T>(body.moment);
  const Vec3 spin = dot(body.a, omega) * body.a + dot(body.b, omega) * body.b;
  SpatialVector<T> f = widened<T>(Spatial{cross(omega, spin), cross(omega, cross(omega, body.moment))});
  f.angular += T(body.least) * z.angular + dot(a, z.angular) * a + dot(b, z.angular) * b + cross(c, z.linear);
  f.linear += T(body.mass) * z.linear + cross(z.angular, c);
  return f;
}

}  // namespace

Recursion::Refinement::Refinement(std::size_t bodies, std::size_t velocities)
    : fine_z(bodies),
      fine_force(bodies),
      fine_rates(velocities),
      z(bodies),
      force(bodies),
      no_beta(bodies),
      omega(bodies),
      rest(velocities),
      step(velocities) {}
Recursion::Refinement::~Refinement() = default;

/// z of all bodies from the rates of the coordinates, as roots_to_tips() finds both. The rates have twice the digits
/// too: the rounding of those of a heavy body is a force on the light ones further in.
void Recursion::accelerate_finely() noexcept {
  using T = DoubleDouble;
  const std::vector<T>& rates = refinement_.fine_rates;
  std::vector<SpatialVector<T>>& z = refinement_.fine_z;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const Work &work = work_[i], &in = inboard(link);
    SpatialVector<T> a{{}, widened<T>(ground_)};
    if (link.parent >= 0) {
      a = z[static_cast<std::size_t>(link.parent)];
      a.linear += widened<T>(cross(in.omega, cross(in.omega, work.r))) + cross(a.angular, widened<T>(work.r));
    }
    if (link.hinge == Hinge::ball) {
      Vector3<T> w{rates[link.v], rates[link.v + 1], rates[link.v + 2]};
      if (link.turned) w = times(transpose(frames_[i].base_K), w);
      if (link.reversed)
        a.angular -= times(work.R, w) + widened<T>(cross(work.omega, in.omega));
      else
        a.angular += times(in.R, w) + widened<T>(cross(in.omega, work.omega));
    } else if (link.hinge != Hinge::fixed) {
      a += widened<T>(beta_[i]);
      for (std::uint32_t k = 0; k < link.count; ++k)
        a += rates[link.v + k] * widened<T>(columns_[link.first + k].H);
    }
    z[i] = a;
  }
}

/// What the hinges put on their outboard bodies, from z; and what of it is missing along their directions.
template <class T>
void Recursion::find_rest(const SpatialVector<T>* z, SpatialVector<T>* force, const double* efforts) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    force[i] = inertia_force(bodies_[i].turned(work_[i].R), work_[i].omega, z[i]);
    force[i] -= widened<T>(load_[i]);
  }
  find_rest_of_loops(loops_, motions_, arms_, ground_, z, force);
  for (std::size_t i = links_.size(); i-- > 0;) {
    const Link& link = links_[i];
    const SpatialVector<T>& f = force[i];
    double* rest = refinement_.rest.data() + link.v;
    const auto effort = [&](std::uint32_t k) { return efforts != nullptr ? efforts[link.v + k] : 0.0; };
    if (link.hinge == Hinge::ball) {
      // The moments come in the axes of the coordinates; what is missing is turned there.
      const Vec3 local = transpose_times(frames_[i].base_K, Vec3{effort(0), effort(1), effort(2)});
      const Mat3& R = link.reversed ? work_[i].R : inboard(link).R;
      const double sign = link.reversed ? -1.0 : 1.0;
      const Vec3 missing = frames_[i].base_K *
                           transpose_times(R, sign * narrowed(T(sign) * times(R, widened<T>(local)) - f.angular));
      for (std::size_t k = 0; k < 3; ++k) rest[k] = missing[k];
    } else {
      for (std::uint32_t k = 0; k < link.count; ++k)
        rest[k] = static_cast<double>(T(effort(k)) - dot(widened<T>(columns_[link.first + k].H), f));
    }
    if (link.parent < 0) continue;
    SpatialVector<T>& parent = force[link.parent];
    parent.linear += f.linear;
    parent.angular += f.angular + cross(widened<T>(work_[i].r), f.linear);
  }
}

/// The recursion for what is missing: at rest, without loads and gravity. Into refinement_.step, and for loops on top
/// of the multipliers. False when a hinge has no inertia to move.
bool Recursion::solve_for_rest() noexcept {
  Refinement& refine = refinement_;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    refine.omega[i] = work_[i].omega;
    work_[i].omega = {};
  }
  beta_.swap(refine.no_beta);
  const Vec3 ground = std::exchange(ground_, Vec3{});
  if (!loops_.empty()) {
    loops_.keep_multipliers();
    begin_loops(LoopClosure::Level::rest);
  }
  const bool solved = tips_to_roots(false, refine.rest.data(), false);
  if (solved) roots_to_tips(refine.step.data(), nullptr);
  if (!loops_.empty()) loops_.add_kept_multipliers();
  ground_ = ground;
  beta_.swap(refine.no_beta);
  for (std::size_t i = 0; i < links_.size(); ++i) work_[i].omega = refine.omega[i];
  return solved;
}

/// The step relative to the rates, each against its own and least_share of the largest that the motion or what acts
/// asks for: of rotations and of translations. What turns evenly has rates of rounding: of its gyroscopic terms.
double Recursion::size_of_step(const double* vdot) const noexcept {
  double acting = 0, mass = 0, reach = 0, turning = 0, largest[2] = {};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    acting += norm(load_[i].linear);
    turning = std::max(turning, dot(refinement_.omega[i], refinement_.omega[i]));
    mass += bodies_[i].mass;
    reach = std::max(reach, norm(work_[i].r) + (bodies_[i].mass > 0 ? norm(bodies_[i].moment) / bodies_[i].mass : 0));
    for (std::uint32_t k = 0; k < links_[i].count; ++k) {
      double& most = largest[is_turn(i, k) ? 0 : 1];
      most = std::max(most, std::abs(vdot[links_[i].v + k]));
    }
  }
  const ActingAccelerations acts = acting_accelerations(ground_, acting, mass, reach, turning);
  largest[0] = std::max(largest[0], acts.angular);
  largest[1] = std::max(largest[1], acts.linear);
  double part = 0;
  for (std::size_t i = 0; i < links_.size(); ++i)
    for (std::uint32_t k = 0; k < links_[i].count; ++k) {
      const std::size_t v = links_[i].v + k;
      const double step = std::abs(refinement_.step[v]);
      if (step > 0) part = std::max(part, step / (std::abs(vdot[v]) + least_share * largest[is_turn(i, k) ? 0 : 1]));
    }
  return part;
}

bool Recursion::is_turn(std::size_t body, std::uint32_t k) const noexcept {
  const Link& link = links_[body];
  return link.hinge == Hinge::ball || norm(columns_[link.first + k].H.angular) > 0;
}

/// Whether the result has lost more digits than are tolerated, in doubles.
bool Recursion::looks_wrong(const double* vdot, const double* efforts) noexcept {
  find_rest<double>(z_.data(), refinement_.force.data(), efforts);
  std::copy(z_.begin(), z_.end(), refinement_.z.begin());
  const bool solved = solve_for_rest();
  const double part = solved ? size_of_step(vdot) : 1;
  std::copy(refinement_.z.begin(), refinement_.z.end(), z_.begin());
  if (!loops_.empty()) loops_.restore_multipliers();
  return refinement_.mending.is_much(part);
}

/// Steps until they get no shorter.
void Recursion::refine(double* vdot, const double* efforts, Mending::Aim aim) noexcept {
  Refinement& refine = refinement_;
  for (std::size_t v = 0; v < refine.step.size(); ++v) refine.fine_rates[v] = vdot[v];
  const auto find = [&] {
    accelerate_finely();
    find_rest(refine.fine_z.data(), refine.fine_force.data(), efforts);
    return solve_for_rest() ? size_of_step(vdot) : 1;
  };
  const auto add = [&] {
    for (std::size_t v = 0; v < refine.step.size(); ++v) refine.fine_rates[v] += refine.step[v];
  };
  const auto drop = [&] {
    if (!loops_.empty()) loops_.restore_multipliers();
  };
  refine.mending.mended(refine.mending.mend(aim, find, add, drop));
  accelerate_finely();
  if (aim == Mending::Aim::forces) find_rest(refine.fine_z.data(), refine.fine_force.data(), efforts);
  for (std::size_t v = 0; v < refine.step.size(); ++v) vdot[v] = static_cast<double>(refine.fine_rates[v]);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    z_[i] = narrowed(refine.fine_z[i]);
    if (aim == Mending::Aim::forces) refine.force[i] = narrowed(refine.fine_force[i]);
  }
}

void Recursion::mend(double* vdot, const double* efforts, Mending::Aim aim) noexcept {
  Refinement& refine = refinement_;
  refine.mended = false;
  if (!refine.mending.is_due()) return;
  if (!refine.mending.is_on() && !looks_wrong(vdot, efforts)) {
    refine.mending.found_nothing();
    return;
  }
  this->refine(vdot, efforts, aim);
  refine.mended = true;
}

}  // namespace polyform
