// The two sweeps of the recursion: inward, from the tips to the roots, and outward, from the roots to the tips.
#include "polyform/solvers/recursion.hpp"

namespace polyform {

/// Eliminates the hinge from the S and e of all outboard of it: a ball wholly; of the columns of another, last first, all
/// but the first, for which shift_to_parent() condenses.
template <Recursion::Hinge kind>
bool Recursion::pass_hinge(std::size_t i, Transfer<double>& s, const double* efforts) noexcept {
  const Link& link = links_[i];
  const Spatial& beta = beta_[i];
  const auto effort = [&](std::uint32_t k) { return efforts != nullptr ? efforts[link.v + k] : 0.0; };
  if constexpr (kind == Hinge::ball) {
    Vec3 moment;
    if (efforts != nullptr) {
      const Vec3 local = transpose_times(frames_[i].base_K, Vec3{effort(0), effort(1), effort(2)});
      moment = link.reversed ? -(work_[i].R * local) : inboard(link).R * local;
    }
    return eliminate_ball(s, balls_[link.first], moment, bodies_[i].least);
  }
  if constexpr (kind == Hinge::rotation) {
    s.e.angular = add_product(s.e.angular, s.aa, beta.angular);
    s.e.linear = add_transpose_product(s.e.linear, s.au, beta.angular);
    Column<double>& column = columns_[link.first];
    return prepare_rotation(s, column, effort(0)) ||
           prepare_small_rotation(s, column, effort(0), bodies_[i].about(transpose_times(work_[i].R, column.H.angular)));
  }
  if constexpr (kind == Hinge::translation) {
    s.e.angular = add_product(s.e.angular, s.au, beta.linear);
    s.e.linear = add_product(s.e.linear, s.uu, beta.linear);
    return prepare_translation(s, columns_[link.first], effort(0));
  }
  if constexpr (kind == Hinge::general) {
    s.e += multiply(s, beta);
    const PivotScale<double> scale(s);
    const double own = link.is_ball ? bodies_[i].least : 0.0;
    for (std::uint32_t k = link.count; k-- > 1;)
      if (!eliminate(s, scale, columns_[link.first + k], effort(k), own)) return false;
    return link.count == 0 || prepare(s, scale, columns_[link.first], effort(0), own);
  }
  return true;
}

template <Recursion::Hinge kind>
void Recursion::shift_to_parent(std::size_t i, Transfer<double>& s) const noexcept {
  const Link& link = links_[i];
  const Vec3 &r = work_[i].r, &omega = inboard(link).omega;
  if (kind == Hinge::ball)
    s = shift_force(s, r, omega);
  else if (kind == Hinge::fixed || link.count == 0)
    s = shift(s, r, omega);
  else
    s = shift_condensed(s, columns_[link.first], r, omega);
  // Past a free joint nothing is felt of what it carries, and the rounding that elimination leaves of S is no inertia.
  if (kind == Hinge::general && link.count == 6) s = {{}, {}, {}, s.e};
}

/// The columns of loops through the hinge and on to the parent's P, or to the frame of a flexible parent.
void Recursion::pass_loops(std::size_t i) noexcept {
  const Link& link = links_[i];
  const Vec3 &r = work_[i].r, &omega = inboard(link).omega;
  loops_.pass(i, std::span(columns_).subspan(link.first, link.count), beta_[i]);
  loops_.step(i, r, cross(omega, cross(omega, r)), link.on_frame ? frame_attachment(link) : FlexibleLinks::none);
}

/// From the S and e of body i with all outboard of it to what its parent feels at its own P. False when the hinge has no
/// inertia to move.
bool Recursion::pass(std::size_t i, Transfer<double>& s, const double* efforts) noexcept {
  const auto pass_kind = [&]<Hinge kind>() {
    if (!pass_hinge<kind>(i, s, efforts)) return false;
    if (links_[i].looped) pass_loops(i);
    if (links_[i].parent >= 0) shift_to_parent<kind>(i, s);
    return true;
  };
  switch (links_[i].hinge) {
    case Hinge::fixed: return pass_kind.operator()<Hinge::fixed>();
    case Hinge::ball: return pass_kind.operator()<Hinge::ball>();
    case Hinge::rotation: return pass_kind.operator()<Hinge::rotation>();
    case Hinge::translation: return pass_kind.operator()<Hinge::translation>();
    case Hinge::general: return pass_kind.operator()<Hinge::general>();
  }
  return false;
}

/// Accelerations of one body and of its hinge from those of its parent (Eq. 33, from the root outwards).
template <Recursion::Hinge kind>
void Recursion::hinge_rates(std::size_t i, double* vdot) noexcept {
  const Link& link = links_[i];
  const Work &work = work_[i], &in = inboard(link);
  Spatial z{{}, ground_};
  if (link.inboard >= 0) {
    z = z_[static_cast<std::size_t>(link.inboard)];
    z.linear = add_cross(z.linear + cross(in.omega, cross(in.omega, work.r)), z.angular, work.r);
  }
  if constexpr (kind == Hinge::ball) {
    const Ball<double>& ball = balls_[link.first];
    const Vec3 before = z.angular;
    z.angular = add_product(ball.free, ball.gain, z.linear);
    Vec3 w = link.reversed ? transpose_times(work.R, before - z.angular - cross(work.omega, in.omega))
                           : transpose_times(in.R, z.angular - before - cross(in.omega, work.omega));
    if (link.turned) w = frames_[i].base_K * w;
    vdot[link.v] = w.x;
    vdot[link.v + 1] = w.y;
    vdot[link.v + 2] = w.z;
  }
  if constexpr (kind == Hinge::rotation) {
    const Column<double>& column = columns_[link.first];
    double rate = column.rate(z);
    if (link.looped) rate -= loops_.rate(i, 0);
    vdot[link.v] = rate;
    z.angular += rate * column.H.angular + beta_[i].angular;
  }
  if constexpr (kind == Hinge::translation) {
    const Column<double>& column = columns_[link.first];
    double rate = column.rate(z);
    if (link.looped) rate -= loops_.rate(i, 0);
    vdot[link.v] = rate;
    z.linear += rate * column.H.linear + beta_[i].linear;
  }
  if constexpr (kind == Hinge::general) {
    for (std::uint32_t k = 0; k < link.count; ++k) {
      const Column<double>& column = columns_[link.first + k];
      double rate = column.rate(z);
      if (link.looped) rate -= loops_.rate(i, k);
      vdot[link.v + k] = rate;
      z += rate * column.H;
    }
    z += beta_[i];
  }
  z_[i] = z;
  if (link.looped) loops_.close(i, z_[i]);
}

/// A wrench about the frame origin, applied: as a load about P.
void Recursion::set_load(FrameIndex f, const Spatial& w) noexcept {
  if (const std::size_t a = flexible_.attachment_of(f); a != FlexibleLinks::none)
    flexible_.load(a, w);
  else
    load_[at(f)] = {w.angular - cross(motions_[at(f)].R * frames_[at(f)].to_P, w.linear), w.linear};
}

void Recursion::begin_loops(LoopClosure::Level level) noexcept {
  for (const FrameIndex f : loops_.tied_frames())
    if (flexible_.attachment_of(f) == FlexibleLinks::none) arms_[at(f)] = motions_[at(f)].R * frames_[at(f)].to_P;
  if (loops_.is_uneven() && level != LoopClosure::Level::rest) {
    loops_.begin_judging(level, motions_, arms_);
    for (std::size_t i = links_.size(); i-- > 0;)
      if (links_[i].looped) loops_.pass_evenly(i, std::span(columns_).subspan(links_[i].first, links_[i].count), work_[i].r);
    loops_.judge();
  }
  loops_.begin(level, motions_, arms_, ground_);
}

bool Recursion::accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                              std::span<const double> efforts, double* vdot, double* etaddot, bool keep) noexcept {
  if (!flexible_.empty()) flexible_.begin(eta_, etadot_, true);
  for (const FrameIndex f : loaded) set_load(f, wrenches[at(f)]);
  ground_ = -gravity_;
  if (!loops_.empty()) begin_loops(LoopClosure::Level::acceleration);
  const double* given = efforts.empty() ? nullptr : efforts.data();
  if (!tips_to_roots(!loaded.empty(), given, keep)) return false;
  roots_to_tips(vdot, etaddot);
  if (flexible_.empty()) mend(vdot, given, keep ? Mending::Aim::forces : Mending::Aim::accelerations);
  return true;
}

bool Recursion::closing_step(LoopClosure::Level level, double* step, double* modal_step) noexcept {
  if (!flexible_.empty()) flexible_.begin(eta_, etadot_, false);
  ground_ = {};
  begin_loops(level);
  if (!tips_to_roots(false, nullptr, false)) return false;
  roots_to_tips(step, modal_step);
  return true;
}

/// flatten: the algebra of a body must be part of the loop, or its S and e travel through memory between calls (a
/// quarter of the time).
[[gnu::flatten]] bool Recursion::tips_to_roots(bool loaded, const double* efforts, bool keep) noexcept {
  // What the first child of a body passes stays in `s`; further children meet in its slot.
  Transfer<double> s;
  bool carries = false;
  failed_in_mode_ = false;
  for (std::size_t i = links_.size(); i-- > 0;) {
    const Link& link = links_[i];
    const Work& work = work_[i];
    if (!carries) s = {};
    if (link.slot >= 0) s += slots_[static_cast<std::size_t>(link.slot)];
    if (link.flexible) {
      Transfer<double> whole;  // so that s itself can live in registers
      if (!gather_flexible(i, whole)) return false;
      s = whole;
    } else {
      add_body(s, bodies_[i].turned(work.R), work.omega);
      if (loaded) s.e -= load_[i];
    }
    if (link.looped) {
      Transfer<double> sum = s;  // likewise
      loops_.gather(i, sum);
      s = sum;
    }
    if (keep) kept_[i] = s;
    if (!pass(i, s, efforts)) {
      failed_ = i;
      return false;
    }
    if (link.on_frame) {
      const Transfer<double> sum = s;
      flexible_.hang(frame_attachment(link), sum);
    }
    carries = !link.on_frame && link.parent >= 0 && static_cast<std::size_t>(link.parent) + 1 == i;
    if (carries || link.on_frame || link.parent < 0) continue;
    Transfer<double>& slot = slots_[static_cast<std::size_t>(links_[static_cast<std::size_t>(link.parent)].slot)];
    if (link.opens_slot)
      slot = s;
    else
      slot += s;
  }
  return true;
}

[[gnu::flatten]] void Recursion::roots_to_tips(double* vdot, double* etaddot) noexcept {
  loops_.close_ground();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    switch (links_[i].hinge) {
      case Hinge::fixed: hinge_rates<Hinge::fixed>(i, vdot); break;
      case Hinge::ball: hinge_rates<Hinge::ball>(i, vdot); break;
      case Hinge::rotation: hinge_rates<Hinge::rotation>(i, vdot); break;
      case Hinge::translation: hinge_rates<Hinge::translation>(i, vdot); break;
      case Hinge::general: hinge_rates<Hinge::general>(i, vdot); break;
    }
    if (links_[i].flexible) modal_rates(i, etaddot);
  }
}

void Recursion::body_accelerations(std::span<Spatial> out) const noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].flexible) continue;
    const Spatial& z = z_[i];
    const Vec3 &omega = work_[i].omega, arm = motions_[i].R * frames_[i].to_P;
    out[i] = {z.angular, z.linear + gravity_ - cross(z.angular, arm) - cross(omega, cross(omega, arm))};
  }
  for (std::size_t f = 0; f < out.size() && !flexible_.empty(); ++f)
    if (const std::size_t a = flexible_.attachment_of(frame_index(f)); a != FlexibleLinks::none)
      out[f] = {z_[frame_work(a)].angular, z_[frame_work(a)].linear + gravity_};
}

void Recursion::reactions(std::span<Spatial> out) const noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    Spatial z_a = refinement_.mended ? refinement_.force[i] : multiply(kept_[i], z_[i]) + kept_[i].e;
    if (link.looped && !refinement_.mended) z_a += loops_.hinge_wrench(i);
    if (link.reversed) {
      // On the moving body, which is inboard, at the origin of M, which lies at P_to_M from P.
      const Vec3 P_to_M = inboard(link).R * link.lever - work_[i].r;
      z_a = -1.0 * Spatial{z_a.angular - cross(P_to_M, z_a.linear), z_a.linear};
    }
    out[i] = z_a;
  }
}

}  // namespace polyform
