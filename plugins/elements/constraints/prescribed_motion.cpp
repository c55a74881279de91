// Coordinates of a joint as functions of time: q = x(t), v = ẋ, v̇ = ẍ. The multiplier is the driving force, which is
// part of the joint's reaction.
#include <array>
#include <vector>

#include "constraint_types.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/joint_coordinates.hpp"

namespace polyform::constraints {
namespace {

enum Field : std::size_t { joint, motion, coordinate };
constexpr std::array specs{
    FieldSpec{
        .name = "joint", .type = FieldType::joint, .unit = "", .meaning = "the joint that is driven", .required = true},
    FieldSpec{.name = "motion",
              .type = FieldType::time_functions,
              .unit = "m or rad",
              .meaning = "coordinates as functions of time: one, or a list for all coordinates of the joint",
              .required = true},
    FieldSpec{.name = "coordinate",
              .type = FieldType::integer,
              .unit = "",
              .meaning = "which coordinate is driven, from 0; not given: all of them",
              .minimum = 0}};

std::size_t first_coordinate(const ElementInstance& i) {
  return i.fields[coordinate].given ? static_cast<std::size_t>(i.fields[coordinate].integer) : 0;
}
std::size_t row_count(const ElementInstance& i) { return i.fields[coordinate].given ? 1 : i.joints[0].nv; }

class PrescribedMotions final : public ConstraintBatch {
 public:
  explicit PrescribedMotions(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const JointShape& shape = i.joints[0];
      Driven& d = driven_.emplace_back(Driven{shape.nq, shape.nv, {}});
      for (std::size_t r = 0; r < row_count(i); ++r) {
        const std::size_t k = first_coordinate(i) + r;
        d.rows.push_back({i.fields[motion].functions[r], position_of_rate(shape, k), k});
      }
    }
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    const double* q = in.q.data();
    double* B = out.B.data();
    std::size_t row = 0;
    for (const Driven& d : driven_) {
      for (const Row& r : d.rows) {
        const TimeFunction::Value x = r.motion(in.time);
        B[r.v] = 1;
        out.residual[row] = q[r.q] - x.value;
        out.velocity_right[row] = x.rate;
        out.acceleration_right[row] = x.acceleration;
        B += d.nv;
        ++row;
      }
      q += d.nq;
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Row {
    TimeFunction motion;
    std::size_t q, v;
  };
  struct Driven {
    std::size_t nq, nv;
    std::vector<Row> rows;
  };
  std::vector<Driven> driven_;
};

class PrescribedMotion final : public ConstraintType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array rows{Variable{.name = "force", .unit = ""}};  // N, or N m for an angle
    static constexpr TypeDescriptor descriptor{
        .name = "prescribed-motion",
        .meaning = "coordinates of a joint as functions of time; the driving force is part of the joint's reaction",
        .fields = specs,
        .rows = rows};
    return descriptor;
  }
  bool holonomic() const noexcept override { return true; }
  std::size_t rows(const ElementInstance& i) const noexcept override { return row_count(i); }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    const JointShape& shape = i.joints[0];
    const std::size_t given = i.fields[motion].functions.size();
    if (shape.nv == 0) {
      sink.report(Severity::error, number, joint, "the joint has no coordinates to drive",
                  "Name a joint that can move.");
      return false;
    }
    if (i.fields[coordinate].given && first_coordinate(i) >= shape.nv) {
      sink.report(Severity::error, number, coordinate,
                  Message("the joint has {} velocity coordinate{}", shape.nv, plural(shape.nv)),
                  shape.nv == 1 ? Message("Leave `coordinate` out, or give 0, the only one.")
                                : Message("Give a number from 0 to {}.", shape.nv - 1));
      return false;
    }
    if (given != row_count(i)) {
      sink.report(Severity::error, number, motion,
                  Message("{} function{} given for {} driven coordinate{}", given, plural(given), row_count(i),
                          plural(row_count(i))),
                  "Give one function per driven coordinate; `coordinate` names a single one.");
      return false;
    }
    for (std::size_t r = 0; r < row_count(i); ++r)
      if (position_of_rate(shape, first_coordinate(i) + r) == shape.nq) {
        sink.report(
            Severity::error, number, joint,
            "the joint's rotation has no coordinates whose rates are its velocities, so they cannot be functions "
            "of time",
            "Drive a revolute, prismatic, cylindrical, planar or universal joint, or a displacement of a free one.");
        return false;
      }
    return true;
  }
  ConstraintBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<PrescribedMotions>(instances);
  }
};

}  // namespace

const ConstraintType& prescribed_motion() noexcept {
  static constexpr PrescribedMotion type;
  return type;
}

}  // namespace polyform::constraints
