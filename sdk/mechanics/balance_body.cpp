#include "balance_body.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::balance {

namespace {

constexpr double forces_count = Balance::forces_count;

double product(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/// Positions that violate the joints turn reactions by that much.
double turned_by(const Observation& now) { return forces_count + std::min(1.0, now.position_violation); }

}  // namespace

BodyBalance::BodyBalance(const SystemView& view, const SystemScales& scales, const Loads& loads)
    : view_(view), system_scales_(scales), loads_(loads) {
  std::size_t longest = 6;
  for (const FlexibleData& f : view.flexible) longest = std::max(longest, 6 + f.modes);
  rest_.resize(longest);
  scale_.resize(longest);
  find_rows();
  std::size_t most = 0, same = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    same = k > 0 && rows_[k].body == rows_[k - 1].body ? same + 1 : 1;
    most = std::max(most, same);
  }
  basis_.resize(most * longest);
}

void BodyBalance::find_rows() {
  const auto elements = loads_.constraints().elements();
  for (std::size_t e = 0; e < elements.size(); ++e)
    for (std::size_t m = 0; m < elements[e].markers.size(); ++m)
      for (std::size_t r = 0; r < elements[e].rows && !is_ground(elements[e].markers[m].body); ++r)
        rows_.push_back({at(elements[e].markers[m].body), e, r, m});
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.body < b.body; });
}

void BodyBalance::start() noexcept {
  overshadowed_ = 0;
  overshadowed_body_ = 0;
}

std::size_t BodyBalance::size_of(std::size_t body) const noexcept {
  const std::size_t f = view_.bodies[body].flexible;
  return f == rigid ? 6 : loads_.flexible().size(f);
}

double BodyBalance::part(std::size_t body, const Observation& now, const Rounding& rounding) noexcept {
  if (view_.bodies[body].flexible == rigid)
    balance_rigid(body, now, rounding);
  else
    balance_flexible(view_.bodies[body].flexible, now);
  const std::size_t n = size_of(body);
  for (std::size_t k = 0; k < 6; ++k) {
    const double rounded = k < 3 ? rounding.force * rounding.length : rounding.force;
    rest_[k] = std::copysign(std::max(0.0, std::abs(rest_[k]) - rounded), rest_[k]);
  }
  for (std::size_t k = 0; k < n; ++k) rest_[k] = scale_[k] > 0 ? rest_[k] / scale_[k] : 0.0;
  if (!rows_.empty()) remove_constraint_forces(body);
  double part = 0;
  for (std::size_t k = 0; k < n; ++k) part = std::max(part, std::abs(rest_[k]));
  return part;
}

void BodyBalance::note_shadow(std::size_t body, double times) noexcept {
  if (!(times > overshadowed_)) return;
  overshadowed_ = times;
  overshadowed_body_ = body;
}

/// m a_C = f, and J α + ω × J ω = moments about the mass centre; ground axes.
void BodyBalance::balance_rigid(std::size_t i, const Observation& now, const Rounding& rounding) noexcept {
  const BodyData& body = view_.bodies[i];
  const BodyMotion& m = loads_.frames()[i];
  const Spatial &acceleration = loads_.accelerations()[i], &load = loads_.loads()[i];
  const Terms& terms = loads_.terms()[i];
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
  const double turned = turned_by(now);
  const double moved = norm(acceleration.linear) + norm(view_.gravity) + norm(turning) +
                       (norm(alpha) + dot(omega, omega)) * gyration + norm(alpha) * norm(arm);
  const double own_force = body.mass * moved, of_force = own_force + turned * terms.force;
  const double own_moment = own_force * gyration + norm(J_alpha) + norm(gyroscopic);
  // Places have the rounding of the size of the system, and so have the moments of forces.
  const double of_moment =
      own_moment + turned * (terms.moment + (norm(arm) + system_scales_.largest_reach()) * terms.force);
  // The forces cannot overshadow a body without mass or moments of inertia. A body that hardly accelerates counts as if
  // it took part in the motion of the system: smaller errors of its acceleration are none.
  const double shared_force = body.mass * std::max(moved, least_share * largest_acceleration_);
  const double shared_moment = std::max(own_moment, shared_force * gyration);
  if (shared_force > 0) note_shadow(i, (terms.force - rounding.force) / shared_force);
  if (trace > 0 && shared_moment > 0) note_shadow(i, (terms.moment - rounding.force * rounding.length) / shared_moment);
  for (std::size_t k = 0; k < 3; ++k) {
    rest_[k] = moment[k];
    rest_[3 + k] = force[k];
    scale_[k] = of_moment;
    scale_[3 + k] = of_force;
  }
}

/// mass [α; a − g; η̈] = force + loads; body axes about the frame origin.
void BodyBalance::balance_flexible(std::size_t element, const Observation& now) noexcept {
  const FlexibleData& data = view_.flexible[element];
  const std::size_t i = at(data.body), n = loads_.flexible().size(element);
  const BodyMotion& m = loads_.frames()[i];
  std::fill(rest_.begin(), rest_.end(), 0.0);
  std::fill(scale_.begin(), scale_.end(), 0.0);
  const double turned = turned_by(now);
  Spatial on_body = loads_.loads()[i];
  Terms terms = loads_.terms()[i];
  add_nodes(element, turned, on_body, terms);
  const Spatial& a = loads_.accelerations()[i];
  const Spatial rates{transpose_times(m.R, a.angular), transpose_times(m.R, a.linear - view_.gravity)};
  const Spatial loads{transpose_times(m.R, on_body.angular), transpose_times(m.R, on_body.linear)};
  const double weight = norm(a.linear) + norm(view_.gravity);
  const std::span<const double> mass = loads_.flexible().mass(element), force = loads_.flexible().force(element);
  double largest[2] = {};
  for (std::size_t r = 0; r < n; ++r) {
    if (r < 6) {
      rest_[r] = loads[r];
      scale_[r] = turned * (r < 3 ? terms.moment + system_scales_.largest_reach() * terms.force : terms.force);
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
  // The directions of a vector count alike, and a mode with small loads counts like the motion of the body.
  double normal = 0;
  for (std::size_t r = 0; r < 6; ++r) scale_[r] = largest[r / 3];
  for (std::size_t r = 0; r < n; ++r)
    if (mass[r * n + r] > 0) normal = std::max(normal, scale_[r] / std::sqrt(mass[r * n + r]));
  for (std::size_t r = 6; r < n; ++r) scale_[r] = std::max(scale_[r], normal * std::sqrt(mass[r * n + r]));
}

/// Adds the loads on the nodes of a flexible body to those on its frame and its modes.
void BodyBalance::add_nodes(std::size_t element, double turned, Spatial& on_body, Terms& terms) noexcept {
  const FlexibleData& data = view_.flexible[element];
  const NodeMotions& nodes = loads_.nodes();
  const std::size_t first = nodes.empty() ? 0 : nodes.first_of(data.body);
  const std::size_t end = nodes.empty() ? 0 : nodes.end_of(data.body);
  for (std::size_t node = first; node < end; ++node) {
    const std::size_t f = view_.bodies.size() + node;
    const Terms& at_node = loads_.terms()[f];
    nodes.add_wrench(node, loads_.frames(), loads_.loads()[f], on_body, rest_.data() + 6);
    terms.force += at_node.force;
    terms.moment += at_node.moment + norm(nodes[node].p) * at_node.force;
    for (std::size_t k = 0; k < data.modes; ++k) {
      const Spatial& h = nodes.H(node)[k];
      scale_[6 + k] += turned * (norm(h.angular) * at_node.moment + norm(h.linear) * at_node.force);
    }
  }
}

/// The forces of constraint elements on markers are not observed. So whatever they could put on the body, of any size,
/// is taken off the imbalance. rest_ has been scaled before.
void BodyBalance::remove_constraint_forces(std::size_t body) noexcept {
  const auto first =
      std::lower_bound(rows_.begin(), rows_.end(), body, [](const Row& r, std::size_t b) { return r.body < b; });
  const std::size_t n = size_of(body);
  std::size_t known = 0;
  for (auto row = first; row != rows_.end() && row->body == body; ++row) {
    double* w = basis_.data() + known * n;
    std::fill_n(w, n, 0.0);
    enter_row(*row, w);
    for (std::size_t k = 0; k < n; ++k) w[k] = scale_[k] > 0 ? w[k] / scale_[k] : 0.0;
    const double before = product(w, w, n);
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t b = 0; b < known; ++b) {
        const double c = product(basis_.data() + b * n, w, n);
        for (std::size_t k = 0; k < n; ++k) w[k] -= c * basis_[b * n + k];
      }
    const double left = product(w, w, n);
    constexpr double dependent = 1e-20;          // squared: rounding of rows with levers of a million
    if (!(left > dependent * before)) continue;  // depends on the others
    for (std::size_t k = 0; k < n; ++k) w[k] /= std::sqrt(left);
    const double c = product(w, rest_.data(), n);
    for (std::size_t k = 0; k < n; ++k) rest_[k] -= c * w[k];
    ++known;
  }
}

/// Writes the load of a unit multiplier of a row on the body, in the form of rest_.
void BodyBalance::enter_row(const Row& row, double* w) const noexcept {
  const ConstraintSet::Element& e = loads_.constraints().elements()[row.element];
  const Spatial& A = e.A[row.row * e.markers.size() + row.marker];
  const Marker& marker = e.markers[row.marker];
  const BodyMotion& m = loads_.frames()[row.body];
  Spatial on_body;
  if (view_.bodies[row.body].flexible == rigid) {
    const Vec3 arm = e.arms[row.marker] - m.R * view_.bodies[row.body].center_of_mass;
    on_body = {A.angular + cross(arm, A.linear), A.linear};
  } else {
    if (marker.frame == frame_of(marker.body))
      on_body = {A.angular + cross(e.arms[row.marker], A.linear), A.linear};
    else
      loads_.nodes().add_wrench(at(marker.frame) - view_.bodies.size(), loads_.frames(), A, on_body, w + 6);
    on_body = {transpose_times(m.R, on_body.angular), transpose_times(m.R, on_body.linear)};
  }
  for (std::size_t k = 0; k < 6; ++k) w[k] = on_body[k];
}

}  // namespace polyform::balance
