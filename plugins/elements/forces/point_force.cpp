#include <array>
#include <type_traits>
#include <vector>

#include "force_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/law_number.hpp"
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
  double in_body_axes;  ///< 1, or 0
};

/// A wrench in ground axes, turned there from those of the marker where in_body_axes is 1, not 0.
template <class T, class Motion>
SpatialVector<T> wrench_of(const Vector3<T>& moment, const Vector3<T>& force, const T& in_body_axes, const Motion& at) {
  const auto in_ground = [&](const Vector3<T>& given) {
    if constexpr (std::is_same_v<T, double>) {
      if (!(in_body_axes > 0)) return given;
    }
    const Vector3<T> turned = at.R * given;
    Vector3<T> out;
    for (std::size_t k = 0; k < 3; ++k)
      out[k] = where_positive(in_body_axes, turned[k]) + where_positive(T(1) - in_body_axes, given[k]);
    return out;
  };
  return {in_ground(moment), in_ground(force)};
}
template <class T, class Motion>
T power_of(const SpatialVector<T>& wrench, const Motion& at) {
  return dot(wrench, SpatialVector<T>{at.angular_velocity, at.velocity});
}

class PointForces final : public ForceBatch, public OutputSource, private ForceLaw {
 public:
  explicit PointForces(Strided<const ElementInstance> instances) {
    loads_.reserve(instances.size());
    for (const ElementInstance& i : instances)
      loads_.push_back(
          {TimeVector(i.fields[force]), TimeVector(i.fields[moment]), i.fields[axes].text == "body" ? 1.0 : 0.0});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const MarkerMotion& at = in.markers[i];
      out.wrenches[i] = wrench_at(loads_[i], at, in.time);
      out.power += power_of(out.wrenches[i], at);
    }
  }
  /// Force and moment in ground axes.
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const Spatial wrench = wrench_at(loads_[i], in.attachments->markers[i], in.attachments->time);
      double* const own = values.data() + outputs.size() * i;
      for (std::size_t k = 0; k < 3; ++k) own[k] = wrench.linear[k], own[3 + k] = wrench.angular[k];
    }
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == ForceLaw::interface_name) return static_cast<ForceLaw*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  static Spatial wrench_at(const Load& load, const MarkerMotion& at, double time) noexcept {
    return wrench_of(load.moment(time), load.force(time), load.in_body_axes, at);
  }
  std::string_view obstacle() const noexcept override {
    for (const Load& load : loads_)
      if (!load.moment.is_constant() || !load.force.is_constant()) return "depends on time";
    return {};
  }
  std::size_t parameter_count() const noexcept override { return 7 * loads_.size(); }
  void parameters(std::span<double> out) const noexcept override {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        out[7 * i + k] = loads_[i].moment.components[k].constant;
        out[7 * i + 3 + k] = loads_[i].force.components[k].constant;
      }
      out[7 * i + 6] = loads_[i].in_body_axes;
    }
  }
  void record(LawRecorder& recorder, const LawInput& in, LawOutput& out) noexcept override {
    const LawRecording recording(recorder);
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const MotionOfMarker<LawNumber> at = in_marker(in, i);
      Vector3<LawNumber> moment, force;
      for (std::size_t k = 0; k < 3; ++k) {
        moment[k] = in_parameter(in, 7 * i + k);
        force[k] = in_parameter(in, 7 * i + 3 + k);
      }
      const SpatialVector<LawNumber> wrench = wrench_of(moment, force, in_parameter(in, 7 * i + 6), at);
      put_wrench(out, i, wrench);
      add_power(out, power_of(wrench, at));
    }
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
