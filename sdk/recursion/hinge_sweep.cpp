// The equations of Rui et al. 2020 in the order in which a tree is swept; each step below names those that it carries
// out. S is the articulated inertia of all outboard of a point, e the force that it asks for at rest.
//
//   inward    Eq. 34       S = 0, e = 0 at a tip
//             Eqs. 6-9     what the inputs of a body bring is summed at its hinge point P
//             Eqs. 3-5     S and e of the body itself
//             Eqs. 24, 25  its hinge: with z_b outboard = z_b inboard + H v̇ + β the condition Hᵀ z_a = τ gives v̇;
//                          U = S H, D = Hᵀ U (Eq. 10 takes the condition of the next hinge instead)
//             Eq. 29       S ← S − U D⁻¹ Uᵀ
//             Eq. 30       e ← e + S β, then e ← e + U D⁻¹ (τ − Hᵀ e)
//             Eqs. 3, 14   S and e at the parent's hinge point, from which P lies at r
//   outward   Eq. 14       z_b at P of the parent's body
//             Eq. 33       v̇ = D⁻¹ (τ − Hᵀ e − Uᵀ z_b), and with it z_b of the outboard body
//
// Directions of a hinge are eliminated one after the other, last first, as through bodies without mass between them.
#include "polyform/solvers/hinge_sweep.hpp"

namespace polyform {

using Hinge = HingedTree::Hinge;
using Link = HingedTree::Link;

HingeSweep::HingeSweep(const SystemView& view, const HingedTree& tree, TreeMotion& motion, LoopClosure& loops)
    : tree_(tree),
      motion_(motion),
      loops_(loops),
      flexible_(loops.flexible()),
      z_(view.bodies.size() + flexible_.attachments()),
      balls_(tree.balls),
      slots_(tree.slots),
      load_(view.bodies.size()),
      kept_(view.bodies.size()),
      arms_(loops.empty() ? 0 : view.bodies.size()),
      taken_(tree.most_modes) {}

/// S and e of a body with all outboard of it, to what its parent feels at its own P. False when the hinge has no
/// inertia to move.
bool HingeSweep::pass(std::size_t i, Transfer<double>& s, const double* efforts) noexcept {
  const auto pass_kind = [&]<Hinge kind>() {
    if (!pass_hinge<kind>(i, s, efforts)) return false;
    if (tree_.links[i].looped) pass_loops(i);
    if (tree_.links[i].parent >= 0) shift_to_parent<kind>(i, s);
    return true;
  };
  switch (tree_.links[i].hinge) {
    case Hinge::fixed: return pass_kind.operator()<Hinge::fixed>();
    case Hinge::ball: return pass_kind.operator()<Hinge::ball>();
    case Hinge::rotation: return pass_kind.operator()<Hinge::rotation>();
    case Hinge::translation: return pass_kind.operator()<Hinge::translation>();
    case Hinge::general: return pass_kind.operator()<Hinge::general>();
  }
  return false;
}

/// Eliminates a ball wholly; of the directions of another hinge all but the first, for which shift_to_parent()
/// condenses.
template <HingedTree::Hinge kind>
bool HingeSweep::pass_hinge(std::size_t i, Transfer<double>& s, const double* efforts) noexcept {
  const Link& link = tree_.links[i];
  const Spatial& beta = motion_.beta(i);
  const auto effort = [&](std::uint32_t k) { return efforts != nullptr ? efforts[link.v + k] : 0.0; };
  if constexpr (kind == Hinge::ball) {
    Vec3 moment;
    if (efforts != nullptr) {
      const Vec3 local = transpose_times(tree_.frames[i].base_K, Vec3{effort(0), effort(1), effort(2)});
      moment = link.reversed ? -(motion_.work(i).R * local) : motion_.inboard(link).R * local;
    }
    // Eqs. 24, 25, 29, 30 in one: three rotations about any axes.
    return eliminate_ball(s, balls_[link.first], moment, tree_.bodies[i].least);
  }
  if constexpr (kind == Hinge::rotation) {
    // Eq. 30: e + S β.
    s.e.angular = add_product(s.e.angular, s.aa, beta.angular);
    s.e.linear = add_transpose_product(s.e.linear, s.au, beta.angular);
    // Eqs. 24, 25: U, D⁻¹ and τ − Hᵀ e.
    Column<double>& column = motion_.columns(link)[0];
    return prepare_rotation(s, column, effort(0)) ||
           prepare_small_rotation(s, column, effort(0),
                                  tree_.bodies[i].about(transpose_times(motion_.work(i).R, column.H.angular)));
  }
  if constexpr (kind == Hinge::translation) {
    // Eq. 30: e + S β.
    s.e.angular = add_product(s.e.angular, s.au, beta.linear);
    s.e.linear = add_product(s.e.linear, s.uu, beta.linear);
    // Eqs. 24, 25: U, D⁻¹ and τ − Hᵀ e.
    return prepare_translation(s, motion_.columns(link)[0], effort(0));
  }
  if constexpr (kind == Hinge::general) {
    s.e += multiply(s, beta);  // Eq. 30: e + S β
    if (link.postponed) {
      pass_postponed(i, s, efforts);
      return true;
    }
    const PivotScale<double> scale(s);
    const double own = link.is_ball ? tree_.bodies[i].least : 0.0;
    // Eqs. 24, 25, 29, 30 of the last directions, Eqs. 24, 25 of the first.
    for (std::uint32_t k = link.count; k-- > 1;)
      if (!eliminate(s, scale, motion_.columns(link)[k], effort(k), own)) return false;
    return link.count == 0 || prepare(s, scale, motion_.columns(link)[0], effort(0), own);
  }
  return true;
}

/// The same of directions with an inertia that their multipliers take back (postponed_hinges.hpp).
void HingeSweep::pass_postponed(std::size_t i, Transfer<double>& s, const double* efforts) noexcept {
  const Link& link = tree_.links[i];
  const PivotScale<double> scale(s);
  for (std::uint32_t k = link.count; k-- > 0;) {
    Column<double>& column = motion_.columns(link)[k];
    loops_.postponed().prepare(i, k, s, scale, efforts != nullptr ? efforts[link.v + k] : 0.0, column);
    if (k > 0) condense(s, column);
  }
}

/// The columns of loops through the hinge and on to the parent's P, or to the frame of a flexible parent.
void HingeSweep::pass_loops(std::size_t i) noexcept {
  const Link& link = tree_.links[i];
  const Vec3 &r = motion_.work(i).r, &omega = motion_.inboard(link).omega;
  loops_.pass(i, motion_.hinge(link), motion_.beta(i), r, cross(omega, cross(omega, r)),
              link.on_frame ? tree_.attachment(link) : FlexibleLinks::none);
}

template <HingedTree::Hinge kind>
void HingeSweep::shift_to_parent(std::size_t i, Transfer<double>& s) const noexcept {
  const Link& link = tree_.links[i];
  const Vec3 &r = motion_.work(i).r, &omega = motion_.inboard(link).omega;
  // Eqs. 3, 14; of a hinge with directions Eqs. 29, 30 for the first, in an order of operations that keeps the
  // processor from waiting for results.
  if (kind == Hinge::ball)
    s = shift_force(s, r, omega);
  else if (kind == Hinge::fixed || link.count == 0)
    s = shift(s, r, omega);
  else
    s = shift_condensed(s, motion_.columns(link)[0], r, omega);
  // The parent of a free joint feels no inertia of what the joint carries: what elimination leaves of S is rounding.
  if (kind == Hinge::general && link.count == 6 && !link.postponed) s = {{}, {}, {}, s.e};
}

/// Accelerations of one body and rates of its hinge from the accelerations of its parent.
template <HingedTree::Hinge kind>
void HingeSweep::hinge_rates(std::size_t i, double* rates) noexcept {
  const Link& link = tree_.links[i];
  const TreeMotion::Work &work = motion_.work(i), &in = motion_.inboard(link);
  // Eq. 14: z_b of the parent's body at P.
  Spatial z{{}, ground_};
  if (link.inboard >= 0) {
    z = z_[static_cast<std::size_t>(link.inboard)];
    z.linear = add_cross(z.linear + cross(in.omega, cross(in.omega, work.r)), z.angular, work.r);
  }
  // Eq. 33: the rates, and z_b beyond the hinge.
  if constexpr (kind == Hinge::ball) {
    const Ball<double>& ball = balls_[link.first];
    const Vec3 before = z.angular;
    z.angular = add_product(ball.free, ball.gain, z.linear);
    Vec3 w = link.reversed ? transpose_times(work.R, before - z.angular - cross(work.omega, in.omega))
                           : transpose_times(in.R, z.angular - before - cross(in.omega, work.omega));
    if (link.turned) w = tree_.frames[i].base_K * w;
    rates[link.v] = w.x;
    rates[link.v + 1] = w.y;
    rates[link.v + 2] = w.z;
  }
  if constexpr (kind == Hinge::rotation) {
    const Column<double>& column = motion_.columns(link)[0];
    double rate = column.rate(z);
    if (link.looped) rate -= loops_.rate(i, 0);
    rates[link.v] = rate;
    z.angular += rate * column.H.angular + motion_.beta(i).angular;
  }
  if constexpr (kind == Hinge::translation) {
    const Column<double>& column = motion_.columns(link)[0];
    double rate = column.rate(z);
    if (link.looped) rate -= loops_.rate(i, 0);
    rates[link.v] = rate;
    z.linear += rate * column.H.linear + motion_.beta(i).linear;
  }
  if constexpr (kind == Hinge::general) {
    for (std::uint32_t k = 0; k < link.count; ++k) {
      const Column<double>& column = motion_.columns(link)[k];
      double rate = column.rate(z);
      if (link.looped) rate -= loops_.rate(i, k);
      rates[link.v + k] = rate;
      z += rate * column.H;
    }
    z += motion_.beta(i);
  }
  z_[i] = z;
  if (link.looped) loops_.close(i, z_[i]);
}

void HingeSweep::load(FrameIndex f, const Spatial& w) noexcept {
  if (const std::size_t a = flexible_.attachment_of(f); a != FlexibleLinks::none)
    flexible_.load(a, w);
  else
    load_[at(f)] = {w.angular - cross(motion_.arm(at(f)), w.linear), w.linear};
}

void HingeSweep::begin_loops(const Drive& drive) noexcept {
  for (const FrameIndex f : loops_.layout().tied_frames())
    if (flexible_.attachment_of(f) == FlexibleLinks::none) arms_[at(f)] = motion_.arm(at(f));
  loops_.begin(drive.level, motion_.frames(), arms_, drive.ground, [&](const auto& pass) {
    for (std::size_t i = tree_.links.size(); i-- > 0;)
      if (tree_.links[i].looped) pass(i, motion_.hinge(tree_.links[i]), motion_.work(i).r);
  });
}

/// flatten: the algebra of a body must be part of the loop, or its S and e travel through memory between calls (a
/// quarter of the time).
[[gnu::flatten]] bool HingeSweep::inward(const Drive& drive) noexcept {
  const bool loaded = drive.loaded, keep = drive.keep;
  const double* efforts = drive.efforts;
  // What the first child of a body passes stays in `s`; further children meet in its slot.
  Transfer<double> s;
  bool carries = false;
  for (std::size_t i = tree_.links.size(); i-- > 0;) {
    const Link& link = tree_.links[i];
    const TreeMotion::Work& work = motion_.work(i);
    // Eq. 34 at a tip, Eqs. 6-9 at a body with inputs.
    if (!carries) s = {};
    if (link.slot >= 0) s += slots_[static_cast<std::size_t>(link.slot)];
    // Eqs. 3-5: S and e of the body itself, and the loads on it.
    if (link.flexible) {
      Transfer<double> whole;  // so that s itself can live in registers
      if (!gather_flexible(i, whole)) return false;
      s = whole;
    } else {
      add_body(s, tree_.bodies[i].turned(work.R), work.omega);
      if (loaded) s.e -= load_[i];
    }
    if (link.looped) {
      Transfer<double> sum = s;  // a copy, for the same reason
      loops_.gather(i, sum);
      s = sum;
    }
    if (keep) kept_[i] = s;
    // Eqs. 24-30 for the hinge.
    if (!pass(i, s, efforts)) {
      failure_ = {i, false, nullptr};
      return false;
    }
    if (link.on_frame) {
      const Transfer<double> sum = s;
      flexible_.hang(tree_.attachment(link), sum);
    }
    carries = !link.on_frame && link.parent >= 0 && static_cast<std::size_t>(link.parent) + 1 == i;
    if (carries || link.on_frame || link.parent < 0) continue;
    Transfer<double>& slot = slots_[static_cast<std::size_t>(tree_.links[static_cast<std::size_t>(link.parent)].slot)];
    if (link.opens_slot)
      slot = s;
    else
      slot += s;
  }
  return true;
}

[[gnu::flatten]] void HingeSweep::outward(double* rates, double* modal_rates) noexcept {
  loops_.close_ground();
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    switch (tree_.links[i].hinge) {
      case Hinge::fixed: hinge_rates<Hinge::fixed>(i, rates); break;
      case Hinge::ball: hinge_rates<Hinge::ball>(i, rates); break;
      case Hinge::rotation: hinge_rates<Hinge::rotation>(i, rates); break;
      case Hinge::translation: hinge_rates<Hinge::translation>(i, rates); break;
      case Hinge::general: hinge_rates<Hinge::general>(i, rates); break;
    }
    if (tree_.links[i].flexible) find_modal_rates(i, modal_rates);
  }
}

/// Eq. 21: the force is S z + e, of the acceleration z that the body has.
Spatial HingeSweep::wrench(std::size_t i) const noexcept {
  Spatial z_a = multiply(kept_[i], z_[i]) + kept_[i].e;
  if (tree_.links[i].looped) z_a += loops_.hinge_wrench(i);
  return z_a;
}

}  // namespace polyform
