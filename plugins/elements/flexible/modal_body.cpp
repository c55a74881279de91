#include <cmath>
#include <limits>

#include "flexible_types.hpp"
#include "inertial_points.hpp"
#include "modal_batch.hpp"
#include "modal_body_data.hpp"
#include "modal_fields.hpp"

namespace polyform::flexible {
namespace {

using Full = std::vector<double>;

/// Sums over mass points at the nodes.
void add_lumped(const ModalBodyData& data, ModalInvariants& c, std::array<Full, 9>& product) {
  const std::size_t m = data.modes();
  for (std::size_t n = 0; n < data.nodes(); ++n) {
    const double mass = data.node_mass(n);
    const Vec3 u = data.node(n);
    c.mass += mass;
    c.first_moment += mass * u;
    c.second_moment += Sym3{mass * u.x * u.x, mass * u.y * u.y, mass * u.z * u.z,
                            mass * u.x * u.y, mass * u.x * u.z, mass * u.y * u.z};
    for (std::size_t k = 0; k < m; ++k) {
      const Vec3 weighted = mass * data.displacement(k, n);
      c.displacement[k] += weighted;
      for (std::size_t i = 0; i < 9; ++i) c.moment[i][k] += u[i / 3] * weighted[i % 3];
      for (std::size_t l = 0; l < m; ++l) {
        const Vec3 other = data.displacement(l, n);
        for (std::size_t i = 0; i < 9; ++i) product[i][k * m + l] += weighted[i / 3] * other[i % 3];
      }
    }
  }
}

/// The integrals as given; the undeformed body is then the rigid part, which is the host's.
void copy_integrals(const ModalBodyData& data, ModalInvariants& c, std::array<Full, 9>& product) {
  const std::size_t m = data.modes();
  for (std::size_t k = 0; k < m; ++k) {
    c.displacement[k] = data.integral_phi(k);
    for (std::size_t i = 0; i < 9; ++i) {
      c.moment[i][k] = data.integral_u_phi(k, i / 3, i % 3);
      for (std::size_t l = 0; l < m; ++l) product[i][k * m + l] = data.integral_phi_phi(k, l, i / 3, i % 3);
    }
  }
}

/// What the displacements of second order make, where integrals are given: to second order in η, for nothing more is
/// known.
void copy_second_order(const ModalBodyData& data, ModalInvariants& c) {
  const std::size_t m = data.modes();
  c.is_second_order = true;
  for (std::size_t i = 0; i < 3; ++i) {
    c.second_order[i] = ModalMatrix::of(m, [&](std::size_t k, std::size_t l) { return data.integral_gamma(k, l, i); });
    for (std::size_t j = 0; j < 3; ++j)
      c.second_moments[3 * i + j] =
          ModalMatrix::of(m, [&](std::size_t k, std::size_t l) { return data.integral_u_gamma(k, l, i, j); });
  }
}

SampledBody samples_of(const ModalBodyData& data) {
  const std::size_t m = data.modes();
  SampledBody body;
  body.modes = m;
  for (std::size_t n = 0; n < data.nodes(); ++n) {
    SampledBody::Sample sample{data.node_mass(n), data.node(n), {}, {}};
    for (std::size_t k = 0; k < m; ++k) sample.shapes.push_back(data.displacement(k, n));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t l = 0; l < m; ++l) sample.second_order[i].push_back(data.second_order(k, l, n)[i]);
    body.samples.push_back(std::move(sample));
  }
  return body;
}

/// How the modes turn the nodes, or strain what is between a node and the one nearest to it.
void add_deformations(const ModalBodyData& data, ModalInvariants& c) {
  const std::size_t m = data.modes();
  for (std::size_t n = 0; n < data.nodes(); ++n) {
    if (data[modal_body_field::mode_rotations].given) {
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < m; ++k) c.deformations.push_back(data.rotation(k, n)[i]);
      continue;
    }
    std::size_t nearest = n;
    double distance = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < data.nodes(); ++other)
      if (const double d = norm(data.node(other) - data.node(n)); d > 0 && d < distance) {
        distance = d;
        nearest = other;
      }
    for (std::size_t i = 0; i < 3 && nearest != n; ++i)
      for (std::size_t k = 0; k < m; ++k)
        c.deformations.push_back((data.displacement(k, nearest)[i] - data.displacement(k, n)[i]) / distance);
  }
  for (std::size_t k = 0; k < m; ++k)
    if (const double square = data.stiffness(k, k) / c.mass_matrix(k, k);
        square > 0 && std::isfinite(square) && !(c.lowest_frequency > 0 && c.lowest_frequency < std::sqrt(square)))
      c.lowest_frequency = std::sqrt(square);
}

ModalMatrix damping_of(const ModalBodyData& data, const ModalInvariants& c) {
  using namespace modal_body_field;
  const std::size_t m = data.modes();
  if (data[damping_matrix].given)
    return ModalMatrix::of(m, [&](std::size_t k, std::size_t l) { return data.symmetric(damping_matrix, k, l); });
  Full values(m);
  for (std::size_t k = 0; k < m; ++k)
    values[k] = 2 * of_mode(data[damping_ratio], k) * std::sqrt(data.stiffness(k, k) * c.mass_matrix(k, k));
  return ModalMatrix::diagonal(std::move(values));
}

ModalInvariants invariants_of(const FlexibleInstance& instance) {
  const ModalBodyData data(instance);
  const std::size_t m = data.modes();
  ModalInvariants c;
  c.displacement.resize(m);
  std::array<Full, 9> product;
  for (std::size_t i = 0; i < 9; ++i) {
    c.moment[i].resize(m);
    product[i].resize(m * m);
  }
  if (data.is_lumped())
    add_lumped(data, c, product);
  else
    copy_integrals(data, c, product);
  for (std::size_t i = 0; i < 9; ++i)
    c.product[i] = ModalMatrix::of(m, [&](std::size_t k, std::size_t l) { return product[i][k * m + l]; });
  derive_from_products(c);
  c.stiffness = ModalMatrix::of(m, [&](std::size_t k, std::size_t l) { return data.stiffness(k, l); });
  c.damping = damping_of(data, c);
  if (data.stiffens() && data.is_lumped())
    c.points = InertialPoints(samples_of(data));
  else if (data.stiffens())
    copy_second_order(data, c);
  add_deformations(data, c);
  return c;
}

class ModalBody final : public FlexibleBodyType, public SpinStiffening {
 public:
  const void* query(std::string_view asked) const noexcept override {
    return asked == SpinStiffening::interface_name ? static_cast<const SpinStiffening*>(this) : nullptr;
  }
  std::size_t field() const noexcept override { return modal_body_field::geometric_stiffening; }
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "modal-body",
        .meaning = "spatial flexible body by nodes, mode shapes and modal matrices, as finite elements give them",
        .fields = modal_body_fields()};
    return descriptor;
  }
  std::size_t modes(const FlexibleInstance& instance) const noexcept override {
    return ModalBodyData(instance).modes();
  }
  bool define(const FlexibleInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    return check_modal_body(instance, number, sink);
  }
  /// The nodes; of coinciding nodes the first.
  bool shapes_at(const FlexibleInstance& instance, const Vec3& point, ModeShapes& shapes) const noexcept override {
    const ModalBodyData data(instance);
    const std::size_t m = data.modes();
    std::size_t nearest = 0;
    double size = 0;
    for (std::size_t n = 0; n < data.nodes(); ++n) {
      size = std::max({size, norm(data.node(n)), norm(data.node(n) - data.node(0))});
      if (norm(data.node(n) - point) < norm(data.node(nearest) - point)) nearest = n;
    }
    if (norm(data.node(nearest) - point) > attachment_tolerance * size) return false;
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < 3; ++i) {
        shapes.displacement[i * m + k] = data.displacement(k, nearest)[i];
        shapes.rotation[i * m + k] = data.rotation(k, nearest)[i];
      }
    for (std::size_t k = 0; data.stiffens() && !shapes.second_order.empty() && k < m; ++k)
      for (std::size_t l = 0; l < m; ++l)
        for (std::size_t i = 0; i < 3; ++i)
          shapes.second_order[(i * m + k) * m + l] = data.second_order(k, l, nearest)[i];
    return true;
  }
  void initial_state(const FlexibleInstance& instance, std::span<double> eta,
                     std::span<double> etadot) const noexcept override {
    set_per_mode(instance.fields[modal_body_field::modal_position], eta);
    set_per_mode(instance.fields[modal_body_field::modal_velocity], etadot);
  }
  void mass_moment(const FlexibleInstance& instance, std::span<const double> eta, double& mass,
                   Vec3& moment) const noexcept override {
    const ModalBodyData data(instance);
    mass = 0;
    moment = {};
    if (!data.is_lumped()) {
      for (std::size_t k = 0; k < eta.size(); ++k) moment += eta[k] * data.integral_phi(k);
      for (std::size_t k = 0; data.stiffens() && k < eta.size(); ++k)
        for (std::size_t l = 0; l < eta.size(); ++l)
          for (std::size_t i = 0; i < 3; ++i) moment[i] += 0.5 * eta[k] * eta[l] * data.integral_gamma(k, l, i);
      return;
    }
    for (std::size_t n = 0; n < data.nodes(); ++n) {
      Vec3 point = data.node(n);
      for (std::size_t k = 0; k < eta.size(); ++k) point += eta[k] * data.displacement(k, n);
      for (std::size_t k = 0; data.stiffens() && k < eta.size(); ++k)
        for (std::size_t l = 0; l < eta.size(); ++l) point += (0.5 * eta[k] * eta[l]) * data.second_order(k, l, n);
      mass += data.node_mass(n);
      moment += data.node_mass(n) * point;
    }
  }
  FlexibleBatch* create(Strided<const FlexibleInstance> instances) const noexcept override {
    return make_batch<ModalBatch>(instances, &invariants_of);
  }
};

}  // namespace

const FlexibleBodyType& modal_body() noexcept {
  static constexpr ModalBody type;
  return type;
}

}  // namespace polyform::flexible
