#include <array>
#include <vector>

#include "force_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/time_vector.hpp"

namespace polyform::forces {
namespace {

enum Field : std::size_t { body, point, force, moment, axes };
constexpr std::array<std::string_view, 2> choices{"ground", "body"};
constexpr std::array specs{FieldSpec{.name = "body",
                                     .type = FieldType::body,
                                     .unit = "",
                                     .meaning = "the body that the force acts on",
                                     .required = true},
                           FieldSpec{.name = "point",
                                     .type = FieldType::vector3,
                                     .unit = "m",
                                     .meaning = "where it acts, in the body's own frame",
                                     .default_text = "[0, 0, 0]"},
                           FieldSpec{.name = "force",
                                     .type = FieldType::time_functions,
                                     .unit = "N",
                                     .meaning = "the three components of the force",
                                     .default_text = "[0, 0, 0]"},
                           FieldSpec{.name = "moment",
                                     .type = FieldType::time_functions,
                                     .unit = "N m",
                                     .meaning = "the three components of a moment besides",
                                     .default_text = "[0, 0, 0]"},
                           FieldSpec{.name = "axes",
                                     .type = FieldType::choice,
                                     .unit = "",
                                     .meaning = "axes of the components of force and moment",
                                     .default_text = "ground",
                                     .choices = choices,
                                     .tied_to_ground = true}};

constexpr std::array outputs{Variable{.name = "fx", .unit = "N"},   Variable{.name = "fy", .unit = "N"},
                             Variable{.name = "fz", .unit = "N"},   Variable{.name = "mx", .unit = "N m"},
                             Variable{.name = "my", .unit = "N m"}, Variable{.name = "mz", .unit = "N m"}};

struct Load {
  TimeVector force, moment;
  bool in_body_axes;
};

class PointForces final : public ForceBatch, public OutputSource {
 public:
  explicit PointForces(Strided<const ElementInstance> instances) {
    loads_.reserve(instances.size());
    for (const ElementInstance& i : instances)
      loads_.push_back({TimeVector(i.fields[force]), TimeVector(i.fields[moment]), i.fields[axes].text == "body"});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const MarkerMotion& at = in.markers[i];
      const Spatial wrench = wrench_of(loads_[i], at, in.time);
      out.wrenches[i] = wrench;
      out.power += dot(wrench, Spatial{at.angular_velocity, at.velocity});
    }
  }
  /// Force and moment in ground axes.
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const Spatial wrench = wrench_of(loads_[i], in.attachments->markers[i], in.attachments->time);
      double* const own = values.data() + outputs.size() * i;
      for (std::size_t k = 0; k < 3; ++k) own[k] = wrench.linear[k], own[3 + k] = wrench.angular[k];
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  static Spatial wrench_of(const Load& load, const MarkerMotion& at, double time) noexcept {
    const Spatial given{load.moment(time), load.force(time)};
    return load.in_body_axes ? Spatial{at.R * given.angular, at.R * given.linear} : given;
  }

  std::vector<Load> loads_;
};

class PointForce final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "point-force",
        .meaning = "given force and moment at a point of a body; never potential",
        .fields = specs,
        .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    instance.markers[0].point = instance.fields[point].vector;
    if (is_ground(instance.markers[0].body))
      sink.report(Severity::warning, number, body, "the force acts on ground: it moves nothing",
                  "Name a body that can move.");
    bool good = true;
    for (const Field f : {force, moment})
      good = check_time_vector(instance.fields[f], specs[f], number, f, sink) && good;
    return good;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<PointForces>(instances);
  }
};

}  // namespace

const ForceType& point_force() noexcept {
  static constexpr PointForce type;
  return type;
}

}  // namespace polyform::forces
