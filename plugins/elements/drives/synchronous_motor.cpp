// A synchronous motor with permanent magnets that drives a joint, in the axes d and q that turn with its rotor.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "drive_types.hpp"
#include "polyform/contract/module.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::drives {
namespace {

enum Field : std::size_t {
  joint,
  voltage,
  voltage_angle,
  resistance,
  d_inductance,
  q_inductance,
  flux,
  pole_pairs,
  gear_ratio,
  rotor_inertia,
  friction
};
constexpr std::array specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint that is driven, with one coordinate",
              .required = true},
    FieldSpec{.name = "voltage",
              .type = FieldType::time_function,
              .unit = "V",
              .meaning = "amplitude of the voltage of a phase",
              .required = true},
    FieldSpec{.name = "voltage_angle",
              .type = FieldType::time_function,
              .unit = "rad",
              .meaning = "electrical angle of the voltage, which grows by 2 pi each period: of a grid of 50 Hz "
                         "{polynomial: [0, 314.16]}",
              .required = true},
    FieldSpec{.name = "resistance", .unit = "Ohm", .meaning = "of a phase", .required = true, .minimum = 0},
    FieldSpec{.name = "d_inductance",
              .unit = "H",
              .meaning = "of a phase, along the magnets",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "q_inductance",
              .unit = "H",
              .meaning = "of a phase, across the magnets; default: that along them",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{
        .name = "flux", .unit = "V s", .meaning = "amplitude of the flux of the magnets in a phase", .required = true},
    FieldSpec{.name = "pole_pairs",
              .type = FieldType::integer,
              .unit = "1",
              .meaning = "electrical turns per turn of the rotor",
              .default_text = "1",
              .minimum = 1},
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
              .minimum = 0}};

constexpr Variable variable_names[] = {{"d_current", "A"}, {"q_current", "A"}, {"speed", "rad/s"}};
constexpr Variable state_names[] = {{.name = "angle", .unit = "rad", .integral_of = 2}};
constexpr Variable row_names[] = {{.name = "gear_torque", .unit = "N m", .holonomic = true}};
constexpr std::array outputs{Variable{.name = "torque", .unit = "N m"}, Variable{.name = "load_angle", .unit = "rad"},
                             Variable{.name = "electric_power", .unit = "W"}};

/// With the rotor's angle φ and speed ω, θ = p φ, and the voltage V at the electrical angle ϑ. At θ = 0 the axis d is
/// that of the phase; the voltage that the magnets induce is along q, a quarter turn ahead:
///
///   L_d di_d/dt = V cos(ϑ − θ) − R i_d + p ω L_q i_q
///   L_q di_q/dt = V sin(ϑ − θ) − R i_q − p ω (L_d i_d + ψ)
///   T = 3/2 p (ψ i_q + (L_d − L_q) i_d i_q)        J dω/dt = T − c ω + λ        ω = n v, φ = n q
///
/// The first two equations are taken 3/2 times, so that M is that of the energy of three phases.
class SynchronousMotors final : public ModuleBatch, public OutputSource {
 public:
  explicit SynchronousMotors(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const double L_d = i.fields[d_inductance].number;
      motors_.push_back({i.fields[voltage].functions[0], i.fields[voltage_angle].functions[0],
                         i.fields[resistance].number, L_d,
                         i.fields[q_inductance].given ? i.fields[q_inductance].number : L_d, i.fields[flux].number,
                         static_cast<double>(i.fields[pole_pairs].integer), i.fields[gear_ratio].number,
                         i.fields[rotor_inertia].number, i.fields[friction].number});
    }
  }
  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (std::size_t k = 0; k < motors_.size(); ++k) {
      const Motor& m = motors_[k];
      const double* const u = in.u.data() + 3 * k;
      const double d = u[0], q = u[1], speed = u[2], t = in.attachments->time;
      const auto [along, across] = m.voltages(t, in.x[k]);
      double* const M = out.M.data() + 9 * k;
      M[0] = phases * m.L_d;
      M[4] = phases * m.L_q;
      M[8] = m.inertia;
      double* const f = out.f.data() + 3 * k;
      f[0] = phases * (along - m.resistance * d + m.pole_pairs * speed * m.L_q * q);
      f[1] = phases * (across - m.resistance * q - m.pole_pairs * speed * (m.L_d * d + m.flux));
      f[2] = m.torque(d, q) - m.friction * speed;
      out.A[3 * k + 2] = 1;
      out.B[k] = -m.ratio;
      out.residual[k] = in.x[k] - m.ratio * in.attachments->q[k];
      out.xdot[k] = speed;
      out.kinetic_energy += 0.5 * (M[0] * d * d + M[4] * q * q + m.inertia * speed * speed);
      out.power += f[0] * d + f[1] * q + f[2] * speed;
    }
  }
  void initial_state(std::span<double> u, std::span<double> x) const noexcept override {
    std::ranges::fill(u, 0.0);
    std::ranges::fill(x, 0.0);
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t k = 0; k < motors_.size(); ++k) {
      const Motor& m = motors_[k];
      const double d = in.u[3 * k], q = in.u[3 * k + 1];
      const auto [along, across] = m.voltages(in.attachments->time, in.x[k]);
      values[3 * k] = m.torque(d, q);
      values[3 * k + 1] = std::atan2(-along, across);
      values[3 * k + 2] = phases * (along * d + across * q);
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  static constexpr double phases = 1.5;
  struct Voltages {
    double along, across;
  };
  struct Motor {
    TimeFunction voltage, angle;
    double resistance, L_d, L_q, flux, pole_pairs, ratio, inertia, friction;

    Voltages voltages(double t, double rotor) const noexcept {
      const double V = voltage(t).value, ahead = angle(t).value - pole_pairs * rotor;
      return {V * std::cos(ahead), V * std::sin(ahead)};
    }
    double torque(double d, double q) const noexcept { return phases * pole_pairs * (flux * q + (L_d - L_q) * d * q); }
  };
  std::vector<Motor> motors_;
};

class SynchronousMotor final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "synchronous-motor",
        .meaning =
            "synchronous motor with permanent magnets, its three phases and rotor, driving a joint through a gear",
        .fields = specs,
        .variables = variable_names,
        .states = state_names,
        .rows = row_names,
        .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    const JointShape& shape = i.joints[0];
    if (shape.nv != 1 || shape.nq != 1 || shape.code_defined) {
      sink.report(Severity::error, number, joint,
                  "a motor drives a joint of one coordinate, whose rate is its velocity",
                  "Name a revolute or prismatic joint.");
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
    return make_batch<SynchronousMotors>(instances);
  }
};

}  // namespace

const ModuleType& synchronous_motor() noexcept {
  static constexpr SynchronousMotor type;
  return type;
}

}  // namespace polyform::drives
