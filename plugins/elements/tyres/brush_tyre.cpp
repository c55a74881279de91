// The brush model of a tyre: bristles that bend until they slide, with a parabolic pressure.
#include <algorithm>
#include <array>
#include <cmath>

#include "rolling_tyre.hpp"
#include "tyre_types.hpp"

namespace polyform::tyres {
namespace {

enum Field : std::size_t {
  slip_stiffness = first_own_field,
  cornering_stiffness,
  friction,
  half_length,
  relaxation_length,
  rolling_resistance
};
constexpr auto specs = tyre_fields(std::array{
    FieldSpec{.name = "slip_stiffness",
              .type = FieldType::number,
              .unit = "N",
              .meaning = "longitudinal force per slip, at none",
              .required = true,
              .minimum = 0,
              .typical = 5e4},
    FieldSpec{.name = "cornering_stiffness",
              .type = FieldType::number,
              .unit = "N/rad",
              .meaning = "lateral force per slip angle, at none",
              .required = true,
              .minimum = 0,
              .typical = 5e4},
    FieldSpec{.name = "friction",
              .type = FieldType::number,
              .unit = "1",
              .meaning = "coefficient between tyre and road",
              .default_text = "1",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "half_length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the contact: the lateral force acts a third of it behind the middle where nothing slides",
              .default_text = "0.06",
              .minimum = 0,
              .typical = 0.06},
    FieldSpec{.name = "relaxation_length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "way over which the forces follow the slip",
              .default_text = "0.3",
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 0.3},
    FieldSpec{.name = "rolling_resistance",
              .type = FieldType::number,
              .unit = "1",
              .meaning = "force against the rolling per load",
              .default_text = "0",
              .minimum = 0,
              .typical = 0.01}});

/// With the slips σ_x = κ/(1 + κ) and σ_y = tan α/(1 + κ), C = (C_κ σ_x, C_α σ_y) and ψ = |C|/(3 μ N), up to 1:
///
///   F = 3 μ N ψ (1 − ψ + ψ²/3) C/|C|        M_z = −a μ N ψ (1 − ψ)³ C_y/|C|
///
/// (Pacejka, Tire and Vehicle Dynamics, Sect. 3.2).
class Brush {
 public:
  explicit Brush(const ElementInstance& i)
      : slip_(i.fields[slip_stiffness].number),
        cornering_(i.fields[cornering_stiffness].number),
        friction_(i.fields[friction].number),
        half_length_(i.fields[half_length].number),
        relaxation_(i.fields[relaxation_length].number),
        resistance_(i.fields[rolling_resistance].number),
        radius_(i.fields[rolling_field::radius].number) {}
  RoadForces forces(const RollingState& s) const noexcept {
    constexpr double nearly_locked = 0.02;
    const double rolls = std::max(nearly_locked, 1 + s.kappa);
    const double x = slip_ * s.kappa / rolls, y = cornering_ * s.tan_alpha / rolls, size = std::hypot(x, y);
    const double most = friction_ * s.load, psi = std::min(1.0, size / (3 * most)), left = 1 - psi;
    // F/|C|, which is 1 if nothing slides.
    const double share = psi < 1 ? 1 - psi + psi * psi / 3 : most / size;
    const double arm = psi < 1 ? half_length_ / 3 * left * left * left : 0;
    return {share * x, share * y, -arm * y, resistance_ * s.load * radius_ * std::tanh(s.speed / creeping)};
  }
  double length_x(double, double) const noexcept { return relaxation_; }
  double length_y(double, double) const noexcept { return relaxation_; }

 private:
  double slip_, cornering_, friction_, half_length_, relaxation_, resistance_, radius_;
};

class BrushTyre final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "brush-tyre",
        .meaning = "a tyre that drives, brakes and steers by the brush model, on a level or an uneven road",
        .fields = specs,
        .states = rolling_states,
        .outputs = rolling_outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    return check_wheel(i, number, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<RollingTyres<Brush>>(instances);
  }
};

}  // namespace

const ForceType& brush_tyre() noexcept {
  static constexpr BrushTyre type;
  return type;
}

}  // namespace polyform::tyres
