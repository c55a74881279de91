// A knife edge, skate or thin wheel: its point moves along the edge and up and down, not sideways. With s the direction
// across the edge, fixed in the body:
//
//   velocity       s · v = 0
//   acceleration   s · a = −(ω × s) · v
#include <array>
#include <vector>

#include "constraint_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::constraints {
namespace {

enum Field : std::size_t { body, point, edge, normal };
constexpr std::array specs{
    FieldSpec{
        .name = "body", .type = FieldType::body, .unit = "", .meaning = "the body with the edge", .required = true},
    FieldSpec{.name = "point",
              .type = FieldType::vector3,
              .unit = "m",
              .meaning = "point of contact, in the body's own frame",
              .default_text = "[0, 0, 0]"},
    FieldSpec{.name = "edge",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "direction of the edge, in ground as drawn",
              .required = true,
              .tied_to_ground = true},
    FieldSpec{.name = "normal",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "normal of the surface that it glides on, in ground as drawn",
              .default_text = "[0, 0, 1]",
              .tied_to_ground = true}};

class KnifeEdges final : public ConstraintBatch {
 public:
  explicit KnifeEdges(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const Vec3 across = cross(i.fields[normal].vector, i.fields[edge].vector);
      across_.push_back(transpose_times(rotation_matrix(i.drawn[0].orientation), (1 / norm(across)) * across));
    }
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    for (std::size_t i = 0; i < across_.size(); ++i) {
      const MarkerMotion& at = in.markers[i];
      const Vec3 s = at.R * across_[i];
      out.A[i] = {{}, s};
      out.acceleration_right[i] = -dot(cross(at.angular_velocity, s), at.velocity);
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Vec3> across_;  ///< body axes
};

class KnifeEdge final : public ConstraintType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array rows{Variable{.name = "force", .unit = "N"}};
    static constexpr TypeDescriptor descriptor{.name = "knife-edge",
                                               .meaning = "a point of a body that does not move across an edge",
                                               .fields = specs,
                                               .rows = rows};
    return descriptor;
  }
  bool holonomic() const noexcept override { return false; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    instance.markers[0].point = instance.fields[point].vector;
    if (norm(cross(instance.fields[normal].vector, instance.fields[edge].vector)) > least_sine_as_drawn) return true;
    sink.report(Severity::error, number, edge, "the edge is parallel to the normal, so nothing lies across it",
                "Give the direction in which the body may glide, and the normal of the surface.");
    return false;
  }
  ConstraintBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<KnifeEdges>(instances);
  }
};

}  // namespace

const ConstraintType& knife_edge() noexcept {
  static constexpr KnifeEdge type;
  return type;
}

}  // namespace polyform::constraints
