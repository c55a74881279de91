#include "polyform/solvers/flexible_links.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {
namespace {

/// The acceleration or twist of the point at r, from z of a point of the same body.
Spatial shifted(const Spatial& z, const Vec3& r) { return {z.angular, add_cross(z.linear, z.angular, r)}; }
/// A wrench that acts at the point at r, referred to the point from which r counts.
Spatial referred(const Spatial& w, const Vec3& r) { return {add_cross(w.angular, r, w.linear), w.linear}; }
Spatial turned(const Mat3& R, const Spatial& a) { return {R * a.angular, R * a.linear}; }

/// A block of a matrix stored rows first, n to a row.
Mat3 block(std::span<const double> m, std::size_t n, std::size_t row, std::size_t column) {
  Mat3 out;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) out(r, c) = m[(row + r) * n + column + c];
  return out;
}
Sym3 symmetric(const Mat3& m) { return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)}; }

/// The motion that mode k adds to a frame of a body with orientation R: the twist of the frame relative to the body
/// frame, per unit of η̇.
Spatial column_of(const FlexibleLinks::Attachment& t, const NodeMotions& nodes, std::size_t k, const Mat3& R) {
  return t.node == FlexibleLinks::none ? Spatial{} : turned(R, nodes.H(t.node)[k]);
}

/// The acceleration of the frame relative to the body frame, at η̈ = 0.
Spatial bias_of(const FlexibleLinks::Attachment& t, const NodeMotions& nodes, const Mat3& R, const Vec3& omega) {
  if (t.node == FlexibleLinks::none) return {};
  const NodeMotion& n = nodes[t.node];
  const Spatial bias = turned(R, n.bias), twist = turned(R, n.twist);
  return {bias.angular + cross(omega, twist.angular),
          bias.linear + cross(omega, cross(omega, R * n.p) + 2.0 * twist.linear)};
}

}  // namespace

FlexibleLinks::FlexibleLinks(const SystemView& view) : set_(view), nodes_(view), elements_(view.flexible.size()) {
  if (empty()) return;
  element_of_.assign(view.bodies.size(), none);
  attachment_of_.assign(view.frames(), none);
  frames_.resize(view.bodies.size());
  std::size_t columns = 0, directions = 0, lowers = 0, most = 0;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const FlexibleData& data = view.flexible[i];
    const JointData& joint = view.joints[at(data.body)];
    Element& e = elements_[i];
    e.body = at(data.body);
    e.modes = data.modes;
    e.mode = data.mode_offset;
    element_of_[e.body] = i;
    const auto attach = [&](std::size_t frame, std::size_t node) {
      attachment_of_[frame] = attachments_.size();
      attachments_.push_back({});
      attachments_.back().element = i;
      attachments_.back().node = node;
      attachments_.back().columns = columns;
      columns += e.modes;
    };
    e.first = attachments_.size();
    attach(e.body, none);
    if (!nodes_.empty())
      for (std::size_t n = nodes_.first_of(data.body); n < nodes_.end_of(data.body); ++n)
        attach(view.bodies.size() + n, n);
    e.end = attachments_.size();
    e.carried = attachment_of_[at(joint.outboard_frame())];
    e.to_P = joint.reversed ? joint.p_base : joint.p_moving;
    e.direction = directions;
    e.lower = lowers;
    directions += e.modes;
    lowers += e.modes * e.modes;
    most = std::max(most, e.modes);
  }
  B_.resize(columns);
  couplings_.resize(directions);
  directions_.resize(directions);
  lowers_.resize(lowers);
  modal_.resize(directions);
  hinge_columns_.resize(most);
}

void FlexibleLinks::place(std::size_t element, const Mat3& R_carried, const Vec3& omega_carried) noexcept {
  const Element& e = elements_[element];
  const Attachment& carried = attachments_[e.carried];
  const bool on_node = carried.node != none;
  BodyMotion& body = frames_[e.body];
  body.R = on_node ? times_transpose(R_carried, nodes_[carried.node].R) : R_carried;
  const Mat3& R = body.R;
  body.V.angular = on_node ? omega_carried - R * nodes_[carried.node].twist.angular : omega_carried;
  const Vec3& omega = body.V.angular;
  const Vec3 s = R_carried * e.to_P;
  const Vec3 P = on_node ? R * nodes_[carried.node].p + s : s;  // from the origin of the body frame
  Spatial gamma = shifted(bias_of(carried, nodes_, R, omega), s);
  gamma.linear += cross(omega_carried, cross(omega_carried, s));
  for (std::size_t k = 0; k < e.modes; ++k) hinge_columns_[k] = shifted(column_of(carried, nodes_, k, R), s);
  for (std::size_t a = e.first; a < e.end; ++a) {
    Attachment& t = attachments_[a];
    const bool of_node = t.node != none;
    t.R = of_node ? R * nodes_[t.node].R : R;
    t.omega = of_node ? omega + R * nodes_[t.node].twist.angular : omega;
    t.r = of_node ? R * nodes_[t.node].p - P : -P;
    t.beta = bias_of(t, nodes_, R, omega) - shifted(gamma, t.r);
    Spatial* B = B_.data() + t.columns;
    for (std::size_t k = 0; k < e.modes; ++k) B[k] = column_of(t, nodes_, k, R) - shifted(hinge_columns_[k], t.r);
  }
}

void FlexibleLinks::begin(const double* eta, const double* etadot, bool moving) noexcept {
  set_.evaluate(frames_, eta, etadot);
  moving_ = moving;
  for (Attachment& t : attachments_) t.sum = {};
}

/// Adds what each frame carries to the body and its modes.
void FlexibleLinks::add_frames(const Element& e, Transfer<double>& s) noexcept {
  Spatial* A_pm = couplings_.data() + e.direction;
  double *A_mm = lowers_.data() + e.lower, *e_m = modal_.data() + e.direction;
  for (std::size_t a = e.first; a < e.end; ++a) {
    const Attachment& t = attachments_[a];
    const Spatial* B = B_.data() + t.columns;
    Transfer<double> sum = t.sum;
    sum.e += multiply(sum, t.beta);
    for (std::size_t k = 0; k < e.modes; ++k) {
      const Spatial w = multiply(sum, B[k]);
      A_pm[k] += referred(w, t.r);
      e_m[k] += dot(B[k], sum.e);
      for (std::size_t l = 0; l <= k; ++l) A_mm[k * e.modes + l] += dot(B[l], w);
    }
    s += shift(sum, t.r);
  }
}

/// Adds the body itself: its inertia at the frame, its modes, and their coupling.
void FlexibleLinks::add_body(const Element& e, std::size_t element) noexcept {
  Attachment& frame = attachments_[e.first];
  const Spatial* B = B_.data() + frame.columns;
  const Mat3& R = frame.R;
  const std::size_t n = set_.size(element);
  const std::span<const double> M = set_.mass(element), f = set_.force(element);
  const auto to_ground = [&](std::size_t row, std::size_t column) {
    return R * times_transpose(block(M, n, row, column), R);
  };
  frame.sum.aa += symmetric(to_ground(0, 0));
  frame.sum.au += to_ground(0, 3);
  frame.sum.uu += symmetric(to_ground(3, 3));
  if (moving_) frame.sum.e -= turned(R, {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
  Spatial* A_pm = couplings_.data() + e.direction;
  double *A_mm = lowers_.data() + e.lower, *e_m = modal_.data() + e.direction;
  for (std::size_t k = 0; k < e.modes; ++k) {
    const double* row = M.data() + (6 + k) * n;
    const Spatial c = turned(R, {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}});
    A_pm[k] += referred(c, frame.r);
    e_m[k] += dot(c, frame.beta) - (moving_ ? f[6 + k] : 0.0);
    for (std::size_t l = 0; l < e.modes; ++l) {
      const double mixed = dot(c, B[l]);
      A_mm[std::max(k, l) * e.modes + std::min(k, l)] += k == l ? 2 * mixed : mixed;
      if (l <= k) A_mm[k * e.modes + l] += row[6 + l];
    }
  }
}

/// Factorizes A_mm = L D Lᵀ, with D on the diagonal.
bool FlexibleLinks::factorize(const Element& e) noexcept {
  double* A = lowers_.data() + e.lower;
  const std::size_t m = e.modes;
  for (std::size_t k = 0; k < m; ++k) {
    double* row = A + k * m;
    const double whole = row[k];
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < l; ++j) row[l] -= row[j] * A[l * m + j];  // L D of this row
    for (std::size_t l = 0; l < k; ++l) {
      const double scaled = row[l] / A[l * m + l];
      row[k] -= scaled * row[l];
      row[l] = scaled;
    }
    if (!(row[k] > smallest_pivot * whole)) return false;
  }
  return true;
}

bool FlexibleLinks::condense(std::size_t element, Transfer<double>& s) noexcept {
  const Element& e = elements_[element];
  const std::size_t m = e.modes;
  Spatial* A_pm = couplings_.data() + e.direction;
  double *L = lowers_.data() + e.lower, *e_m = modal_.data() + e.direction;
  std::fill_n(A_pm, m, Spatial{});
  std::fill_n(L, m * m, 0.0);
  std::fill_n(e_m, m, 0.0);
  s = {};
  add_body(e, element);
  add_frames(e, s);
  if (!factorize(e)) return false;
  decouple(element, e_m, 1);
  Column<double>* direction = directions_.data() + e.direction;
  for (std::size_t k = 0; k < m; ++k) {
    direction[k].U = A_pm[k];
    for (std::size_t l = 0; l < k; ++l) direction[k].U -= L[k * m + l] * direction[l].U;
    direction[k].inverse = 1 / L[k * m + k];
    direction[k].free = -e_m[k];
    polyform::condense(s, direction[k]);
  }
  return true;
}

void FlexibleLinks::decouple(std::size_t element, double* forces, std::size_t stride) const noexcept {
  const Element& e = elements_[element];
  const double* L = lowers_.data() + e.lower;
  for (std::size_t k = 1; k < e.modes; ++k)
    for (std::size_t l = 0; l < k; ++l) forces[k * stride] -= L[k * e.modes + l] * forces[l * stride];
}

void FlexibleLinks::decouple_sizes(std::size_t element, double* sizes, std::size_t stride) const noexcept {
  const Element& e = elements_[element];
  const double* L = lowers_.data() + e.lower;
  for (std::size_t k = 1; k < e.modes; ++k)
    for (std::size_t l = 0; l < k; ++l) sizes[k * stride] += std::abs(L[k * e.modes + l]) * sizes[l * stride];
}

void FlexibleLinks::rates(std::size_t element, const Spatial& z, const double* taken, double* etaddot) const noexcept {
  const Element& e = elements_[element];
  const double* L = lowers_.data() + e.lower;
  for (std::size_t k = e.modes; k-- > 0;) {
    etaddot[k] = directions_[e.direction + k].rate(z) - taken[k];
    for (std::size_t l = k + 1; l < e.modes; ++l) etaddot[k] -= L[l * e.modes + k] * etaddot[l];
  }
}

Spatial FlexibleLinks::acceleration(std::size_t a, const Spatial& z, const double* etaddot) const noexcept {
  const Attachment& t = attachments_[a];
  Spatial out = shifted(z, t.r) + t.beta;
  const std::span<const Spatial> B = columns(a);
  for (std::size_t k = 0; k < B.size(); ++k) out += etaddot[k] * B[k];
  return out;
}

}  // namespace polyform
