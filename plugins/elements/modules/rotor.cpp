// A rotor that a joint turns through a gear: J ω̇ = −c ω + λ, ω = n v.
#include <array>
#include <vector>

#include "module_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::modules {
namespace {

enum Field : std::size_t { joint, ratio, inertia, friction };
constexpr std::array specs{FieldSpec{.name = "joint",
                                     .type = FieldType::joint,
                                     .unit = "",
                                     .meaning = "the joint that turns it, with one coordinate",
                                     .required = true},
                           FieldSpec{.name = "ratio",
                                     .unit = "rad/rad or rad/m",
                                     .meaning = "turn of the rotor per coordinate of the joint, not zero",
                                     .default_text = "1"},
                           FieldSpec{.name = "inertia",
                                     .unit = "kg m^2",
                                     .meaning = "of the rotor about its axis; of a slide with the ratio 1: kg",
                                     .required = true,
                                     .minimum = 0},
                           FieldSpec{.name = "friction",
                                     .unit = "N m s/rad",
                                     .meaning = "viscous friction of the rotor in its bearings",
                                     .default_text = "0",
                                     .minimum = 0}};

constexpr Variable variable_names[] = {{"speed", "rad/s"}};
constexpr Variable state_names[] = {{.name = "angle", .unit = "rad", .integral_of = 0}};
constexpr Variable row_names[] = {{.name = "torque", .unit = "N m", .holonomic = true}};

class Rotors final : public ModuleBatch {
 public:
  explicit Rotors(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      rotors_.push_back({i.fields[ratio].number, i.fields[inertia].number, i.fields[friction].number});
  }
  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (std::size_t i = 0; i < rotors_.size(); ++i) {
      const Rotor& rotor = rotors_[i];
      const double speed = in.u[i];
      out.M[i] = rotor.inertia;
      out.f[i] = -rotor.friction * speed;
      out.A[i] = 1;
      out.B[i] = -rotor.ratio;
      out.residual[i] = in.x[i] - rotor.ratio * in.attachments->q[i];
      out.xdot[i] = speed;
      out.kinetic_energy += 0.5 * rotor.inertia * speed * speed;
      out.power -= rotor.friction * speed * speed;
    }
  }
  void initial_state(std::span<double> u, std::span<double> x) const noexcept override {
    for (std::size_t i = 0; i < rotors_.size(); ++i) u[i] = x[i] = 0;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Rotor {
    double ratio, inertia, friction;
  };
  std::vector<Rotor> rotors_;
};

class RotorType final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "rotor",
        .meaning = "rotor with inertia and friction that a joint turns by a gear",
        .fields = specs,
        .variables = variable_names,
        .states = state_names,
        .rows = row_names};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    const JointShape& shape = i.joints[0];
    if (shape.nv != 1 || shape.nq != 1 || shape.code_defined) {
      sink.report(Severity::error, number, joint,
                  "a rotor is turned by a joint of one coordinate, whose rate is its velocity",
                  "Name a revolute or prismatic joint.");
      return false;
    }
    if (i.fields[ratio].number == 0) {
      sink.report(Severity::error, number, ratio, "a gear with the ratio 0 does not turn the rotor",
                  "Give the turn of the rotor per joint coordinate.");
      return false;
    }
    return true;
  }
  ModuleBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Rotors>(instances);
  }
};

}  // namespace

const ModuleType& rotor() noexcept {
  static constexpr RotorType type;
  return type;
}

}  // namespace polyform::modules
