// S − S H D⁻¹ Hᵀ S between a light and a heavy body is a small difference of large numbers. With the ratio κ of the two
// inertias the sweeps lose about κ² of its digits: S H ought to be zero if D is small, but has the rounding of S, which
// comes in twice over D. The residual
//
//   rest = τ − Hᵀ F,   F = Σ outboard (inertia · z + gyroscopic terms − loads)        and for loops   g − Eᵀ z
//
// is formed with no such difference, from the coordinates' rates alone. The same sweeps, solved for it at rest and
// without loads, give the missing part. As the residual is formed with twice the digits, each such step multiplies the
// error by the relative error of the sweeps, down to the last digit of a double.
#include "polyform/solvers/sweep_refinement.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/solvers/loop_residual.hpp"

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

using Hinge = HingedTree::Hinge;
using Link = HingedTree::Link;

SweepRefinement::SweepRefinement(const SystemView& view, const HingedTree& tree, TreeMotion& motion, LoopClosure& loops,
                                 HingeSweep& sweep)
    : tree_(tree), motion_(motion), loops_(loops), sweep_(sweep), ground_(-view.gravity) {
  if (!view.flexible.empty()) return;
  fine_z_.resize(view.bodies.size());
  fine_force_.resize(view.bodies.size());
  fine_rates_.resize(view.nv_tree);
  z_.resize(view.bodies.size());
  force_.resize(view.bodies.size());
  rest_.resize(view.nv_tree);
  step_.resize(view.nv_tree);
}
SweepRefinement::~SweepRefinement() = default;

/// Finds z of all bodies from the rates of the coordinates, as HingeSweep::outward() finds both. The rates have twice
/// the digits too: rounding in the rates of a heavy body is a force on the light ones further in.
void SweepRefinement::accelerate_finely() noexcept {
  using T = DoubleDouble;
  const std::vector<T>& rates = fine_rates_;
  std::vector<SpatialVector<T>>& z = fine_z_;
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const Link& link = tree_.links[i];
    const TreeMotion::Work &work = motion_.work(i), &in = motion_.inboard(link);
    SpatialVector<T> a{{}, widened<T>(ground_)};
    if (link.parent >= 0) {
      a = z[static_cast<std::size_t>(link.parent)];
      a.linear += widened<T>(cross(in.omega, cross(in.omega, work.r))) + cross(a.angular, widened<T>(work.r));
    }
    if (link.hinge == Hinge::ball) {
      Vector3<T> w{rates[link.v], rates[link.v + 1], rates[link.v + 2]};
      if (link.turned) w = times(transpose(tree_.frames[i].base_K), w);
      if (link.reversed)
        a.angular -= times(work.R, w) + widened<T>(cross(work.omega, in.omega));
      else
        a.angular += times(in.R, w) + widened<T>(cross(in.omega, work.omega));
    } else if (link.hinge != Hinge::fixed) {
      a += widened<T>(motion_.beta(i));
      for (std::uint32_t k = 0; k < link.count; ++k) a += rates[link.v + k] * widened<T>(motion_.columns(link)[k].H);
    }
    z[i] = a;
  }
}

/// The wrenches of the hinges on their outboard bodies, from z, and what these lack along the directions of the hinges.
template <class T>
void SweepRefinement::find_rest(const SpatialVector<T>* z, SpatialVector<T>* force, const double* efforts) noexcept {
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    force[i] = inertia_force(tree_.bodies[i].turned(motion_.work(i).R), motion_.work(i).omega, z[i]);
    force[i] -= widened<T>(sweep_.load_on(i));
  }
  find_rest_of_loops(loops_, motion_.frames(), sweep_.arms(), ground_, z, force);
  for (std::size_t i = tree_.links.size(); i-- > 0;) {
    const Link& link = tree_.links[i];
    const SpatialVector<T>& f = force[i];
    double* rest = rest_.data() + link.v;
    const auto effort = [&](std::uint32_t k) { return efforts != nullptr ? efforts[link.v + k] : 0.0; };
    if (link.hinge == Hinge::ball) {
      // The moments come in the axes of the coordinates; the missing part is turned to these.
      const Vec3 local = transpose_times(tree_.frames[i].base_K, Vec3{effort(0), effort(1), effort(2)});
      const Mat3& R = link.reversed ? motion_.work(i).R : motion_.inboard(link).R;
      const double sign = link.reversed ? -1.0 : 1.0;
      const Vec3 missing = tree_.frames[i].base_K *
                           transpose_times(R, sign * narrowed(T(sign) * times(R, widened<T>(local)) - f.angular));
      for (std::size_t k = 0; k < 3; ++k) rest[k] = missing[k];
    } else {
      for (std::uint32_t k = 0; k < link.count; ++k)
        rest[k] = static_cast<double>(T(effort(k)) - dot(widened<T>(motion_.columns(link)[k].H), f));
    }
    if (link.parent < 0) continue;
    SpatialVector<T>& parent = force[link.parent];
    parent.linear += f.linear;
    parent.angular += f.angular + cross(widened<T>(motion_.work(i).r), f.linear);
  }
}

/// Makes the sweeps for the missing part: at rest, without loads and gravity. Adds to step_, and for loops to the
/// multipliers. False if a hinge has no inertia to move.
bool SweepRefinement::solve_for_rest() noexcept {
  const TreeMotion::AtRest at_rest(motion_);
  loops_.multipliers().keep();
  const bool solved =
      sweep_.solve({.level = LoopClosure::Level::rest, .ground = {}, .efforts = rest_.data()}, step_.data(), nullptr);
  loops_.multipliers().add_kept();
  return solved;
}

/// The size of the step relative to the rates, of rotations and of translations: each is compared with its own rate and
/// with least_share of the largest that the motion or the loads ask for. A body that turns evenly has rates that are
/// rounding of its gyroscopic terms.
double SweepRefinement::size_of_step(const double* vdot) const noexcept {
  double acting = 0, mass = 0, reach = 0, turning = 0, largest[2] = {};
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const Link& link = tree_.links[i];
    const Inertia<double>& body = tree_.bodies[i];
    const TreeMotion::Work& work = motion_.work(i);
    acting += norm(sweep_.load_on(i).linear);
    turning = std::max(turning, dot(work.omega, work.omega));
    mass += body.mass;
    reach = std::max(reach, norm(work.r) + (body.mass > 0 ? norm(body.moment) / body.mass : 0));
    for (std::uint32_t k = 0; k < link.count; ++k) {
      double& most = largest[is_turn(link, k) ? 0 : 1];
      most = std::max(most, std::abs(vdot[link.v + k]));
    }
  }
  const ActingAccelerations acts = acting_accelerations(ground_, acting, mass, reach, turning);
  largest[0] = std::max(largest[0], acts.angular);
  largest[1] = std::max(largest[1], acts.linear);
  double part = 0;
  for (const Link& link : tree_.links)
    for (std::uint32_t k = 0; k < link.count; ++k) {
      const std::size_t v = link.v + k;
      const double step = std::abs(step_[v]);
      if (step > 0) part = std::max(part, step / (std::abs(vdot[v]) + least_share * largest[is_turn(link, k) ? 0 : 1]));
    }
  return part;
}

bool SweepRefinement::is_turn(const Link& link, std::uint32_t k) const noexcept {
  return link.hinge == Hinge::ball || norm(motion_.columns(link)[k].H.angular) > 0;
}

/// Finds in doubles what the result lacks, relative: into step_ and the z of the sweep, and on top of the multipliers.
/// z_ keeps the z of the result.
double SweepRefinement::find_step(const double* vdot, const double* efforts) noexcept {
  const std::span<Spatial> z = sweep_.z();
  find_rest<double>(z.data(), force_.data(), efforts);
  std::copy(z.begin(), z.end(), z_.begin());
  return solve_for_rest() ? size_of_step(vdot) : 1;
}

void SweepRefinement::drop_step() noexcept {
  std::copy(z_.begin(), z_.end(), sweep_.z().begin());
  loops_.multipliers().restore();
}

void SweepRefinement::take_step(double* vdot, const double* efforts) noexcept {
  const std::span<Spatial> z = sweep_.z();
  for (std::size_t i = 0; i < z.size(); ++i) z[i] += z_[i];
  for (std::size_t v = 0; v < step_.size(); ++v) vdot[v] += step_[v];
  find_rest<double>(z.data(), force_.data(), efforts);
  mended_ = true;
}

/// Whether the result has lost more digits than are tolerated. An observation takes the step that was found if it is
/// above rounding: that costs no more than the look.
bool SweepRefinement::looks_wrong(double* vdot, const double* efforts, Mending::Aim aim) noexcept {
  const double part = find_step(vdot, efforts);
  const bool much = mending().is_much(part);
  is_rounded_ = part > above_rounding;
  if (!much && is_rounded_ && aim == Mending::Aim::forces && filter_ == nullptr)
    take_step(vdot, efforts);
  else
    drop_step();
  return much;
}

/// Whether Newton's matrix takes the missing part of the result, which is formed with twice the digits, down to
/// rounding.
bool SweepRefinement::lacks_little(const double* vdot, const double* efforts) noexcept {
  std::copy(sweep_.z().begin(), sweep_.z().end(), z_.begin());
  for (std::size_t v = 0; v < step_.size(); ++v) fine_rates_[v] = vdot[v];
  accelerate_finely();
  find_rest(fine_z_.data(), fine_force_.data(), efforts);
  const bool solved = solve_for_rest();
  if (solved) filter_->apply(step_);
  const double part = solved ? size_of_step(vdot) : 1;
  std::copy(z_.begin(), z_.end(), sweep_.z().begin());
  loops_.multipliers().restore();
  return !mending().is_much(part);
}

/// Makes steps until they get no shorter.
void SweepRefinement::refine(double* vdot, const double* efforts, Mending::Aim aim) noexcept {
  for (std::size_t v = 0; v < step_.size(); ++v) fine_rates_[v] = vdot[v];
  const auto find = [&] {
    accelerate_finely();
    find_rest(fine_z_.data(), fine_force_.data(), efforts);
    return solve_for_rest() ? size_of_step(vdot) : 1;
  };
  const auto add = [&] {
    for (std::size_t v = 0; v < step_.size(); ++v) fine_rates_[v] += step_[v];
  };
  const auto drop = [&] { loops_.multipliers().restore(); };
  mending().mended(mending().mend(aim, find, add, drop));
  accelerate_finely();
  if (aim == Mending::Aim::forces) find_rest(fine_z_.data(), fine_force_.data(), efforts);
  for (std::size_t v = 0; v < step_.size(); ++v) vdot[v] = static_cast<double>(fine_rates_[v]);
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    sweep_.z()[i] = narrowed(fine_z_[i]);
    if (aim == Mending::Aim::forces) force_[i] = narrowed(fine_force_[i]);
  }
}

void SweepRefinement::look_and_refine(double* vdot, const double* efforts, Mending::Aim aim) noexcept {
  Mending& mending = this->mending();
  if (!mending.is_on() && (!looks_wrong(vdot, efforts, aim) || (filter_ != nullptr && lacks_little(vdot, efforts)))) {
    mending.found_nothing();
    return;
  }
  refine(vdot, efforts, aim);
  mended_ = true;
}

}  // namespace polyform
