// Coulomb's friction at a point that slides, with a given normal load: the given part φ of a non-ideal constraint
// force,
//
//   force = −F v/√(v² + v₀²)       F: coefficient times normal load
//
// whose power −F v²/√(v² + v₀²) is lost. v₀ rounds the corner at rest, where the law would have no single value.
#include <array>
#include <cmath>
#include <vector>

#include "constraint_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::constraints {
namespace {

enum Field : std::size_t { body, point, force, speed };
constexpr std::array specs{
    FieldSpec{.name = "body", .type = FieldType::body, .unit = "", .meaning = "the body that slides", .required = true},
    FieldSpec{.name = "point",
              .type = FieldType::vector3,
              .unit = "m",
              .meaning = "the point that slides on ground, in the body's own frame",
              .default_text = "[0, 0, 0]"},
    FieldSpec{.name = "force",
              .type = FieldType::number,
              .unit = "N",
              .meaning = "friction while sliding: coefficient of friction times normal load",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "speed",
              .type = FieldType::number,
              .unit = "m/s",
              .meaning = "speed below which friction falls to zero smoothly",
              .default_text = "1e-3",
              .minimum = 0,
              .exclusive_minimum = true}};

constexpr std::array outputs{Variable{.name = "speed", .unit = "m/s"}, Variable{.name = "force", .unit = "N"}};

class SlidingFrictions final : public ForceBatch, public OutputSource {
 public:
  explicit SlidingFrictions(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) contacts_.push_back({i.fields[force].number, i.fields[speed].number});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Vec3& v = in.markers[i].velocity;
      const double scale = -contacts_[i].force / std::sqrt(dot(v, v) + contacts_[i].speed * contacts_[i].speed);
      out.wrenches[i].linear = scale * v;
      out.power += scale * dot(v, v);
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const double slip = norm(in.attachments->markers[i].velocity);
      values[2 * i] = slip;
      values[2 * i + 1] = contacts_[i].force * slip / std::hypot(slip, contacts_[i].speed);
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Contact {
    double force, speed;
  };
  std::vector<Contact> contacts_;
};

class SlidingFriction final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "sliding-friction",
        .meaning = "Coulomb friction at a point that slides on ground, with a given normal load",
        .fields = specs,
        .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t, FieldSink&) const noexcept override {
    instance.markers[0].point = instance.fields[point].vector;
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<SlidingFrictions>(instances);
  }
};

}  // namespace

const ForceType& sliding_friction() noexcept {
  static constexpr SlidingFriction type;
  return type;
}

}  // namespace polyform::constraints
