// A rod without mass between two points, which keeps their distance.
#include <array>
#include <vector>

#include "coupling_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::couplings {
namespace {

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
              .meaning = "of the rod; default: the distance as drawn",
              .minimum = 0,
              .exclusive_minimum = true}};

double drawn_length(const ElementInstance& instance) {
  const auto end = [&](std::size_t i) {
    const Pose& body = instance.drawn[i];
    return body.position + rotation_matrix(body.orientation) * instance.markers[i].point;
  };
  return norm(end(1) - end(0));
}

/// With d from a to b, n = d/|d| and w the velocity of b over a:
///
///   position      |d| − L = 0
///   velocity      n·w = 0
///   acceleration  n·ẇ = −(w² − (n·w)²)/|d|
class DistanceRods final : public ConstraintBatch {
 public:
  explicit DistanceRods(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      lengths_.push_back(i.fields[length].given ? i.fields[length].number : drawn_length(i));
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      const MarkerMotion &from = in.markers[2 * i], &to = in.markers[2 * i + 1];
      const Vec3 d = to.position - from.position, w = to.velocity - from.velocity;
      const double distance = norm(d);
      // Points that coincide have no direction: any direction lets them part.
      const Vec3 n = distance > 0 ? (1 / distance) * d : Vec3{0, 0, 1};
      const double rate = dot(n, w);
      out.A[2 * i].linear = -n;
      out.A[2 * i + 1].linear = n;
      out.residual[i] = distance - lengths_[i];
      out.acceleration_right[i] = distance > 0 ? -(dot(w, w) - rate * rate) / distance : 0;
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<double> lengths_;
};

class DistanceRod final : public ConstraintType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array rows{Variable{.name = "force", .unit = "N"}};
    static constexpr TypeDescriptor descriptor{
        .name = "distance-rod",
        .meaning = "a rod without mass that keeps two points at a distance, with balls at its ends",
        .fields = specs,
        .rows = rows};
    return descriptor;
  }
  bool holonomic() const noexcept override { return true; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (i.markers[0].body == i.markers[1].body) {
      sink.report(Severity::error, number, b, "both ends of the rod are fixed in the same body: it holds nothing",
                  "Attach one end to another body.");
      return false;
    }
    constexpr double least = 1e-9;
    if (!i.fields[length].given && drawn_length(i) < least) {
      sink.report(Severity::error, number, a, "the ends of the rod coincide as drawn, and no length is given",
                  "Draw them apart, or use a spherical joint.");
      return false;
    }
    return true;
  }
  ConstraintBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<DistanceRods>(instances);
  }
};

}  // namespace

const ConstraintType& distance_rod() noexcept {
  static constexpr DistanceRod type;
  return type;
}

}  // namespace polyform::couplings
