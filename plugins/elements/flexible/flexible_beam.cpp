#include <array>
#include <cmath>

#include "beam_mode.hpp"
#include "flexible_types.hpp"
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
  modal_velocity
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
    modal_velocity_spec};

struct Beam {
  double length, density, stiffness;
  std::size_t modes;
  Boundary boundary;

  explicit Beam(const FlexibleInstance& i)
      : length(i.fields[Field::length].number),
        density(i.fields[linear_density].number),
        stiffness(i.fields[bending_stiffness].number),
        modes(static_cast<std::size_t>(i.fields[mode_count].integer)),
        boundary(static_cast<Boundary>(i.fields[Field::boundary].integer)) {}
  BeamMode mode(std::size_t k) const noexcept { return {boundary, k}; }
};

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
  return c;
}

class FlexibleBeam final : public FlexibleBodyType {
 public:
  std::string_view name() const noexcept override { return "flexible-beam"; }
  std::string_view meaning() const noexcept override {
    return "uniform Euler-Bernoulli beam that bends in its x-y plane, by its exact modes";
  }
  std::span<const FieldSpec> fields() const noexcept override { return specs; }
  std::size_t modes(const FlexibleInstance& instance) const noexcept override { return Beam(instance).modes; }
  bool define(const FlexibleInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    bool good = true;
    for (const std::size_t field : {damping_ratio, modal_position, modal_velocity})
      good &= check_per_mode(instance.fields[field], specs[field], field, modes(instance), number, sink);
    return good;
  }
  /// Any point of the axis.
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
  }
  FlexibleBatch* create(std::span<const FlexibleInstance> instances) const noexcept override {
    return make_batch<ModalBatch>(instances, &invariants_of);
  }
};

}  // namespace

const FlexibleBodyType& flexible_beam() noexcept {
  static constexpr FlexibleBeam type;
  return type;
}

}  // namespace polyform::flexible
