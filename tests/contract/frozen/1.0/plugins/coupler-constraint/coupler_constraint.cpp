#include "coupler_constraint.hpp"

#include <array>
#include <vector>

#include "polyform/helpers/element_helpers.hpp"

namespace example {
namespace {

using namespace polyform;

enum Field : std::size_t { a, b, length };
constexpr std::array specs{
    FieldSpec{
        .name = "a", .type = FieldType::marker, .unit = "", .meaning = "one end: a point of a body", .required = true},
    FieldSpec{.name = "b",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the other end: a point of another body",
              .required = true},
    FieldSpec{.name = "length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "distance that is kept; default: as drawn",
              .minimum = 0,
              .exclusive_minimum = true}};

double drawn_length(const ElementInstance& instance) {
  const auto end = [&](std::size_t i) {
    const Pose& body = instance.drawn[i];
    return body.position + rotation_matrix(body.orientation) * instance.markers[i].point;
  };
  return norm(end(1) - end(0));
}

/// With r from a to b and the length l, all divided by l so that residual and multiplier have the units m and N:
///
///   position      (r·r − l²) / 2l = 0
///   velocity      (r/l) · (v_b − v_a) = 0
///   acceleration  (r/l) · (a_b − a_a) = −ṙ·ṙ / l
class Couplers final : public ConstraintBatch {
 public:
  explicit Couplers(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      lengths_.push_back(i.fields[length].given ? i.fields[length].number : drawn_length(i));
  }

  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      const MarkerMotion &from = in.markers[2 * i], &to = in.markers[2 * i + 1];
      const double l = lengths_[i];
      const Vec3 r = to.position - from.position, rate = to.velocity - from.velocity;
      out.A[2 * i] = {{}, (-1 / l) * r};
      out.A[2 * i + 1] = {{}, (1 / l) * r};
      out.residual[i] = (dot(r, r) - l * l) / (2 * l);
      out.velocity_right[i] = 0;
      out.acceleration_right[i] = -dot(rate, rate) / l;
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<double> lengths_;
};

class CouplerConstraint final : public ConstraintType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array rows{Variable{.name = "force", .unit = "N"}};
    static constexpr TypeDescriptor descriptor{.name = "coupler",
                                               .meaning = "a massless rod that keeps two points at a distance",
                                               .fields = specs,
                                               .rows = rows};
    return descriptor;
  }
  bool holonomic() const noexcept override { return true; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.markers[0].body == instance.markers[1].body) {
      sink.report(Severity::error, number, b, "both ends are fixed in the same body: nothing is left to constrain",
                  "Attach one of them to another body.");
      return false;
    }
    if (instance.fields[length].given || drawn_length(instance) > 0) return true;
    sink.report(Severity::error, number, length, "the ends coincide as drawn, and no length is given",
                "Draw the ends apart, or use a spherical joint.");
    return false;
  }
  ConstraintBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Couplers>(instances);
  }
};

}  // namespace

const ConstraintType& coupler_constraint() noexcept {
  static constexpr CouplerConstraint type;
  return type;
}

}  // namespace example
