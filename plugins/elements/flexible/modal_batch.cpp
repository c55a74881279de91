#include "modal_batch.hpp"

#include <cmath>
#include <numeric>

namespace polyform::flexible {

ModalBatch::ModalBatch(Strided<const FlexibleInstance> instances, Invariants invariants) {
  bodies_.reserve(instances.size());
  std::size_t largest = 0;
  for (const FlexibleInstance& instance : instances) {
    bodies_.push_back(invariants(instance));
    largest = std::max(largest, bodies_.back().modes());
  }
  for (std::vector<double>& v : moment_) v.resize(largest);
  for (std::vector<double>& v : swirl_) v.resize(largest);
  for (std::vector<double>& v : shift_) v.resize(largest);
  for (std::vector<double>& v : moves_) v.resize(largest);
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
void ModalBatch::write_inertia(const InertialPoints& body, const FlexibleInput& in, FlexibleOutput& out) noexcept {
  std::ranges::fill(out.mass, 0.0);
  std::ranges::fill(out.force, 0.0);
  for (const InertialPoints::Point& point : body.points()) add_point(point, in, out);
  const std::size_t n = out.force.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) out.mass[j * n + i] = out.mass[i * n + j];
}

/// To the half of the mass matrix below its diagonal.
void ModalBatch::add_point(const InertialPoints::Point& point, const FlexibleInput& in, FlexibleOutput& out) noexcept {
  const std::size_t m = in.eta.size(), n = 6 + m;
  Vec3 place = point.place, rate, drawn_in;
  bool moves[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const bool bends = !point.second_order[i].is_zero(), shifts = !point.shapes[i].empty();
    moves[i] = bends || shifts;
    if (!moves[i]) continue;
    std::fill_n(product_.begin(), m, 0.0);
    if (bends) point.second_order[i].add_transpose_product(in.eta, product_.data());
    for (std::size_t k = 0; k < m; ++k) {
      const double shape = shifts ? point.shapes[i][k] : 0;
      moves_[i][k] = shape + product_[k];
      place[i] += in.eta[k] * (shape + 0.5 * product_[k]);
      rate[i] += in.etadot[k] * moves_[i][k];
    }
    if (!bends) continue;
    std::fill_n(product_.begin(), m, 0.0);
    point.second_order[i].add_transpose_product(in.etadot, product_.data());
    for (std::size_t k = 0; k < m; ++k) drawn_in[i] += in.etadot[k] * product_[k];
  }
  const Vec3& w = in.angular_velocity;
  const Vec3 acceleration = cross(w, cross(w, place) + 2.0 * rate) + drawn_in, moment = cross(place, acceleration);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, h = (i + 2) % 3;
    double* const mass = out.mass.data();
    out.force[i] -= moment[i];
    out.force[3 + i] -= point.one * acceleration[i];
    mass[i * n + i] += place[j] * place[j] + place[h] * place[h];
    for (std::size_t l = 0; l < i; ++l) mass[i * n + l] -= place[i] * place[l];
    // −ρ̃ transposed: row i of the linear part against the turns about j and h.
    mass[(3 + i) * n + j] += point.one * place[h];
    mass[(3 + i) * n + h] -= point.one * place[j];
    mass[(3 + i) * n + 3 + i] += point.one * point.one;
    if (!moves[i]) continue;
    const std::vector<double>& shape = moves_[i];
    for (std::size_t k = 0; k < m; ++k) {
      double* const row = mass + (6 + k) * n;
      const double of_mode = shape[k];
      out.force[6 + k] -= of_mode * acceleration[i];
      row[j] += of_mode * place[h];
      row[h] -= of_mode * place[j];
      row[3 + i] += of_mode * point.one;
      for (std::size_t l = 0; l <= k; ++l) row[6 + l] += of_mode * shape[l];
    }
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
