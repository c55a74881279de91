#include "newton_gather.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::absolute {

namespace {

// Of what a row does to the bodies: what it may be missed by, so that rows that depend on others have a multiplier.
constexpr double softness = 1e-11;

/// Adds factor · m ã to the columns of rotation; m has n numbers in a row.
void add_crossed(std::vector<double>& to, const std::vector<double>& m, std::size_t n, const Vec3& a, double factor) {
  const Mat3 cross_a = skew(a);
  for (std::size_t row = 0; row < n; ++row) {
    double columns[3]{};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 3; ++k) columns[c] += m[row * n + k] * cross_a(k, c);
    for (std::size_t c = 0; c < 3; ++c) to[row * n + c] += factor * columns[c];
  }
}

}  // namespace

NewtonGather::NewtonGather(const SystemView& view, const AbsoluteEquations& equations, const Vec3& origin)
    : view_(view), equations_(equations), blocks_(view), forces_(view, origin, blocks_), flexible_(view),
      stations_(view.frames()), directions_(view.nv) {
  std::size_t largest = 6;
  for (const FlexibleDerivatives::Element& e : flexible_.elements()) largest = std::max(largest, e.n());
  for (std::vector<double>* room : {&M_, &G_, &K_, &left_, &right_}) room->resize(largest * largest);
  for (std::size_t f = 0; f < stations_.size(); ++f) {
    const bool of_body = f < view.bodies.size();
    stations_[f].body = of_body ? f : at(view.nodes[f - view.bodies.size()].body);
    if (!of_body) stations_[f].node = f - view.bodies.size();
  }
}

std::size_t NewtonGather::modes_of(std::size_t frame) const {
  return stations_[frame].node == none ? 0 : equations_.size(stations_[frame].body) - 6;
}

/// How a frame moves per unit of mode k.
Spatial NewtonGather::mode(std::size_t frame, std::size_t k) const {
  const Station& s = stations_[frame];
  const Mat3& R = equations_.frames()[s.body].R;
  const Spatial& H = equations_.nodes().H(s.node)[k];
  return {R * H.angular, R * H.linear};
}

void NewtonGather::gather(const Moment& now, NewtonSum& sum) {
  sum.begin();
  place(now);
  flexible_.evaluate(equations_.frames(), now.accelerations, now.eta, now.etadot, now.etaddot);
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) add_body(i, now, sum);
  add_levers(now);
  add_forces(now, sum);
  add_rows(sum);
  sum.end();
}

void NewtonGather::place(const Moment& now) {
  const std::span<const BodyMotion> frames = equations_.frames();
  std::ranges::fill(blocks_.G, Six<double>{});
  std::ranges::fill(blocks_.K, Six<double>{});
  std::ranges::fill(blocks_.stiffness, 0.0);
  std::ranges::fill(blocks_.damping, 0.0);
  for (TreeBlocks::Coupling& c : blocks_.couplings) c = {};
  for (std::size_t f = 0; f < stations_.size(); ++f) {
    Station& s = stations_[f];
    if (s.node == none) blocks_.to_P[f] = equations_.center(s.body);
    else s.r = frames[s.body].R * equations_.nodes()[s.node].p;
  }
  for (const JointData& joint : view_.joints) {
    JointMotion motion;
    joint_motion(joint, now.q.data() + joint.q_offset, now.v.data() + joint.v_offset, motion);
    for (std::size_t k = 0; k < joint.nv; ++k) {
      double unit[6]{};
      unit[k] = 1;
      directions_[joint.v_offset + k] = blocks_.cut_pattern(joint, frames, effort_wrench(motion, joint.nv, unit));
    }
  }
}

/// What a body by itself answers to its displacements.
void NewtonGather::add_body(std::size_t i, const Moment& now, NewtonSum& sum) {
  const BodyMotion& frame = equations_.frames()[i];
  const Vec3 &omega = frame.V.angular, &alpha = now.accelerations[i].angular;
  const std::size_t n = equations_.size(i);
  if (view_.bodies[i].flexible != rigid) {
    const FlexibleDerivatives::Element& e = flexible_.elements()[view_.bodies[i].flexible];
    std::copy_n(flexible_.M(e), n * n, M_.begin());
    std::copy_n(flexible_.G(e), n * n, G_.begin());
    std::copy_n(flexible_.K(e), n * n, K_.begin());
  } else {
    for (std::vector<double>* m : {&M_, &G_, &K_}) std::fill_n(m->begin(), n * n, 0.0);
    const Mat3 J = equations_.inertia(i).full(), w = skew(omega);
    const Vec3 spin = J * omega, moment = J * alpha + cross(omega, spin);
    const Mat3 gyroscopic = w * J + -1.0 * (J * w) + -1.0 * skew(spin), turned = -1.0 * skew(moment);
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        M_[r * n + c] = J(r, c);
        G_[r * n + c] = gyroscopic(r, c);
        K_[r * n + c] = turned(r, c);
      }
      M_[(3 + r) * (n + 1)] = view_.bodies[i].mass;
    }
  }
  add_block(i, omega, alpha, sum);
}

/// M_, G_ and K_, which answer φ̈, φ̇ and φ. In the algebra φ̇ = δω + ω×φ, φ̈ = δα + ω×δω + ω×(ω×φ) + α×φ.
void NewtonGather::add_block(std::size_t body, const Vec3& omega, const Vec3& alpha, NewtonSum& sum) {
  const std::size_t n = equations_.size(body), first = equations_.offset(body);
  add_crossed(K_, M_, n, alpha, 1);
  std::fill_n(left_.begin(), n * n, 0.0);
  add_crossed(left_, M_, n, omega, 1);
  add_crossed(K_, left_, n, omega, 1);
  add_crossed(K_, G_, n, omega, 1);
  for (std::size_t k = 0; k < n * n; ++k) G_[k] += left_[k];
  add_crossed(K_, G_, n, omega, -0.5);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      const std::size_t k = r * n + c;
      sum.add(first + r, first + c, {M_[k], G_[k] - 0.5 * left_[k], K_[k], G_[k]});
    }
}

/// The forces in the joints, whose levers turn with the bodies.
void NewtonGather::add_levers(const Moment& now) {
  const std::span<const BodyMotion> frames = equations_.frames();
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const BodyMotion& moving = motion_of(joint.moving_frame, frames);
    const Vec3 M = moving.p + moving.R * joint.p_moving;
    const auto put = [&](FrameIndex f, const Vec3& force) {
      if (is_ground(f)) return;
      const Vec3 lever = M - frames[at(f)].p - blocks_.to_P[at(f)];
      blocks_.K[at(f)].add(0, 0, skew(force) * skew(lever), -1);
    };
    put(joint.moving_frame, now.reactions[j].linear);
    put(joint.base_frame, -1.0 * now.reactions[j].linear);
  }
}

void NewtonGather::add_forces(const Moment& now, NewtonSum& sum) {
  TreeMoment moment;
  moment.time = now.time;
  moment.q = now.q;
  moment.v = now.v;
  moment.x = now.x;
  forces_.add(moment, equations_.frames());
  for (std::size_t f = 0; f < stations_.size(); ++f) add(f, f, blocks_.K[f], blocks_.G[f], sum);
  for (std::size_t i = 0; i < blocks_.bodies.size(); ++i) {
    const TreeBlocks::Body& b = blocks_.bodies[i];
    if (b.coupling != TreeBlocks::none) {
      const TreeBlocks::Coupling& c = blocks_.couplings[b.coupling];
      const auto parent = static_cast<std::size_t>(b.parent);
      add(i, parent, c.inner_K, c.inner_G, sum);
      add(parent, i, c.outer_K, c.outer_G, sum);
    }
    if (b.count > 0) add_joint(i, sum);
  }
  for (const LinearizedForces::Far& far : forces_.far()) add_far(far, sum);
}

/// Forces within a joint of the tree.
void NewtonGather::add_joint(std::size_t i, NewtonSum& sum) {
  const TreeBlocks::Body& b = blocks_.bodies[i];
  const Pattern* patterns[6];
  for (std::size_t k = 0; k < b.count; ++k) patterns[k] = &directions_[b.v + k];
  add_patterns(std::span(patterns, b.count), blocks_.stiffness.data() + b.square, blocks_.damping.data() + b.square, sum);
}

void NewtonGather::add_far(const LinearizedForces::Far& far, NewtonSum& sum) {
  std::vector<const Pattern*> patterns;
  for (std::size_t k = 0; k < far.count; ++k) {
    const Pattern& p = forces_.pattern(far.first + k);
    patterns.push_back(p.v == TreeBlocks::none ? &p : &directions_[p.v]);
  }
  add_patterns(patterns, forces_.far_K(far), forces_.far_G(far), sum);
}

/// Loads of patterns by displacements of the same patterns.
void NewtonGather::add_patterns(std::span<const Pattern*> patterns, const double* K, const double* G, NewtonSum& sum) {
  std::vector<std::uint32_t> frames;
  for (const Pattern* p : patterns)
    for (const std::uint32_t f : p->frame)
      if (f != TreeBlocks::none && std::ranges::find(frames, f) == frames.end()) frames.push_back(f);
  const std::size_t n = patterns.size();
  for (const std::uint32_t to : frames)
    for (const std::uint32_t by : frames) {
      Six<double> stiff, damp;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c)
          for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t b = 0; b < 2; ++b) {
              if (patterns[r]->frame[a] != to || patterns[c]->frame[b] != by) continue;
              const Spatial &left = patterns[r]->wrench[a], &right = patterns[c]->wrench[b];
              for (std::size_t i = 0; i < 6; ++i)
                for (std::size_t j = 0; j < 6; ++j) {
                  stiff(i, j) -= K[r * n + c] * left[i] * right[j];
                  damp(i, j) -= G[r * n + c] * left[i] * right[j];
                }
            }
      add(to, by, stiff, damp, sum);
    }
}

/// Wrenches on a frame by displacements of a frame.
void NewtonGather::add(std::size_t to, std::size_t by, const Six<double>& K, const Six<double>& G, NewtonSum& sum) {
  const Station &row = stations_[to], &column = stations_[by];
  const std::size_t rows = 6 + modes_of(to), columns = 6 + modes_of(by);
  const Vec3& omega = equations_.frames()[column.body].V.angular;
  // At fixed displacements of the algebra the rate has ½ ω×φ besides.
  Six<double> stiff = K, damp = G;
  shift_columns(stiff, column.r);
  shift_columns(damp, column.r);
  const Mat3 w = skew(0.5 * omega);
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 3; ++k) stiff(r, c) += damp(r, k) * w(k, c);
  for (std::size_t c = 0; c < columns; ++c) {
    Spatial by_stiffness, by_damping;
    if (c < 6) {
      for (std::size_t r = 0; r < 6; ++r) {
        by_stiffness[r] = stiff(r, c);
        by_damping[r] = damp(r, c);
      }
    } else {
      by_stiffness = multiply(K, mode(by, c - 6));
      by_damping = multiply(G, mode(by, c - 6));
    }
    const auto at_point = [&](const Spatial& z) {
      return Spatial{z.angular + cross(row.r, z.linear), z.linear};
    };
    const Spatial moved = at_point(by_stiffness), moved_damping = at_point(by_damping);
    for (std::size_t r = 0; r < rows; ++r) {
      const double k = r < 6 ? moved[r] : dot(mode(to, r - 6), by_stiffness);
      const double g = r < 6 ? moved_damping[r] : dot(mode(to, r - 6), by_damping);
      sum.add(equations_.offset(row.body) + r, equations_.offset(column.body) + c, {0, g, k, g});
    }
  }
}

double NewtonGather::inertia_of(std::size_t body, std::size_t e) const {
  if (view_.bodies[body].flexible != rigid) return equations_.mass_matrix(body)[e * (equations_.size(body) + 1)];
  const Sym3& J = equations_.inertia(body);
  return e == 0 ? J.xx : e == 1 ? J.yy : e == 2 ? J.zz : view_.bodies[body].mass;
}

void NewtonGather::add_rows(NewtonSum& sum) {
  const std::size_t unknowns = equations_.offset(equations_.blocks());
  for (std::size_t i = 0; i < equations_.constraints(); ++i) {
    const std::size_t rows = equations_.rows(i);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t row = unknowns + equations_.first_row(i) + r;
      double compliance = 0;
      for (std::size_t k = 0; k < equations_.constrained_blocks(i); ++k) {
        const AbsoluteEquations::Coefficients c = equations_.coefficients(i, k);
        const std::size_t first = equations_.offset(c.block), own = c.own.size() / rows;
        const auto put = [&](std::size_t column, double a) {
          sum.add(row, column, {.M = -a});
          sum.add(column, row, {.M = -a});
        };
        for (std::size_t e = 0; e < 6 && !c.frame.empty(); ++e) {
          put(first + e, c.frame[r][e]);
          const double inertia = inertia_of(c.block, e);
          if (inertia > 0) compliance += c.frame[r][e] * c.frame[r][e] / inertia;
        }
        for (std::size_t e = 0; e < own; ++e) put(first + (c.frame.empty() ? 0 : 6) + e, c.own[r * own + e]);
      }
      sum.add(row, row, {.M = -softness * compliance});
    }
  }
}

}  // namespace polyform::absolute
