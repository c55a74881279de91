#include "bar_flexible_body.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "polyform/helpers/element_helpers.hpp"

namespace example {
namespace {

using namespace polyform;

enum Field : std::size_t { length, linear_density, axial_stiffness, modal_position, modal_velocity };
constexpr std::array specs{FieldSpec{.name = "length",
                                     .type = FieldType::number,
                                     .unit = "m",
                                     .meaning = "length, from the frame origin along the body's x axis",
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
                           FieldSpec{.name = "axial_stiffness",
                                     .type = FieldType::number,
                                     .unit = "N",
                                     .meaning = "EA: force per strain",
                                     .required = true,
                                     .minimum = 0,
                                     .exclusive_minimum = true},
                           FieldSpec{.name = "modal_position",
                                     .type = FieldType::number,
                                     .unit = "m",
                                     .meaning = "initial elongation",
                                     .default_text = "0"},
                           FieldSpec{.name = "modal_velocity",
                                     .type = FieldType::number,
                                     .unit = "m/s",
                                     .meaning = "initial rate of elongation",
                                     .default_text = "0"}};

/// The mode φ(x) = sin(π x / 2ℓ), 1 at the free end, so that η is the elongation; and its integrals, in closed form.
struct Rod {
  double mass, length;
  double phi;        ///< ∫ φ dm
  double x_phi;      ///< ∫ x φ dm
  double phi_phi;    ///< ∫ φ² dm
  double stiffness;  ///< EA ∫ φ'² dx

  explicit Rod(const FlexibleInstance& i)
      : mass(i.fields[linear_density].number * i.fields[Field::length].number), length(i.fields[Field::length].number) {
    constexpr double pi = std::numbers::pi;
    phi = mass * 2 / pi;
    x_phi = mass * length * 4 / (pi * pi);
    phi_phi = mass / 2;
    stiffness = i.fields[axial_stiffness].number * pi * pi / (8 * length);
  }
  double first_moment(double eta) const { return mass * length / 2 + phi * eta; }  // ∫ X dm
  double second_moment(double eta) const {                                         // ∫ X² dm
    return mass * length * length / 3 + 2 * x_phi * eta + phi_phi * eta * eta;
  }
};

/// The points of the rod are at ρ = X e, X = x + φ η, e the x axis. In B = [−ρ̃  1  φ e], with s = ∫X dm, J = ∫X² dm:
///
///   mass = ∫ Bᵀ B dm = [ J (1 − e eᵀ)   s ẽ      0   ]       c = Ω × (Ω × e)
///                      [ −s ẽ           m 1     f e  ]       f = ∫φ dm,  g = ∫Xφ dm,  h = ∫φ² dm
///                      [ 0              f eᵀ     h   ]
///   force = −[ J e × c + 2 g η̇ e × (Ω × e);  s c + 2 f η̇ Ω × e;  g e·c + k η ]
class Rods final : public FlexibleBatch {
 public:
  explicit Rods(Strided<const FlexibleInstance> instances) : rods_(instances.begin(), instances.end()) {}

  void evaluate(Strided<const FlexibleInput> in, Strided<FlexibleOutput> out) noexcept override {
    for (std::size_t i = 0; i < rods_.size(); ++i) {
      const Rod& rod = rods_[i];
      const double eta = in[i].eta[0], rate = in[i].etadot[0];
      const double s = rod.first_moment(eta), J = rod.second_moment(eta), g = rod.x_phi + rod.phi_phi * eta;
      std::fill(out[i].mass.begin(), out[i].mass.end(), 0.0);
      const auto set = [&mass = out[i].mass](std::size_t row, std::size_t column, double value) {
        mass[7 * row + column] = mass[7 * column + row] = value;
      };
      set(1, 1, J);
      set(2, 2, J);
      set(1, 5, -s);  // s ẽ
      set(2, 4, s);
      for (std::size_t k = 3; k < 6; ++k) set(k, k, rod.mass);
      set(3, 6, rod.phi);
      set(6, 6, rod.phi_phi);

      const Vec3 e{1, 0, 0}, turning = cross(in[i].angular_velocity, e), c = cross(in[i].angular_velocity, turning);
      const Vec3 moment = cross(e, J * c + 2 * g * rate * turning), force = s * c + 2 * rod.phi * rate * turning;
      for (std::size_t k = 0; k < 3; ++k) {
        out[i].force[k] = -moment[k];
        out[i].force[3 + k] = -force[k];
      }
      out[i].force[6] = -g * c.x - rod.stiffness * eta;
      out[i].strain_energy = 0.5 * rod.stiffness * eta * eta;
      out[i].damping_power = 0;
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Rod> rods_;
};

class BarFlexibleBody final : public FlexibleBodyType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "bar", .meaning = "a slender rod that stretches, by its lowest mode", .fields = specs};
    return descriptor;
  }
  std::size_t modes(const FlexibleInstance&) const noexcept override { return 1; }
  bool define(const FlexibleInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  /// Any point of the axis; a section does not turn.
  bool shapes_at(const FlexibleInstance& instance, const Vec3& point, ModeShapes& shapes) const noexcept override {
    const double l = instance.fields[length].number, x = std::clamp(point.x, 0.0, l);
    if (norm(point - Vec3{x, 0, 0}) > 1e-9 * l) return false;
    std::fill(shapes.displacement.begin(), shapes.displacement.end(), 0.0);
    std::fill(shapes.rotation.begin(), shapes.rotation.end(), 0.0);
    shapes.displacement[0] = std::sin(std::numbers::pi * x / (2 * l));
    return true;
  }
  void initial_state(const FlexibleInstance& instance, std::span<double> eta,
                     std::span<double> etadot) const noexcept override {
    eta[0] = instance.fields[modal_position].number;
    etadot[0] = instance.fields[modal_velocity].number;
  }
  void mass_moment(const FlexibleInstance& instance, std::span<const double> eta, double& mass,
                   Vec3& moment) const noexcept override {
    const Rod rod(instance);
    mass = rod.mass;
    moment = {rod.first_moment(eta[0]), 0, 0};
  }
  FlexibleBatch* create(Strided<const FlexibleInstance> instances) const noexcept override {
    return make_batch<Rods>(instances);
  }
};

}  // namespace

const FlexibleBodyType& bar_flexible_body() noexcept {
  static constexpr BarFlexibleBody type;
  return type;
}

}  // namespace example
