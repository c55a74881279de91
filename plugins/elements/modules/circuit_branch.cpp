// A branch of an electrical circuit: L di/dt = V(t) − R i − q/C + what its nodes put on it, q̇ = i.
#include <array>
#include <vector>

#include "module_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::modules {
namespace {

enum Field : std::size_t { voltage, resistance, inductance, capacitance, current, charge };
constexpr std::array specs{
    FieldSpec{.name = "voltage",
              .type = FieldType::time_function,
              .unit = "V",
              .meaning = "of the source, positive along the current",
              .default_text = "0"},
    FieldSpec{.name = "resistance", .unit = "ohm", .meaning = "R", .default_text = "0", .minimum = 0},
    FieldSpec{.name = "inductance",
              .unit = "H",
              .meaning = "L, not zero: the current is a state, and L gives its rate",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "capacitance",
              .unit = "F",
              .meaning = "C; without it there is no capacitor",
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1e-3},
    FieldSpec{.name = "current", .unit = "A", .meaning = "at the start", .default_text = "0"},
    FieldSpec{.name = "charge",
              .unit = "C",
              .meaning = "that has passed, and is on the capacitor, at the start",
              .default_text = "0"}};

constexpr Variable variable_names[] = {{"current", "A"}};
constexpr Variable state_names[] = {{.name = "charge", .unit = "C", .integral_of = 0}};

class CircuitBranches final : public ModuleBatch {
 public:
  explicit CircuitBranches(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const auto number = [&](Field f) { return i.fields[f].number; };
      branches_.push_back({i.fields[voltage].functions[0], number(resistance), number(inductance),
                           i.fields[capacitance].given ? 1 / number(capacitance) : 0, number(current), number(charge)});
    }
  }
  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (std::size_t k = 0; k < branches_.size(); ++k) {
      const Branch& b = branches_[k];
      const double i = in.u[k], q = in.x[k], applied = b.voltage(in.attachments->time).value;
      out.M[k] = b.inductance;
      out.f[k] = applied - b.resistance * i - b.elastance * q;
      out.xdot[k] = i;
      out.kinetic_energy += 0.5 * b.inductance * i * i;
      out.potential_energy += 0.5 * b.elastance * q * q;
      out.power += (applied - b.resistance * i) * i;
    }
  }
  void initial_state(std::span<double> u, std::span<double> x) const noexcept override {
    for (std::size_t k = 0; k < branches_.size(); ++k) {
      u[k] = branches_[k].current;
      x[k] = branches_[k].charge;
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Branch {
    TimeFunction voltage;
    double resistance, inductance, elastance, current, charge;
  };
  std::vector<Branch> branches_;
};

class CircuitBranch final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "circuit-branch",
        .meaning = "source, resistor, coil and capacitor in a row: a branch of an electrical circuit",
        .fields = specs,
        .variables = variable_names,
        .states = state_names};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ModuleBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<CircuitBranches>(instances);
  }
};

}  // namespace

const ModuleType& circuit_branch() noexcept {
  static constexpr CircuitBranch type;
  return type;
}

}  // namespace polyform::modules
