// A direct-current motor that drives a joint through a gear: L i̇ = V − R i − k_e ω, J ω̇ = k_t i − c ω + λ, ω = n v.
#include <array>
#include <vector>

#include "module_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::modules {
namespace {

enum Field : std::size_t {
  joint,
  voltage,
  resistance,
  inductance,
  torque_constant,
  back_emf_constant,
  gear_ratio,
  rotor_inertia,
  friction,
  current
};
constexpr std::array specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint that is driven, with one velocity coordinate",
              .required = true},
    FieldSpec{.name = "voltage",
              .type = FieldType::time_function,
              .unit = "V",
              .meaning = "applied voltage, positive to drive the joint in its positive direction",
              .required = true},
    FieldSpec{
        .name = "resistance", .unit = "Ohm", .meaning = "of the armature circuit", .required = true, .minimum = 0},
    FieldSpec{.name = "inductance",
              .unit = "H",
              .meaning = "of the armature circuit, greater than zero",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "torque_constant", .unit = "N m/A", .meaning = "torque per current", .required = true},
    FieldSpec{.name = "back_emf_constant",
              .unit = "V s/rad",
              .meaning = "voltage per speed of the rotor; not given: equal to the torque constant"},
    FieldSpec{.name = "gear_ratio",
              .unit = "rad/m or rad/rad",
              .meaning = "turn of the rotor per joint coordinate, not zero",
              .default_text = "1"},
    FieldSpec{.name = "rotor_inertia",
              .unit = "kg m^2",
              .meaning = "of the rotor about its axis",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "friction",
              .unit = "N m s/rad",
              .meaning = "viscous friction of the rotor",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "current", .unit = "A", .meaning = "at the start", .default_text = "0"}};

constexpr Variable variable_names[] = {{"current", "A"}, {"speed", "rad/s"}};
constexpr Variable state_names[] = {{"angle", "rad"}};
constexpr Variable row_names[] = {{"gear_torque", "N m"}};

class DcMotors final : public ModuleBatch {
 public:
  explicit DcMotors(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const auto number = [&](Field f) { return i.fields[f].number; };
      motors_.push_back({i.fields[voltage].functions[0], number(resistance), number(inductance),
                         number(torque_constant),
                         i.fields[back_emf_constant].given ? number(back_emf_constant) : number(torque_constant),
                         number(gear_ratio), number(rotor_inertia), number(friction), number(current)});
    }
  }
  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (std::size_t k = 0; k < motors_.size(); ++k) {
      const Motor& m = motors_[k];
      const double i = in.u[2 * k], speed = in.u[2 * k + 1], applied = m.voltage(in.attachments->time).value;
      out.M[4 * k] = m.inductance;
      out.M[4 * k + 3] = m.inertia;
      out.f[2 * k] = applied - m.resistance * i - m.back_emf_constant * speed;
      out.f[2 * k + 1] = m.torque_constant * i - m.friction * speed;
      out.A[2 * k + 1] = 1;
      out.B[k] = -m.ratio;
      out.xdot[k] = speed;
      out.kinetic_energy += 0.5 * (m.inductance * i * i + m.inertia * speed * speed);
      out.power += out.f[2 * k] * i + out.f[2 * k + 1] * speed;
    }
  }
  void initial_state(std::span<double> u, std::span<double> x) const noexcept override {
    for (std::size_t k = 0; k < motors_.size(); ++k) {
      u[2 * k] = motors_[k].current;
      u[2 * k + 1] = 0;  // that of the joint
      x[k] = 0;
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Motor {
    TimeFunction voltage;
    double resistance, inductance, torque_constant, back_emf_constant, ratio, inertia, friction, current;
  };
  std::vector<Motor> motors_;
};

class DcMotor final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "dc-motor",
        .meaning = "direct-current motor with its circuit and rotor, driving a joint through a gear",
        .fields = specs,
        .variables = variable_names,
        .states = state_names,
        .rows = row_names};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (i.joints[0].nv != 1) {
      sink.report(Severity::error, number, joint,
                  Message("the joint has {} velocity coordinate{}, but a motor drives one", i.joints[0].nv,
                          plural(i.joints[0].nv)),
                  "Name a revolute or prismatic joint.");
      return false;
    }
    if (i.fields[inductance].number == 0) {
      sink.report(
          Severity::error, number, inductance,
          "without inductance the current follows the voltage at once, but it is a state of this motor",
          "Give a small inductance, of about a thousandth of the resistance times the time that matters, with an "
          "implicit integrator; or in place of the motor a joint-force of n k_t V/R and a joint-spring-damper "
          "with the damping n^2 (k_t k_e/R + c), which is the same motor without current.");
      return false;
    }
    if (i.fields[gear_ratio].number == 0) {
      sink.report(Severity::error, number, gear_ratio, "a gear with the ratio 0 lets the rotor turn on its own",
                  "Give the turn of the rotor per joint coordinate, 1 for a direct drive.");
      return false;
    }
    return true;
  }
  ModuleBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<DcMotors>(instances);
  }
};

}  // namespace

const ModuleType& dc_motor() noexcept {
  static constexpr DcMotor type;
  return type;
}

}  // namespace polyform::modules
