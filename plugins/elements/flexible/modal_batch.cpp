#include "modal_batch.hpp"

#include <cmath>
#include <numeric>

namespace polyform::flexible {
namespace {

/// Σ a_p b_p, by four sums side by side.
double inner(const double* __restrict a, const double* __restrict b, std::size_t size) {
  double sums[4]{};
  std::size_t p = 0;
  for (; p + 4 <= size; p += 4)
    for (std::size_t q = 0; q < 4; ++q) sums[q] += a[p + q] * b[p + q];
  double rest = 0;
  for (; p < size; ++p) rest += a[p] * b[p];
  return (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest;
}

/// Adds Σ_l x_l c_l and Σ_l y_l c_l, with c_l one row of `points` numbers after the other.
void add_bends(const double* __restrict c, std::size_t points, std::span<const double> x, std::span<const double> y,
               double* __restrict of_x, double* __restrict of_y) {
  std::size_t l = 0;
  for (; l + 2 <= x.size(); l += 2, c += 2 * points) {  // two rows at once: sums are loaded and stored less often
    const double x0 = x[l], x1 = x[l + 1], y0 = y[l], y1 = y[l + 1];
    const double* __restrict next = c + points;
    for (std::size_t p = 0; p < points; ++p) {
      of_x[p] += x0 * c[p] + x1 * next[p];
      of_y[p] += y0 * c[p] + y1 * next[p];
    }
  }
  if (l == x.size()) return;
  for (std::size_t p = 0; p < points; ++p) {
    of_x[p] += x[l] * c[p];
    of_y[p] += y[l] * c[p];
  }
}

}  // namespace

ModalBatch::ModalBatch(Strided<const FlexibleInstance> instances, Invariants invariants) {
  bodies_.reserve(instances.size());
  std::size_t largest = 0, points = 0, moves = 0;
  for (const FlexibleInstance& instance : instances) {
    const ModalInvariants& body = bodies_.emplace_back(invariants(instance));
    largest = std::max(largest, body.modes());
    points = std::max(points, body.points.size());
    moves = std::max(moves, body.points.size() * body.modes());
  }
  for (std::vector<double>& v : moment_) v.resize(largest);
  for (std::vector<double>& v : swirl_) v.resize(largest);
  for (std::vector<double>& v : shift_) v.resize(largest);
  for (std::vector<double>& v : moves_) v.resize(moves);
  for (auto* of_axes : {&places_, &rates_, &accelerations_})
    for (std::vector<double>& v : *of_axes) v.resize(points);
  bend_rate_.resize(points);
  product_.resize(largest);
  elastic_.resize(largest);
  damping_.resize(largest);
}

void ModalBatch::evaluate(Strided<const FlexibleInput> in, Strided<FlexibleOutput> out) noexcept {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i].points.empty()) {
      write_inertia(bodies_[i].points, in[i], out[i]);
    } else {
      const Deformed now = deform(bodies_[i], in[i]);
      write_mass(bodies_[i], now, out[i].mass);
      write_force(bodies_[i], now, in[i], out[i]);
    }
    add_elastic(bodies_[i], in[i], out[i]);
  }
}

ModalBatch::Deformed ModalBatch::deform(const ModalInvariants& c, const FlexibleInput& in) noexcept {
  const std::size_t m = c.modes();
  Deformed now{c.first_moment, {}, c.second_moment, {}};
  for (std::size_t k = 0; k < m; ++k) {
    now.first_moment += in.eta[k] * c.displacement[k];
    now.first_moment_rate += in.etadot[k] * c.displacement[k];
  }
  Mat3 added;  // ∫ρ ρᵀ dm − ∫u uᵀ dm
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::vector<double>& undeformed = c.moment[3 * i + j];
      std::vector<double>& moment = moment_[3 * i + j];
      std::copy_n(undeformed.begin(), m, moment.begin());
      c.product[3 * i + j].add_transpose_product(in.eta, moment.data());
      double deformed = 0, mixed = 0, rate = 0;
      for (std::size_t k = 0; k < m; ++k) {
        deformed += in.eta[k] * moment[k];
        mixed += in.eta[k] * undeformed[k];
        rate += in.etadot[k] * moment[k];
      }
      added(i, j) += deformed;
      added(j, i) += mixed;
      now.rate_moment(i, j) = rate;
    }
  now.second_moment += Sym3{added(0, 0), added(1, 1), added(2, 2), added(0, 1), added(0, 2), added(1, 2)};
  if (c.is_second_order) foreshorten(c, in, now);
  return now;
}

/// Adds the part of s = ½ Γ[η, η] in the integrals, up to second order in η and η̇ in the kinetic energy: ∫s dm and ∫u
/// sᵀ dm with their rates, and the moments of the modes Φ_k + Γ_k·η.
void ModalBatch::foreshorten(const ModalInvariants& c, const FlexibleInput& in, Deformed& now) noexcept {
  const std::size_t m = c.modes();
  Mat3 added;
  const auto multiply = [&](const ModalMatrix& a, double& half, double& rate) {
    std::fill_n(product_.begin(), m, 0.0);
    half = rate = 0;
    if (a.is_zero()) return;
    a.add_transpose_product(in.eta, product_.data());
    for (std::size_t k = 0; k < m; ++k) {
      half += 0.5 * in.eta[k] * product_[k];
      rate += in.etadot[k] * product_[k];
    }
  };
  for (std::size_t i = 0; i < 3; ++i) {
    double half, rate;
    multiply(c.second_order[i], half, rate);
    for (std::size_t k = 0; k < m; ++k) shift_[i][k] = c.displacement[k][i] + product_[k];
    now.first_moment[i] += half;
    now.first_moment_rate[i] += rate;
    for (std::size_t j = 0; j < 3; ++j) {
      if (c.second_moments[3 * i + j].is_zero()) continue;
      multiply(c.second_moments[3 * i + j], half, rate);
      for (std::size_t k = 0; k < m; ++k) moment_[3 * i + j][k] += product_[k];
      added(i, j) += half;
      added(j, i) += half;
      now.rate_moment(i, j) += rate;
    }
  }
  now.second_moment += Sym3{added(0, 0), added(1, 1), added(2, 2), added(0, 1), added(0, 2), added(1, 2)};
}

/// mass = ∫Bᵀ B dm, B = [−ρ̃  1  Φ].
void ModalBatch::write_mass(const ModalInvariants& c, const Deformed& now, std::span<double> mass) const noexcept {
  const std::size_t m = c.modes(), n = 6 + m;
  const Sym3& w = now.second_moment;
  const Mat3 inertia = Sym3{w.yy + w.zz, w.xx + w.zz, w.xx + w.yy, -w.xy, -w.xz, -w.yz}.full();
  const Mat3 moment = skew(now.first_moment);
  for (std::size_t i = 0; i < 3; ++i) {
    double *angular = mass.data() + i * n, *linear = angular + 3 * n;
    for (std::size_t j = 0; j < 3; ++j) {
      angular[j] = inertia(i, j);
      angular[3 + j] = moment(i, j);
      linear[j] = moment(j, i);
      linear[3 + j] = i == j ? c.mass : 0;
    }
    const std::size_t j = (i + 1) % 3, h = (i + 2) % 3;
    const std::vector<double>&first = moment_[3 * j + h], &second = moment_[3 * h + j];
    for (std::size_t k = 0; k < m; ++k) {
      angular[6 + k] = first[k] - second[k];
      linear[6 + k] = c.displacement[k][i];
    }
    if (c.is_second_order) std::copy_n(shift_[i].begin(), m, linear + 6);
  }
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t i = 0; i < 6; ++i) mass[(6 + k) * n + i] = mass[i * n + 6 + k];
  c.mass_matrix.write(mass.data() + 6 * n + 6, n);
}

/// force = −∫Bᵀ (Ω̃Ω̃ρ + 2 Ω̃ ρ̇) dm, with a × (b × c) = b (a·c) − c (a·b) throughout.
void ModalBatch::write_force(const ModalInvariants& c, const Deformed& now, const FlexibleInput& in,
                             FlexibleOutput& out) noexcept {
  const std::size_t m = c.modes();
  const Vec3& w = in.angular_velocity;
  const Mat3& rate = now.rate_moment;
  const Vec3 angular = cross(w, now.second_moment * w) - (2 * (rate(0, 0) + rate(1, 1) + rate(2, 2))) * w +
                       2.0 * transpose_times(rate, w);
  const Vec3 linear = -cross(w, cross(w, now.first_moment) + 2.0 * now.first_moment_rate);
  for (std::size_t i = 0; i < 3; ++i) {
    out.force[i] = angular[i];
    out.force[3 + i] = linear[i];
    std::fill_n(swirl_[i].begin(), m, 0.0);
    c.cross[i].add_transpose_product(in.etadot, swirl_[i].data());
  }
  const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  const auto& g = moment_;
  for (std::size_t k = 0; k < m; ++k) {
    const double centrifugal = (yy + zz) * g[0][k] + (xx + zz) * g[4][k] + (xx + yy) * g[8][k] -
                               xy * (g[1][k] + g[3][k]) - xz * (g[2][k] + g[6][k]) - yz * (g[5][k] + g[7][k]);
    const double coriolis = 2 * (w.x * swirl_[0][k] + w.y * swirl_[1][k] + w.z * swirl_[2][k]);
    out.force[6 + k] = centrifugal - coriolis;
  }
  if (c.is_second_order) add_second_order_forces(c, in, out);
}

/// −∫Bᵀ Γ[η̇, η̇] dm of the frame: what the points accelerate by at η̈ = 0.
void ModalBatch::add_second_order_forces(const ModalInvariants& c, const FlexibleInput& in,
                                         FlexibleOutput& out) noexcept {
  const std::size_t m = c.modes();
  const auto square = [&](const ModalMatrix& a) {
    if (a.is_zero()) return 0.0;
    std::fill_n(product_.begin(), m, 0.0);
    a.add_transpose_product(in.etadot, product_.data());
    return std::inner_product(product_.begin(), product_.begin() + static_cast<std::ptrdiff_t>(m), in.etadot.begin(),
                              0.0);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, h = (i + 2) % 3;
    out.force[i] -= square(c.second_moments[3 * j + h]) - square(c.second_moments[3 * h + j]);
    out.force[3 + i] -= square(c.second_order[i]);
  }
}

/// −[0; 0; K η + D η̇].
void ModalBatch::add_elastic(const ModalInvariants& c, const FlexibleInput& in, FlexibleOutput& out) noexcept {
  const std::size_t m = c.modes();
  std::fill_n(elastic_.begin(), m, 0.0);
  std::fill_n(damping_.begin(), m, 0.0);
  c.stiffness.add_transpose_product(in.eta, elastic_.data());
  c.damping.add_transpose_product(in.etadot, damping_.data());
  out.strain_energy = out.damping_power = 0;
  for (std::size_t k = 0; k < m; ++k) {
    out.force[6 + k] -= elastic_[k] + damping_[k];
    out.strain_energy += 0.5 * in.eta[k] * elastic_[k];
    out.damping_power -= in.etadot[k] * damping_[k];
  }
}

/// mass = Σ Bᵀ B and force = −Σ Bᵀ (Ω̃Ω̃ρ + 2 Ω̃ ρ̇ + Γ[η̇, η̇]) over points of unit mass, B = [−ρ̃  1  Φ + Γ·η].
/// To the half of the mass matrix below its diagonal, which is then mirrored.
void ModalBatch::write_inertia(const InertialPoints& body, const FlexibleInput& in, FlexibleOutput& out) noexcept {
  std::ranges::fill(out.mass, 0.0);
  std::ranges::fill(out.force, 0.0);
  const std::size_t n = out.force.size(), points = body.size();
  for (std::size_t i = 0; i < 3; ++i) move_points(body, i, in);
  accelerate_points(points, in.angular_velocity);
  const double* const one = body.one().data();
  double* const mass = out.mass.data();
  const double whole = inner(one, one, points);
  double square[3], first[3];
  for (std::size_t i = 0; i < 3; ++i) {
    square[i] = inner(places_[i].data(), places_[i].data(), points);
    first[i] = inner(one, places_[i].data(), points);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, h = (i + 2) % 3;
    out.force[i] = inner(places_[h].data(), accelerations_[j].data(), points) -
                   inner(places_[j].data(), accelerations_[h].data(), points);
    out.force[3 + i] = -inner(one, accelerations_[i].data(), points);
    mass[i * n + i] = square[j] + square[h];
    for (std::size_t l = 0; l < i; ++l) mass[i * n + l] = -inner(places_[i].data(), places_[l].data(), points);
    // −ρ̃ transposed: row i of the linear part against the turns about j and h.
    mass[(3 + i) * n + j] = first[h];
    mass[(3 + i) * n + h] = -first[j];
    mass[(3 + i) * n + 3 + i] = whole;
    if (body.axis(i).moves) add_modes(body, i, out);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) mass[j * n + i] = mass[i * n + j];
}

/// Shapes, places and rates along an axis, and Γ[η̇, η̇] in its place among the accelerations.
void ModalBatch::move_points(const InertialPoints& body, std::size_t i, const FlexibleInput& in) noexcept {
  const InertialPoints::Axis& axis = body.axis(i);
  const std::size_t m = in.eta.size(), points = axis.points;
  double* __restrict place = places_[i].data();
  double* __restrict rate = rates_[i].data();
  double* __restrict drawn = accelerations_[i].data();
  std::fill(std::copy_n(axis.place.begin(), points, place), place + body.size(), 0.0);
  std::fill_n(rate, body.size(), 0.0);
  std::fill_n(drawn, body.size(), 0.0);
  if (!axis.moves) return;
  double* __restrict bend_rate = bend_rate_.data();
  for (std::size_t k = 0; k < m; ++k) {
    double* __restrict moves = moves_[i].data() + k * points;
    const double* __restrict shape = axis.shape(k);
    const double eta = in.eta[k], etadot = in.etadot[k];
    if (axis.second_order.empty()) {
      for (std::size_t p = 0; p < points; ++p) {
        moves[p] = shape[p];
        place[p] += eta * shape[p];
        rate[p] += etadot * shape[p];
      }
      continue;
    }
    std::fill_n(moves, points, 0.0);
    std::fill_n(bend_rate, points, 0.0);
    add_bends(axis.second_order.data() + k * m * points, points, in.eta, in.etadot, moves, bend_rate);
    for (std::size_t p = 0; p < points; ++p) {
      place[p] += eta * (shape[p] + 0.5 * moves[p]);
      moves[p] += shape[p];
      rate[p] += etadot * moves[p];
      drawn[p] += etadot * bend_rate[p];
    }
  }
}

/// Adds Ω̃ (Ω̃ρ + 2 ρ̇).
void ModalBatch::accelerate_points(std::size_t points, const Vec3& w) noexcept {
  for (std::size_t p = 0; p < points; ++p) {
    const Vec3 place{places_[0][p], places_[1][p], places_[2][p]}, rate{rates_[0][p], rates_[1][p], rates_[2][p]};
    const Vec3 added = cross(w, cross(w, place) + 2.0 * rate);
    for (std::size_t i = 0; i < 3; ++i) accelerations_[i][p] += added[i];
  }
}

/// The rows of the modes, as far as they move along an axis.
void ModalBatch::add_modes(const InertialPoints& body, std::size_t i, FlexibleOutput& out) noexcept {
  const std::size_t n = out.force.size(), m = n - 6, points = body.axis(i).points, j = (i + 1) % 3, h = (i + 2) % 3;
  for (std::size_t k = 0; k < m; ++k) {
    const double* const moves = moves_[i].data() + k * points;
    double* const row = out.mass.data() + (6 + k) * n;
    out.force[6 + k] -= inner(moves, accelerations_[i].data(), points);
    row[j] += inner(moves, places_[h].data(), points);
    row[h] -= inner(moves, places_[j].data(), points);
    row[3 + i] += inner(moves, body.one().data(), points);
    for (std::size_t l = 0; l <= k; ++l) row[6 + l] += inner(moves, moves_[i].data() + l * points, points);
  }
}

double ModalBatch::deformation(std::size_t instance, std::span<const double> eta) const noexcept {
  double largest = 0;
  const std::vector<double>& all = bodies_[instance].deformations;
  for (std::size_t first = 0; first + eta.size() <= all.size() && !eta.empty(); first += eta.size()) {
    double here = 0;
    for (std::size_t k = 0; k < eta.size(); ++k) here += eta[k] * all[first + k];
    largest = std::max(largest, std::abs(here));
  }
  return largest;
}

double ModalBatch::neglected_stiffening(std::size_t instance, const Vec3& w) const noexcept {
  const ModalInvariants& c = bodies_[instance];
  if (c.stiffens() || !(c.lowest_frequency > 0)) return 0;
  const double along = dot(w, c.axis);
  return (dot(w, w) - along * along) / (c.lowest_frequency * c.lowest_frequency);
}

double ModalBatch::neglected_load(std::size_t instance, const Vec3& force) const noexcept {
  const ModalInvariants& c = bodies_[instance];
  if (c.stiffens() || !(c.lowest_frequency > 0) || !(c.mass > 0)) return 0;
  const Vec3 center = (1 / c.mass) * c.first_moment;
  const double square = (c.second_moment.xx + c.second_moment.yy + c.second_moment.zz) / c.mass - dot(center, center);
  if (!(square > 0)) return 0;
  // A force N takes N ∫φ'² from the lowest stiffness ω² ∫μφ². For a cantilever ∫φ'² is 4.65 ∫φ² / l².
  const double length = std::sqrt(12 * square);
  return 4.65 * std::abs(dot(force, c.axis)) / (c.mass * length * c.lowest_frequency * c.lowest_frequency);
}

}  // namespace polyform::flexible
