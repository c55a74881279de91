#include "flywheel_module.hpp"

#include <array>
#include <vector>

#include "polyform/helpers/element_helpers.hpp"

namespace example {
namespace {

using namespace polyform;

enum Field : std::size_t { joint, ratio, inertia, friction };
constexpr std::array specs{FieldSpec{.name = "joint",
                                     .type = FieldType::joint,
                                     .unit = "",
                                     .meaning = "the joint that turns the wheel, with one velocity coordinate",
                                     .required = true},
                           FieldSpec{.name = "ratio",
                                     .type = FieldType::number,
                                     .unit = "rad/rad or rad/m",
                                     .meaning = "turn of the wheel per joint coordinate",
                                     .required = true},
                           FieldSpec{.name = "inertia",
                                     .type = FieldType::number,
                                     .unit = "kg m²",
                                     .meaning = "of the wheel about its axis",
                                     .required = true,
                                     .minimum = 0,
                                     .exclusive_minimum = true},
                           FieldSpec{.name = "friction",
                                     .type = FieldType::number,
                                     .unit = "N m s/rad",
                                     .meaning = "moment per speed in the bearing of the wheel",
                                     .default_text = "0",
                                     .minimum = 0}};

constexpr std::array<Variable, 1> variable_names{{{"speed", "rad/s"}}};
constexpr std::array<Variable, 1> state_names{{{"angle", "rad"}}};
constexpr std::array<Variable, 1> row_names{{{"torque", "N m"}}};

struct Wheel {
  double ratio, inertia, friction;
};

/// One variable, the speed ω of the wheel; one state, its angle φ; one row, the gear, whose multiplier is the moment on
/// the wheel. With v the velocity of the joint and n the ratio:
///
///   J ω̇ = −c ω + λ,   φ̇ = ω,   ω − n v = 0
class Wheels final : public ModuleBatch {
 public:
  explicit Wheels(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      wheels_.push_back({i.fields[ratio].number, i.fields[inertia].number, i.fields[friction].number});
  }

  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (std::size_t i = 0; i < wheels_.size(); ++i) {
      const Wheel& wheel = wheels_[i];
      const double speed = in.u[i];
      out.M[i] = wheel.inertia;
      out.f[i] = -wheel.friction * speed;
      out.A[i] = 1;
      out.B[i] = -wheel.ratio;
      out.xdot[i] = speed;
      out.kinetic_energy += 0.5 * wheel.inertia * speed * speed;
      out.power -= wheel.friction * speed * speed;
    }
  }
  /// At rest; the host moves the speed to what the joint asks for.
  void initial_state(std::span<double> u, std::span<double> x) const noexcept override {
    for (std::size_t i = 0; i < wheels_.size(); ++i) u[i] = x[i] = 0;
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Wheel> wheels_;
};

class FlywheelModule final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "flywheel",
                                               .meaning = "a wheel that a joint turns through a gear",
                                               .fields = specs,
                                               .variables = variable_names,
                                               .states = state_names,
                                               .rows = row_names};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.joints[0].nv == 1) return true;
    sink.report(Severity::error, number, joint,
                Message("the joint has {} velocity coordinate{}, but one turns a wheel", instance.joints[0].nv,
                        plural(instance.joints[0].nv)),
                "Name a revolute or prismatic joint.");
    return false;
  }
  ModuleBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Wheels>(instances);
  }
};

}  // namespace

const ModuleType& flywheel_module() noexcept {
  static constexpr FlywheelModule type;
  return type;
}

}  // namespace example
