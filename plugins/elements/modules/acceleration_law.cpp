// A constraint on the acceleration of a joint, as a control law asks for it: v̇ = a(t) − d v − k q. The wanted velocity
// w is a state, ẇ = a(t) − d w − k q, and the row is v = w, so that velocities keep to it in a long run.
#include <array>
#include <vector>

#include "module_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::modules {
namespace {

enum Field : std::size_t { joint, acceleration, damping, stiffness, velocity };
constexpr std::array specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint whose acceleration is asked for, with one coordinate",
              .required = true},
    FieldSpec{.name = "acceleration",
              .type = FieldType::time_function,
              .unit = "m/s^2 or rad/s^2",
              .meaning = "a",
              .default_text = "0"},
    FieldSpec{.name = "damping", .unit = "1/s", .meaning = "d, acceleration against the velocity", .default_text = "0"},
    FieldSpec{
        .name = "stiffness", .unit = "1/s^2", .meaning = "k, acceleration against the coordinate", .default_text = "0"},
    FieldSpec{.name = "velocity", .unit = "m/s or rad/s", .meaning = "of the joint at the start", .default_text = "0"}};

constexpr Variable state_names[] = {{"velocity", "m/s or rad/s"}};
constexpr Variable row_names[] = {{"effort", "N or N m"}};

class AccelerationLaws final : public ModuleBatch {
 public:
  explicit AccelerationLaws(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      laws_.push_back({i.fields[acceleration].functions[0], i.fields[damping].number, i.fields[stiffness].number,
                       i.fields[velocity].number});
  }
  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (std::size_t k = 0; k < laws_.size(); ++k) {
      const Law& law = laws_[k];
      const double wanted =
          law.acceleration(in.attachments->time).value - law.damping * in.x[k] - law.stiffness * in.attachments->q[k];
      out.B[k] = 1;
      out.velocity_right[k] = in.x[k];
      out.acceleration_right[k] = wanted;
      out.xdot[k] = wanted;
    }
  }
  void initial_state(std::span<double>, std::span<double> x) const noexcept override {
    for (std::size_t k = 0; k < laws_.size(); ++k) x[k] = laws_[k].start;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Law {
    TimeFunction acceleration;
    double damping, stiffness, start;
  };
  std::vector<Law> laws_;
};

class AccelerationLaw final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "acceleration-law",
        .meaning = "acceleration of a joint as a law of time, velocity and coordinate; tells the effort that it takes",
        .fields = specs,
        .states = state_names,
        .rows = row_names};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    const JointShape shape = i.joints[0];
    if (shape.nv == 1 && shape.nq == 1 && !shape.code_defined) return true;
    sink.report(Severity::error, number, joint, "the law is for a joint of one coordinate, whose rate is its velocity",
                "Name a revolute or prismatic joint.");
    return false;
  }
  ModuleBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<AccelerationLaws>(instances);
  }
};

}  // namespace

const ModuleType& acceleration_law() noexcept {
  static constexpr AccelerationLaw type;
  return type;
}

}  // namespace polyform::modules
