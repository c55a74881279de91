// The drag of air or water on a body: F = −½ ρ c A |v| v.
#include <array>
#include <vector>

#include "field_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/law_number.hpp"
#include "polyform/helpers/time_vector.hpp"

namespace polyform::fields {
namespace {

enum Field : std::size_t { at, coefficient, area, density, wind };
constexpr std::array specs{
    FieldSpec{.name = "at",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "where the drag acts: a point of a body",
              .required = true},
    FieldSpec{.name = "coefficient",
              .type = FieldType::number,
              .unit = "1",
              .meaning = "drag coefficient: about 0.3 of a car, 0.47 of a sphere, 1.1 of a plate",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "area",
              .type = FieldType::number,
              .unit = "m^2",
              .meaning = "that the coefficient refers to, as seen along the motion",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "density",
              .type = FieldType::number,
              .unit = "kg/m^3",
              .meaning = "of the air or water",
              .default_text = "1.225",
              .minimum = 0},
    FieldSpec{.name = "wind",
              .type = FieldType::time_functions,
              .unit = "m/s",
              .meaning = "velocity of the air or water: [x, y, z] in ground axes",
              .default_text = "[0, 0, 0]",
              .tied_to_ground = true}};
constexpr std::array outputs{Variable{.name = "airspeed", .unit = "m/s"}, Variable{.name = "force", .unit = "N"}};

/// v: over the air or water.
template <class T>
Vector3<T> drag_of(const T& per_square, const Vector3<T>& v) {
  return (-per_square * norm(v)) * v;
}

class Drags final : public ForceBatch, public OutputSource, private ForceLaw {
 public:
  explicit Drags(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      drags_.push_back({0.5 * i.fields[density].number * i.fields[coefficient].number * i.fields[area].number,
                        TimeVector(i.fields[wind])});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < drags_.size(); ++i) {
      const Vec3 v = in.markers[i].velocity - drags_[i].wind(in.time);
      out.wrenches[i].linear = drag_of(drags_[i].per_square, v);
      out.power += dot(out.wrenches[i].linear, in.markers[i].velocity);
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < drags_.size(); ++i) {
      const double speed = norm(in.attachments->markers[i].velocity - drags_[i].wind(in.attachments->time));
      values[2 * i] = speed;
      values[2 * i + 1] = drags_[i].per_square * speed * speed;
    }
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == ForceLaw::interface_name) return static_cast<ForceLaw*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Resistance {
    double per_square;  ///< force per square of the speed, N s²/m²
    TimeVector wind;
  };
  std::string_view obstacle() const noexcept override {
    return std::ranges::all_of(drags_, [](const Resistance& r) { return r.wind.is_constant(); }) ? ""
                                                                                                 : "depends on time";
  }
  std::size_t parameter_count() const noexcept override { return 4 * drags_.size(); }
  void parameters(std::span<double> out) const noexcept override {
    for (std::size_t i = 0; i < drags_.size(); ++i) {
      out[4 * i] = drags_[i].per_square;
      for (std::size_t k = 0; k < 3; ++k) out[4 * i + 1 + k] = drags_[i].wind.components[k].constant;
    }
  }
  void record(LawRecorder& recorder, const LawInput& in, LawOutput& out) noexcept override {
    const LawRecording recording(recorder);
    for (std::size_t i = 0; i < drags_.size(); ++i) {
      const Vector3<LawNumber> velocity = in_marker(in, i).velocity;
      Vector3<LawNumber> wind;
      for (std::size_t k = 0; k < 3; ++k) wind[k] = in_parameter(in, 4 * i + 1 + k);
      const Vector3<LawNumber> force = drag_of(in_parameter(in, 4 * i), velocity - wind);
      put_wrench(out, i, {{}, force});
      add_power(out, dot(force, velocity));
    }
  }

  std::vector<Resistance> drags_;
};

class Drag final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "drag",
                                               .meaning = "drag of air or water at a point, by the square of the speed",
                                               .fields = specs,
                                               .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (is_ground(i.markers[0].body))
      sink.report(Severity::warning, number, at, "the drag acts on ground: it moves nothing",
                  "Name a body that can move.");
    return check_time_vector(i.fields[wind], specs[wind], number, wind, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Drags>(instances);
  }
};

}  // namespace

const ForceType& drag() noexcept {
  static constexpr Drag type;
  return type;
}

}  // namespace polyform::fields
