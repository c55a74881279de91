#include <array>
#include <cmath>

#include "beam_mode.hpp"
#include "flexible_types.hpp"
#include "foreshortening.hpp"
#include "inertial_points.hpp"
#include "modal_batch.hpp"
#include "modal_fields.hpp"

namespace polyform::flexible {
namespace {

enum Field : std::size_t {
  length,
  linear_density,
  bending_stiffness,
  mode_count,
  boundary,
  damping_ratio,
  modal_position,
  modal_velocity,
  geometric_stiffening
};
constexpr std::array<std::string_view, 3> boundaries{"clamped-free", "pinned-pinned", "free-free"};  // as Boundary
constexpr std::array specs{
    FieldSpec{.name = "length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "length of the beam, which runs from the frame origin along the body's x axis",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "linear_density",
              .type = FieldType::number,
              .unit = "kg/m",
              .meaning = "mass per length",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "bending_stiffness",
              .type = FieldType::number,
              .unit = "N m²",
              .meaning = "EI for bending in the body's x-y plane",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "modes",
              .type = FieldType::integer,
              .unit = "",
              .meaning = "number of bending modes, from the lowest",
              .required = true,
              .minimum = 1,
              .maximum = 10000},
    FieldSpec{.name = "boundary",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "how the modes stand to the body frame: tangent at x = 0, through both ends, or mean axes",
              .required = true,
              .choices = boundaries},
    damping_ratio_spec,
    modal_position_spec,
    modal_velocity_spec,
    geometric_stiffening_spec};

struct Beam {
  double length, density, stiffness;
  std::size_t modes;
  Boundary boundary;
  bool stiffens;

  explicit Beam(const FlexibleInstance& i)
      : length(i.fields[Field::length].number),
        density(i.fields[linear_density].number),
        stiffness(i.fields[bending_stiffness].number),
        modes(static_cast<std::size_t>(i.fields[mode_count].integer)),
        boundary(static_cast<Boundary>(i.fields[Field::boundary].integer)),
        stiffens(i.fields[geometric_stiffening].integer != 0) {}
  BeamMode mode(std::size_t k) const noexcept { return {boundary, k}; }
  std::vector<BeamMode> all() const {
    std::vector<BeamMode> list;
    for (std::size_t k = 0; k < modes; ++k) list.push_back(mode(k));
    return list;
  }
};

/// The beam by samples: Γ_kl,x = −(1/l) ∫₀^ξ f_k' f_l' dξ. In mean axes Γ has no mean: the mean is subtracted, so that
/// the mass centre stays.
SampledBody samples_of(const Beam& beam) {
  const std::vector<BeamMode> modes = beam.all();
  const std::size_t m = modes.size();
  std::vector<SlopeStation> stations = slope_stations(modes);
  if (beam.boundary == Boundary::free_free)
    for (std::size_t pair = 0; pair < m * m; ++pair) {
      double mean = 0;
      for (const SlopeStation& s : stations) mean += s.weight * s.plain[pair];
      for (SlopeStation& s : stations) s.plain[pair] -= mean;
    }
  SampledBody body;
  body.modes = m;
  for (SlopeStation& s : stations) {
    for (double& gamma : s.plain) gamma /= -beam.length;
    std::vector<Vec3> shapes;
    for (const BeamMode& f : modes) shapes.push_back({0, f.derivative(s.xi, 0), 0});
    body.samples.push_back({beam.density * beam.length * s.weight,
                            {beam.length * s.xi, 0, 0},
                            std::move(shapes),
                            {std::move(s.plain), {}, {}}});
  }
  return body;
}

/// Adds the slopes at stations that are close enough for every crest of the modes that matter.
void add_stations(const Beam& beam, ModalInvariants& c) {
  const std::size_t stations = 8 * std::min<std::size_t>(beam.modes, 16);
  for (std::size_t i = 0; i <= stations; ++i)
    for (std::size_t k = 0; k < beam.modes; ++k)
      c.deformations.push_back(beam.mode(k).derivative(static_cast<double>(i) / static_cast<double>(stations), 1) /
                               beam.length);
}

/// u = (x, 0, 0), Φ_k = (0, f_k(x / length), 0). All integrals are known in closed form; the modes are orthogonal.
ModalInvariants invariants_of(const FlexibleInstance& instance) {
  const Beam beam(instance);
  const double mass = beam.density * beam.length, l = beam.length;
  ModalInvariants c;
  c.mass = mass;
  c.first_moment = {mass * l / 2, 0, 0};
  c.second_moment.xx = mass * l * l / 3;
  for (std::vector<double>& v : c.moment) v.resize(beam.modes);
  std::vector<double> modal_mass(beam.modes), stiffness(beam.modes), damping(beam.modes);
  for (std::size_t k = 0; k < beam.modes; ++k) {
    const BeamMode f = beam.mode(k);
    c.displacement.push_back({0, mass * f.mean(), 0});
    c.moment[1][k] = mass * l * f.moment();
    modal_mass[k] = mass * f.square();
    const double root = f.eigenvalue() * f.eigenvalue() / (l * l);
    const double omega = root * std::sqrt(beam.stiffness / beam.density);
    stiffness[k] = beam.stiffness * root * root * l * f.square();
    damping[k] = 2 * of_mode(instance.fields[damping_ratio], k) * omega * modal_mass[k];
  }
  c.product[4] = c.mass_matrix = ModalMatrix::diagonal(std::move(modal_mass));
  c.stiffness = ModalMatrix::diagonal(std::move(stiffness));
  c.damping = ModalMatrix::diagonal(std::move(damping));
  if (beam.stiffens) c.points = InertialPoints(samples_of(beam));
  add_stations(beam, c);
  c.lowest_frequency = std::pow(beam.mode(0).eigenvalue() / l, 2) * std::sqrt(beam.stiffness / beam.density);
  c.axis = {1, 0, 0};
  return c;
}

/// Sets Γ along x at ξ.
void set_second_order(const Beam& beam, double xi, std::span<double> out) {
  const std::vector<BeamMode> modes = beam.all();
  const SlopeProducts here(modes, xi);
  const std::size_t pairs = beam.modes * beam.modes;
  for (std::size_t i = 0; i < pairs; ++i) out[i] = -here.plain[i] / beam.length;
  if (beam.boundary != Boundary::free_free) return;
  const SlopeProducts whole(modes, 1);
  for (std::size_t i = 0; i < pairs; ++i) out[i] += whole.rest[i] / beam.length;
}

/// ∫ (1 − ξ) f'² dξ of a deformation f.
double slope_square(const Beam& beam, std::span<const double> eta) {
  double fastest = 0, sum = 0;
  if (const std::span<const double> products = kept_slope_products(beam.boundary, eta.size()); !products.empty()) {
    for (std::size_t k = 0; k < eta.size(); ++k)
      for (std::size_t l = 0; l < eta.size(); ++l) sum += products[k * eta.size() + l] * eta[k] * eta[l];
    return sum;
  }
  for (std::size_t k = 0; k < eta.size(); ++k) fastest = std::max(fastest, beam.mode(k).eigenvalue());
  integrate(fastest, 1, [&](double xi, double weight) {
    double slope = 0;
    for (std::size_t k = 0; k < eta.size(); ++k) slope += eta[k] * beam.mode(k).derivative(xi, 1);
    sum += weight * (1 - xi) * slope * slope;
  });
  return sum;
}

class FlexibleBeam final : public FlexibleBodyType, public SpinStiffening {
 public:
  const void* query(std::string_view asked) const noexcept override {
    return asked == SpinStiffening::interface_name ? static_cast<const SpinStiffening*>(this) : nullptr;
  }
  std::size_t field() const noexcept override { return geometric_stiffening; }
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "flexible-beam",
        .meaning = "uniform Euler-Bernoulli beam that bends in its x-y plane, by its exact modes",
        .fields = specs};
    return descriptor;
  }
  std::size_t modes(const FlexibleInstance& instance) const noexcept override { return Beam(instance).modes; }
  bool define(const FlexibleInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    bool good = true;
    for (const std::size_t field : {damping_ratio, modal_position, modal_velocity})
      good &= check_per_mode(instance.fields[field], specs[field], field, modes(instance), number, sink);
    return good;
  }
  /// Any point of the axis may be asked for.
  bool shapes_at(const FlexibleInstance& instance, const Vec3& point, ModeShapes& shapes) const noexcept override {
    const Beam beam(instance);
    const double xi = std::clamp(point.x / beam.length, 0.0, 1.0);
    if (norm(point - Vec3{xi * beam.length, 0, 0}) > attachment_tolerance * beam.length) return false;
    set_no_shapes(shapes);
    for (std::size_t k = 0; k < beam.modes; ++k) {
      const BeamMode f = beam.mode(k);
      shapes.displacement[beam.modes + k] = f.derivative(xi, 0);
      shapes.rotation[2 * beam.modes + k] = f.derivative(xi, 1) / beam.length;
    }
    if (!beam.stiffens || shapes.second_order.empty()) return true;
    try {
      set_second_order(beam, xi, shapes.second_order);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  void initial_state(const FlexibleInstance& instance, std::span<double> eta,
                     std::span<double> etadot) const noexcept override {
    set_per_mode(instance.fields[modal_position], eta);
    set_per_mode(instance.fields[modal_velocity], etadot);
  }
  void mass_moment(const FlexibleInstance& instance, std::span<const double> eta, double& mass,
                   Vec3& moment) const noexcept override {
    const Beam beam(instance);
    mass = beam.density * beam.length;
    moment = {0.5 * mass * beam.length, 0, 0};
    for (std::size_t k = 0; k < eta.size(); ++k) moment.y += mass * beam.mode(k).mean() * eta[k];
    if (beam.stiffens && beam.boundary != Boundary::free_free) moment.x -= 0.5 * beam.density * slope_square(beam, eta);
  }
  FlexibleBatch* create(Strided<const FlexibleInstance> instances) const noexcept override {
    return make_batch<ModalBatch>(instances, &invariants_of);
  }
};

}  // namespace

const FlexibleBodyType& flexible_beam() noexcept {
  static constexpr FlexibleBeam type;
  return type;
}

}  // namespace polyform::flexible
