#include "polyform/mechanics/balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform {

namespace {

/// So many roundings of the largest force are no imbalance of any body.
constexpr double roundings = 4 * std::numeric_limits<double>::epsilon();

}  // namespace

Balance::Balance(const SystemView& view, const std::vector<bool>& absent)
    : view_(view), yardstick_(view), forces_(view), flexible_(view), constraints_(view), modules_(view), joints_(view.joints), nodes_(view),
      frames_(view.frames()), accelerations_(view.frames()), wrenches_(view.frames()), loads_(view.frames()),
      terms_(view.frames()), efforts_(view.nv), rates_(view.states), driven_(view.joints.size()), loose_(view.bodies.size(), true),
      parts_(view.bodies.size()) {
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    if (joint.nv == 6 || (!absent.empty() && absent[j])) continue;
    for (const BodyIndex b : {joint.base, joint.moving})
      if (!is_ground(b)) loose_[at(b)] = false;
  }
  std::size_t longest = 6;
  for (const FlexibleData& f : view.flexible) longest = std::max(longest, 6 + f.modes);
  const auto& elements = constraints_.elements();
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (const JointIndex j : elements[e].joints) {
      driven_[at(j)] = true;
      for (const BodyIndex b : {view.joints[at(j)].base, view.joints[at(j)].moving})
        if (!is_ground(b)) loose_[at(b)] = false;
    }
    for (std::size_t m = 0; m < elements[e].markers.size(); ++m)
      for (std::size_t r = 0; r < elements[e].rows && !is_ground(elements[e].markers[m].body); ++r)
        rows_.push_back({at(elements[e].markers[m].body), e, r, m});
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.body < b.body; });
  std::size_t most = 0, same = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    same = k > 0 && rows_[k].body == rows_[k - 1].body ? same + 1 : 1;
    most = std::max(most, same);
  }
  basis_.resize(most * longest);
  rest_.resize(longest);
  scale_.resize(longest);
}

void Balance::note(double part, Imbalance::Of of, std::string_view name) noexcept {
  if (!(part > worst_.part)) return;
  worst_ = {part, of, name};
}

void Balance::note_shadow(std::size_t body, double times) noexcept {
  if (!(times > overshadowed_)) return;
  overshadowed_ = times;
  overshadowed_body_ = body;
}

/// Whether any joint transmits anything.
bool Balance::has_reactions(const Observation& now) const noexcept {
  const auto acts = [](const Spatial& w) { return norm(w.angular) + norm(w.linear) != 0; };
  return std::ranges::any_of(now.reactions, acts);
}

const Imbalance& Balance::check(double at_time, const Observation& now) noexcept {
  worst_ = {};
  overshadowed_ = 0;
  overshadowed_body_ = 0;
  place(at_time, now);
  load_modules(now);
  linear_ = angular_ = rounded_force_ = longest_ = 0;
  std::fill(parts_.begin(), parts_.end(), 0.0);
  const bool told = has_reactions(now);
  looked_ = told || std::ranges::find(loose_, false) == loose_.end();
  if (told || std::ranges::find(loose_, true) != loose_.end()) {
    load_joints(now);
    double force = 0, moment = 0, mass = 0, inertia = 0;
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const BodyData& b = view_.bodies[i];
      force += terms_[i].force;
      moment += terms_[i].moment;
      mass += b.mass;
      inertia += b.inertia.xx + b.inertia.yy + b.inertia.zz + b.mass * dot(b.center_of_mass, b.center_of_mass);
    }
    // What hardly feels anything has the rounding of what acts beside it.
    double most = 0, rounded = 0;
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const BodyData& b = view_.bodies[i];
      const double acting =
          terms_[i].force + yardstick_.mass(i) * (norm(view_.gravity) + norm(accelerations_[i].linear));
      most = std::max(most, acting);
      const double trace = b.inertia.xx + b.inertia.yy + b.inertia.zz;
      const double length = std::max({yardstick_.largest_reach(), norm(b.center_of_mass),
                                      b.mass > 0 ? std::sqrt(0.5 * trace / b.mass) : 0});
      // What turns counts as the mass that it is at that length.
      const Vec3 &v = frames_[i].V.linear, &omega = frames_[i].V.angular;
      const double feels = yardstick_.mass(i) + (length > 0 ? 0.5 * trace / (length * length) : 0);
      const double moved = norm(view_.gravity) + (length > 0 ? dot(v, v) / length : 0) + dot(omega, omega) * length;
      rounded = std::max(rounded, acting + feels * moved);
      longest_ = std::max(longest_, length);
    }
    rounded_force_ = roundings * rounded;
    for (Terms& t : terms_) {
      t.force += least_share * most;
      t.moment += least_share * most * yardstick_.largest_reach();
    }
    linear_ = mass > 0 ? forces_count * force / mass : 0;
    angular_ = inertia > 0 ? forces_count * moment / inertia : 0;
    for (std::size_t i = 0; i < view_.bodies.size(); ++i)
      if (!told && !loose_[i]) continue;
      else if (view_.bodies[i].flexible == rigid) balance_rigid(i, now);
      else balance_flexible(view_.bodies[i].flexible, now);
  }
  balance_modules(now);
  return worst_;
}

/// Motions and accelerations of all frames, and all that the elements apply.
void Balance::place(double t, const Observation& now) noexcept {
  observed_motions(now, nodes_, frames_);
  observed_accelerations(now, nodes_, frames_, accelerations_);
  if (!flexible_.empty()) flexible_.evaluate(frames_, now.eta.data(), now.etadot.data());
  std::fill(loads_.begin(), loads_.end(), Spatial{});
  std::fill(terms_.begin(), terms_.end(), Terms{});
  std::fill(efforts_.begin(), efforts_.end(), 0.0);
  forces_.follow(now.discrete);
  constraints_.follow(now.discrete);
  modules_.follow(now.discrete);
  if (!forces_.empty()) {
    forces_.evaluate(t, frames_, now.q, now.v, now.x, wrenches_, efforts_, rates_);
    for (const BodyIndex b : forces_.loaded_bodies()) load_frame(frame_of(b), {}, wrenches_[at(b)]);
    for (const FrameIndex f : forces_.loaded_nodes()) load_frame(f, {}, wrenches_[at(f)]);
  }
  if (!constraints_.elements().empty()) constraints_.evaluate(t, frames_, now.q, now.v);
  if (!modules_.empty()) modules_.evaluate(t, frames_, now.q, now.v, now.x);
  joints_.evaluate(now.q.data(), now.v.data());
}

/// A wrench about a point, arm away from the origin of the frame that it acts on.
void Balance::load_frame(FrameIndex f, const Vec3& arm, const Spatial& wrench) noexcept {
  if (is_ground(f)) return;
  loads_[at(f)] += Spatial{wrench.angular + cross(arm, wrench.linear), wrench.linear};
  terms_[at(f)].moment += norm(wrench.angular) + norm(arm) * norm(wrench.linear);
  terms_[at(f)].force += norm(wrench.linear);
}

/// What the modules put on markers and joints, with the multipliers as observed.
void Balance::load_modules(const Observation& now) noexcept {
  const double* multipliers = now.module_multipliers.data();
  for (const ModuleSet::Module& m : modules_.modules()) {
    const std::size_t markers = m.rows.markers.size();
    for (std::size_t k = 0; k < markers; ++k) {
      Spatial w = m.wrenches[k];
      for (std::size_t r = 0; r < m.rows.rows; ++r) w += multipliers[r] * m.rows.A[r * markers + k];
      load_frame(m.rows.markers[k].frame, m.rows.arms[k], w);
    }
    std::size_t place = 0;
    for (const JointIndex j : m.rows.joints)
      for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k, ++place) {
        double effort = m.efforts[place];
        for (std::size_t r = 0; r < m.rows.rows; ++r) effort += multipliers[r] * m.rows.B[r * m.rows.velocities + place];
        efforts_[view_.joints[at(j)].v_offset + k] += effort;
      }
    multipliers += m.rows.rows;
  }
}

/// The reactions as observed, but along the free directions of a joint only what acts there: what a solver gives beyond
/// that holds no body.
void Balance::load_joints(const Observation& now) noexcept {
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const BodyMotion &base = motion_of(joint.base_frame, frames_), &moving = motion_of(joint.moving_frame, frames_);
    Spatial w = now.reactions[j];
    if (!driven_[j] && joint.nv > 0) {
      const Spatial in_F{transpose_times(base.R, w.angular), transpose_times(base.R, w.linear)};
      double extra[6];
      for (std::size_t k = 0; k < joint.nv; ++k)
        extra[k] = dot(joints_[j].H[k], in_F) - efforts_[joint.v_offset + k];
      w -= reaction_in_ground(base, effort_wrench(joints_[j], joint.nv, extra));
    }
    // By coordinates, not by the difference of two places, which far from the ground origin are rounded.
    load_frame(joint.moving_frame, moving.R * joint.p_moving, w);
    load_frame(joint.base_frame, base.R * (joint.p_base + joints_[j].p_FM), -1.0 * w);
  }
}

/// m a_C = f, and J α + ω × J ω = moments about the mass centre; ground axes.
void Balance::balance_rigid(std::size_t i, const Observation& now) noexcept {
  const BodyData& body = view_.bodies[i];
  const BodyMotion& m = frames_[i];
  const Spatial &acceleration = accelerations_[i], &load = loads_[i];
  const Vec3 &omega = m.V.angular, &alpha = acceleration.angular;
  const Vec3 arm = m.R * body.center_of_mass;
  const Vec3 turning = cross(omega, cross(omega, arm));
  const Vec3 of_center = acceleration.linear + cross(alpha, arm) + turning;
  const Vec3 alpha_body = transpose_times(m.R, alpha), omega_body = transpose_times(m.R, omega);
  const Vec3 J_alpha = body.inertia * alpha_body, gyroscopic = cross(omega_body, body.inertia * omega_body);
  const Vec3 force = load.linear + body.mass * (view_.gravity - of_center);
  const Vec3 moment = load.angular - cross(arm, load.linear) - m.R * (J_alpha + gyroscopic);

  const double trace = body.inertia.xx + body.inertia.yy + body.inertia.zz;
  const double gyration = body.mass > 0 ? std::sqrt(0.5 * trace / body.mass) : 0;
  // Positions that violate the joints turn reactions by that much.
  const double turned = forces_count + std::min(1.0, now.position_violation);
  const double moved = norm(acceleration.linear) + norm(view_.gravity) + norm(turning) +
                       (norm(alpha) + dot(omega, omega)) * gyration + norm(alpha) * norm(arm);
  const double own_force = body.mass * moved, of_force = own_force + turned * terms_[i].force;
  const double own_moment = own_force * gyration + norm(J_alpha) + norm(gyroscopic);
  // Places have the rounding of the size of the system, and forces have moments by it.
  const double of_moment =
      own_moment + turned * (terms_[i].moment + (norm(arm) + yardstick_.largest_reach()) * terms_[i].force);
  // A body without mass or moments of inertia has none to be overshadowed.
  if (own_force > 0) note_shadow(i, terms_[i].force / own_force);
  if (trace > 0 && own_moment > 0) note_shadow(i, terms_[i].moment / own_moment);
  for (std::size_t k = 0; k < 3; ++k) {
    rest_[k] = moment[k];
    rest_[3 + k] = force[k];
    scale_[k] = of_moment;
    scale_[3 + k] = of_force;
  }
  finish_body(i);
}

/// mass [α; a − g; η̈] = force + loads; body axes about the frame origin.
void Balance::balance_flexible(std::size_t element, const Observation& now) noexcept {
  const FlexibleData& data = view_.flexible[element];
  const std::size_t i = at(data.body), n = flexible_.size(element);
  const BodyMotion& m = frames_[i];
  std::fill(rest_.begin(), rest_.end(), 0.0);
  std::fill(scale_.begin(), scale_.end(), 0.0);
  const double turned = forces_count + std::min(1.0, now.position_violation);
  Spatial on_body = loads_[i];
  Terms terms = terms_[i];
  const std::size_t first = nodes_.empty() ? 0 : nodes_.first_of(data.body);
  const std::size_t end = nodes_.empty() ? 0 : nodes_.end_of(data.body);
  for (std::size_t node = first; node < end; ++node) {
    const std::size_t f = view_.bodies.size() + node;
    nodes_.add_wrench(node, frames_, loads_[f], on_body, rest_.data() + 6);
    terms.force += terms_[f].force;
    terms.moment += terms_[f].moment + norm(nodes_[node].p) * terms_[f].force;
    for (std::size_t k = 0; k < data.modes; ++k) {
      const Spatial& h = nodes_.H(node)[k];
      scale_[6 + k] += turned * (norm(h.angular) * terms_[f].moment + norm(h.linear) * terms_[f].force);
    }
  }
  const Spatial& a = accelerations_[i];
  const Spatial rates{transpose_times(m.R, a.angular), transpose_times(m.R, a.linear - view_.gravity)};
  const Spatial loads{transpose_times(m.R, on_body.angular), transpose_times(m.R, on_body.linear)};
  const double weight = norm(a.linear) + norm(view_.gravity);
  const std::span<const double> mass = flexible_.mass(element), force = flexible_.force(element);
  double largest[2] = {};
  for (std::size_t r = 0; r < n; ++r) {
    if (r < 6) {
      rest_[r] = loads[r];
      scale_[r] = turned * (r < 3 ? terms.moment + yardstick_.largest_reach() * terms.force : terms.force);
    }
    rest_[r] += force[r];
    scale_[r] += forces_count * std::abs(force[r]);
    for (std::size_t s = 0; s < n; ++s) {
      const double rate = s < 6 ? rates[s] : now.modal_acceleration[data.mode_offset + s - 6];
      rest_[r] -= mass[r * n + s] * rate;
      scale_[r] += std::abs(mass[r * n + s]) * (s >= 3 && s < 6 ? weight : std::abs(rate));
    }
    if (r < 6) largest[r / 3] = std::max(largest[r / 3], scale_[r]);
  }
  // One direction of a vector counts like another, and a mode that hardly feels anything like what moves the body.
  double normal = 0;
  for (std::size_t r = 0; r < 6; ++r) scale_[r] = largest[r / 3];
  for (std::size_t r = 0; r < n; ++r)
    if (mass[r * n + r] > 0) normal = std::max(normal, scale_[r] / std::sqrt(mass[r * n + r]));
  for (std::size_t r = 6; r < n; ++r) scale_[r] = std::max(scale_[r], normal * std::sqrt(mass[r * n + r]));
  finish_body(i);
}

/// The forces of constraint elements on markers are not observed: what they could put on the body, of any size, is no
/// imbalance. rest_ is scaled by then.
void Balance::remove_constraint_forces(std::size_t body) noexcept {
  const auto first = std::lower_bound(rows_.begin(), rows_.end(), body, [](const Row& r, std::size_t b) { return r.body < b; });
  const bool is_rigid = view_.bodies[body].flexible == rigid;
  const std::size_t n = is_rigid ? 6 : flexible_.size(view_.bodies[body].flexible);
  const BodyMotion& m = frames_[body];
  std::size_t known = 0;
  for (auto row = first; row != rows_.end() && row->body == body; ++row) {
    const ConstraintSet::Element& e = constraints_.elements()[row->element];
    const Spatial& A = e.A[row->row * e.markers.size() + row->marker];
    const Marker& marker = e.markers[row->marker];
    double* w = basis_.data() + known * n;
    std::fill_n(w, n, 0.0);
    Spatial on_body;
    if (is_rigid) {
      const Vec3 arm = e.arms[row->marker] - m.R * view_.bodies[body].center_of_mass;
      on_body = {A.angular + cross(arm, A.linear), A.linear};
    } else {
      if (marker.frame == frame_of(marker.body))
        on_body = {A.angular + cross(e.arms[row->marker], A.linear), A.linear};
      else
        nodes_.add_wrench(at(marker.frame) - view_.bodies.size(), frames_, A, on_body, w + 6);
      on_body = {transpose_times(m.R, on_body.angular), transpose_times(m.R, on_body.linear)};
    }
    for (std::size_t k = 0; k < 6; ++k) w[k] = on_body[k];
    for (std::size_t k = 0; k < n; ++k) w[k] = scale_[k] > 0 ? w[k] / scale_[k] : 0.0;
    const auto product = [n](const double* a, const double* b) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
      return sum;
    };
    const double before = product(w, w);
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t b = 0; b < known; ++b) {
        const double c = product(basis_.data() + b * n, w);
        for (std::size_t k = 0; k < n; ++k) w[k] -= c * basis_[b * n + k];
      }
    const double left = product(w, w);
    if (!(left > 1e-20 * before)) continue;  // depends on the others
    for (std::size_t k = 0; k < n; ++k) w[k] /= std::sqrt(left);
    const double c = product(w, rest_.data());
    for (std::size_t k = 0; k < n; ++k) rest_[k] -= c * w[k];
    ++known;
  }
}

void Balance::finish_body(std::size_t body) noexcept {
  const std::size_t f = view_.bodies[body].flexible, n = f == rigid ? 6 : flexible_.size(f);
  for (std::size_t k = 0; k < 6; ++k) {
    const double rounding = k < 3 ? rounded_force_ * longest_ : rounded_force_;
    rest_[k] = std::copysign(std::max(0.0, std::abs(rest_[k]) - rounding), rest_[k]);
  }
  for (std::size_t k = 0; k < n; ++k) rest_[k] = scale_[k] > 0 ? rest_[k] / scale_[k] : 0.0;
  if (!rows_.empty()) remove_constraint_forces(body);
  double part = 0;
  for (std::size_t k = 0; k < n; ++k) part = std::max(part, std::abs(rest_[k]));
  parts_[body] = part;
  note(part, Imbalance::Of::body, view_.bodies[body].name);
}

/// The rounding of a multiplier whose row holds bodies and joints: that of what acts there, by the row's own levers.
double Balance::rounding_of_multiplier(const ModuleSet::Module& m, std::size_t row) const noexcept {
  double least = std::numeric_limits<double>::infinity();
  const auto holds = [&](const Vec3& part, double rounding) {
    if (const double lever = norm(part); lever > 0) least = std::min(least, rounding / lever);
  };
  const std::size_t markers = m.rows.markers.size();
  for (std::size_t k = 0; k < markers; ++k) {
    const Spatial& A = m.rows.A[row * markers + k];
    holds(A.angular, rounded_force_ * longest_);
    holds(A.linear, rounded_force_);
  }
  const double* B = m.rows.B.data() + row * m.rows.velocities;
  for (const JointIndex j : m.rows.joints)
    for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k, ++B) {
      const Spatial& H = joints_[at(j)].H[k];
      if (*B == 0) continue;
      const double rounding = rounded_force_ * (longest_ * norm(H.angular) + norm(H.linear));
      least = std::min(least, rounding / std::abs(*B));
    }
  return std::isfinite(least) ? least : 0.0;
}

/// M α = f + Aᵀλ.
void Balance::balance_modules(const Observation& now) noexcept {
  const double* multipliers = now.module_multipliers.data();
  for (const ModuleSet::Module& m : modules_.modules()) {
    const std::size_t n = m.variables;
    for (std::size_t r = 0; r < n; ++r) {
      double rest = m.f[r], size = forces_count * std::abs(m.f[r]), rounding = 0;
      for (std::size_t s = 0; s < n; ++s) {
        const double inertia = m.M[r * n + s] * now.state_rates[m.u + s];
        rest -= inertia;
        size += std::abs(inertia);
      }
      for (std::size_t k = 0; k < m.rows.rows; ++k) {
        const double held = m.A[k * n + r] * multipliers[k];
        rest += held;
        size += forces_count * std::abs(held);
        if (m.A[k * n + r] != 0) rounding += std::abs(m.A[k * n + r]) * rounding_of_multiplier(m, k);
      }
      rest = std::max(0.0, std::abs(rest) - rounding);
      if (rest > 0) note(rest / size, Imbalance::Of::module, m.rows.name);
    }
    multipliers += m.rows.rows;
  }
}

}  // namespace polyform
