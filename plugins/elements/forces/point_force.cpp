#include <algorithm>
#include <array>
#include <vector>

#include "force_types.hpp"
#include "polyform/element_helpers.hpp"

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
                                     .choices = choices}};

struct Load {
  TimeFunction force[3], moment[3];
  bool in_body_axes;
};

Vec3 value(const TimeFunction (&f)[3], double t) { return {f[0](t).value, f[1](t).value, f[2](t).value}; }

class PointForces final : public ForceBatch {
 public:
  explicit PointForces(std::span<const ElementInstance> instances) {
    loads_.reserve(instances.size());
    for (const ElementInstance& i : instances) {
      Load& load = loads_.emplace_back();
      std::copy_n(i.fields[force].functions.begin(), 3, load.force);
      std::copy_n(i.fields[moment].functions.begin(), 3, load.moment);
      load.in_body_axes = i.fields[axes].text == "body";
    }
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const Load& load = loads_[i];
      const MarkerMotion& at = in.markers[i];
      Spatial wrench{value(load.moment, in.time), value(load.force, in.time)};
      if (load.in_body_axes) wrench = {at.R * wrench.angular, at.R * wrench.linear};
      out.wrenches[i] = wrench;
      out.power += dot(wrench, Spatial{at.angular_velocity, at.velocity});
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Load> loads_;
};

bool check_components(const ElementInstance& instance, std::size_t number, std::size_t field, FieldSink& sink) {
  const std::size_t given = instance.fields[field].functions.size();
  if (given == 3) return true;
  sink.report(Severity::error, number, field,
              Message("{} component{} given for the {}, expected 3", given, plural(given), specs[field].name),
              "Give a list [x, y, z] of numbers or functions of time.");
  return false;
}

class PointForce final : public ForceType {
 public:
  std::string_view name() const noexcept override { return "point-force"; }
  std::string_view meaning() const noexcept override {
    return "given force and moment at a point of a body; never potential";
  }
  std::span<const FieldSpec> fields() const noexcept override { return specs; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    instance.markers[0].point = instance.fields[point].vector;
    if (is_ground(instance.markers[0].body))
      sink.report(Severity::warning, number, body, "the force acts on ground: it moves nothing",
                  "Name a body that can move.");
    const bool force_good = check_components(instance, number, force, sink);
    return check_components(instance, number, moment, sink) && force_good;
  }
  ForceBatch* create(std::span<const ElementInstance> instances) const noexcept override {
    return make_batch<PointForces>(instances);
  }
};

}  // namespace

const ForceType& point_force() noexcept {
  static constexpr PointForce type;
  return type;
}

}  // namespace polyform::forces
