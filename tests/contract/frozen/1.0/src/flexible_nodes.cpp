#include "polyform/mechanics/flexible_nodes.hpp"

#include <cmath>

namespace polyform {
namespace {

/// Coefficients of the left Jacobian and their derivatives by φ over φ.
struct Coefficients {
  double a, b;    ///< (1 − cos φ)/φ², (φ − sin φ)/φ³
  double da, db;  ///< a'/φ, b'/φ
};

Coefficients coefficients(double squared) {
  if (squared < 1) {
    // The closed forms cancel. a = Σ (−φ²)ᵏ / (2k+2)!, b = Σ (−φ²)ᵏ / (2k+3)!; the first left out is below 1e-17.
    Coefficients c{0.5, 1.0 / 6, 0, 0};
    double term = 1, power = 1;  // 2/(2k+2)!, and (−1)ᵏ φ²ᵏ⁻²
    for (int k = 1; k < 9; ++k) {
      const double n = 2 * k;
      term /= (n + 1) * (n + 2);
      power = k == 1 ? -1 : -squared * power;
      const double in_a = term * power, in_b = in_a / (n + 3);
      c.a += in_a * squared * 0.5;
      c.b += in_b * squared * 0.5;
      c.da += in_a * n * 0.5;
      c.db += in_b * n * 0.5;
    }
    return c;
  }
  const double angle = std::sqrt(squared), s = std::sin(angle), v = 1 - std::cos(angle);
  return {v / squared, (angle - s) / (squared * angle), (angle * s - 2 * v) / (squared * squared),
          (angle * v - 3 * (angle - s)) / (squared * squared * angle)};
}

Vec3 column(std::span<const double> m, std::size_t modes, std::size_t k) {
  return {m[k], m[modes + k], m[2 * modes + k]};
}
Vec3 combine(std::span<const double> m, std::span<const double> eta) {
  Vec3 sum;
  for (std::size_t k = 0; k < eta.size(); ++k) sum += eta[k] * column(m, eta.size(), k);
  return sum;
}

/// Γ_k·x along each axis of a mode k: of the m × m matrices of the three axes its row.
Vec3 second_order_row(const FlexibleNode& node, std::size_t k, std::span<const double> x) {
  const std::size_t m = x.size();
  Vec3 sum;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double* row = node.second_order.data() + (axis * m + k) * m;
    for (std::size_t l = 0; l < m; ++l) sum[axis] += row[l] * x[l];
  }
  return sum;
}

/// What the displacement of second order adds.
void add_second_order(const FlexibleNode& node, std::span<const double> eta, std::span<const double> etadot,
                      NodeMotion& out, std::span<Spatial> H) {
  for (std::size_t k = 0; k < eta.size(); ++k) {
    const Vec3 by_eta = second_order_row(node, k, eta);
    out.p += (0.5 * eta[k]) * by_eta;
    out.twist.linear += etadot[k] * by_eta;
    out.bias.linear += etadot[k] * second_order_row(node, k, etadot);
    H[k].linear += by_eta;
  }
}

}  // namespace

void node_motion(const FlexibleNode& node, std::span<const double> eta, std::span<const double> etadot, NodeMotion& out,
                 std::span<Spatial> H) noexcept {
  const Vec3 theta = combine(node.rotation, eta), rate = combine(node.rotation, etadot);
  const auto [a, b, da, db] = coefficients(dot(theta, theta));
  const auto left_jacobian = [&, a = a, b = b](const Vec3& x) {
    const Vec3 c = cross(theta, x);
    return x + a * c + b * cross(theta, c);
  };
  // exp(θ) = 1 + (sin φ/φ) θ̃ + a θ̃θ̃ with sin φ/φ = 1 − φ² b.
  const Mat3 t = skew(theta);
  out.R = Mat3::identity() + (1 - dot(theta, theta) * b) * t + a * (t * t);
  out.p = node.point + combine(node.displacement, eta);
  out.twist = {left_jacobian(rate), combine(node.displacement, etadot)};
  const Vec3 c = cross(theta, rate);
  const double along = dot(theta, rate);
  out.bias = {(da * along) * c + (db * along) * cross(theta, c) + b * cross(rate, c), {}};
  for (std::size_t k = 0; k < eta.size(); ++k)
    H[k] = {left_jacobian(column(node.rotation, eta.size(), k)), column(node.displacement, eta.size(), k)};
  if (!node.second_order.empty()) add_second_order(node, eta, etadot, out, H);
}

void node_from_body(const NodeMotion& n, const BodyMotion& body, BodyMotion& node) noexcept {
  const Vec3 arm = body.R * n.p;
  node.R = body.R * n.R;
  node.p = body.p + arm;
  node.V = {body.V.angular + body.R * n.twist.angular,
            body.V.linear + cross(body.V.angular, arm) + body.R * n.twist.linear};
}

void body_from_node(const NodeMotion& n, const BodyMotion& node, BodyMotion& body) noexcept {
  body.R = times_transpose(node.R, n.R);
  const Vec3 arm = body.R * n.p;
  body.p = node.p - arm;
  body.V.angular = node.V.angular - body.R * n.twist.angular;
  body.V.linear = node.V.linear - cross(body.V.angular, arm) - body.R * n.twist.linear;
}

namespace {

/// What a node accelerates beyond the body frame's own linear and angular acceleration at its origin.
Spatial beyond_body(const NodeMotion& n, const BodyMotion& body, const Vec3& arm, const Spatial& relative) {
  const Vec3& w = body.V.angular;
  return {body.R * relative.angular + cross(w, body.R * n.twist.angular),
          body.R * relative.linear + cross(w, cross(w, arm) + 2.0 * (body.R * n.twist.linear))};
}

}  // namespace

Spatial node_acceleration(const NodeMotion& n, const BodyMotion& body, const Spatial& A,
                          const Spatial& relative) noexcept {
  const Vec3 arm = body.R * n.p;
  const Spatial more = beyond_body(n, body, arm, relative);
  return {A.angular + more.angular, A.linear + cross(A.angular, arm) + more.linear};
}

Spatial body_acceleration(const NodeMotion& n, const BodyMotion& body, const Spatial& A,
                          const Spatial& relative) noexcept {
  const Vec3 arm = body.R * n.p;
  const Spatial more = beyond_body(n, body, arm, relative);
  const Vec3 alpha = A.angular - more.angular;
  return {alpha, A.linear - more.linear - cross(alpha, arm)};
}

Spatial wrench_on_body(const NodeMotion& n, const BodyMotion& body, const Spatial& w) noexcept {
  return {w.angular + cross(body.R * n.p, w.linear), w.linear};
}

NodeMotions::NodeMotions(const SystemView& view) : view_(view), motions_(view.nodes.size()) {
  if (view.nodes.empty()) return;
  std::size_t columns = 0;
  for (const FlexibleNode& node : view.nodes) {
    const FlexibleData& data = view.flexible_of(node);
    slices_.push_back({at(node.body), columns, data.modes, data.mode_offset});
    columns += data.modes;
  }
  columns_.resize(columns);
  first_.assign(view.bodies.size() + 1, 0);
  for (const Slice& s : slices_) ++first_[s.body + 1];
  for (std::size_t b = 0; b < view.bodies.size(); ++b) first_[b + 1] += first_[b];
}

void NodeMotions::evaluate(const double* eta, const double* etadot) noexcept {
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const Slice& s = slices_[i];
    node_motion(view_.nodes[i], {eta + s.mode, s.modes}, {etadot + s.mode, s.modes}, motions_[i],
                {columns_.data() + s.column, s.modes});
  }
}

void NodeMotions::place(std::span<BodyMotion> frames) const noexcept {
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < motions_.size(); ++i) node_from_body(motions_[i], frames[slices_[i].body], frames[n + i]);
}

void NodeMotions::place_body(BodyIndex b, FrameIndex placed, std::span<BodyMotion> frames) const noexcept {
  const std::size_t n = view_.bodies.size();
  if (at(placed) >= n) body_from_node(motions_[at(placed) - n], frames[at(placed)], frames[at(b)]);
  for (std::size_t k = first_of(b); k < end_of(b); ++k)
    if (n + k != at(placed)) node_from_body(motions_[k], frames[at(b)], frames[n + k]);
}

Quat NodeMotions::turn(std::size_t node, const double* eta) const noexcept {
  return from_rotation_vector(combine(view_.nodes[node].rotation, {eta + slices_[node].mode, slices_[node].modes}));
}

void NodeMotions::orient(const double* eta, std::span<Quat> frames) const noexcept {
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < motions_.size(); ++i) frames[n + i] = frames[slices_[i].body] * turn(i, eta);
}

Spatial NodeMotions::relative_acceleration(std::size_t node, const double* etaddot) const noexcept {
  Spatial sum = motions_[node].bias;
  const Slice& s = slices_[node];
  for (std::size_t k = 0; k < s.modes; ++k) sum += etaddot[k] * columns_[s.column + k];
  return sum;
}

void NodeMotions::accelerate(std::span<const BodyMotion> frames, const double* etaddot,
                             std::span<Spatial> out) const noexcept {
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const std::size_t b = slices_[i].body;
    out[n + i] = node_acceleration(motions_[i], frames[b], out[b], relative_acceleration(i, etaddot + slices_[i].mode));
  }
}

void NodeMotions::add_wrench(std::size_t node, std::span<const BodyMotion> frames, const Spatial& wrench,
                             Spatial& on_body, double* forces) const noexcept {
  const Slice& s = slices_[node];
  const BodyMotion& body = frames[s.body];
  on_body += wrench_on_body(motions_[node], body, wrench);
  const Spatial w{transpose_times(body.R, wrench.angular), transpose_times(body.R, wrench.linear)};
  for (std::size_t k = 0; k < s.modes; ++k) forces[k] += dot(columns_[s.column + k], w);
}

}  // namespace polyform
