// One joint coordinate as a polynomial of another: q = c₀ + c₁ p + c₂ p² + …, as mimic joints of robots and gears with
// an offset have it.
#include <array>
#include <tuple>
#include <vector>

#include "constraint_types.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/joint_coordinates.hpp"

namespace polyform::constraints {
namespace {

enum Field : std::size_t { joint, coordinate, other_joint, other_coordinate, coefficients };
constexpr std::array specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint whose coordinate q follows",
              .required = true},
    FieldSpec{.name = "coordinate",
              .type = FieldType::integer,
              .unit = "",
              .meaning = "which of its coordinates, from 0",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "other_joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint whose coordinate p it follows; the same joint where that has several",
              .required = true},
    FieldSpec{.name = "other_coordinate",
              .type = FieldType::integer,
              .unit = "",
              .meaning = "which of its coordinates, from 0",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "coefficients",
              .type = FieldType::numbers,
              .unit = "",
              .meaning = "c0, c1, ... of q = c0 + c1 p + c2 p^2 + ..., in m and rad",
              .default_text = "[0, 1]"}};

/// With the slope s = dq/dp and the curvature s′:
///
///   position      q − c(p) = 0
///   velocity      v − s w = 0                v, w: rates of q and p
///   acceleration  v̇ − s ẇ = s′ w²
class JointCouplings final : public ConstraintBatch {
 public:
  explicit JointCouplings(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const auto at = [&](std::size_t side, Field field) {
        const auto k = static_cast<std::size_t>(i.fields[field].integer);
        return Coordinate{position_of_rate(i.joints[side], k), k};
      };
      const bool same = i.fields[joint].joint == i.fields[other_joint].joint;
      Coupling& c = couplings_.emplace_back();
      c.q = at(0, coordinate);
      c.p = at(1, other_coordinate);
      // The numbers of the other joint come after those of the first, which are its own where both are one joint.
      if (!same) {
        c.p.q += i.joints[0].nq;
        c.p.v += i.joints[0].nv;
      }
      c.nq = i.joints[0].nq + i.joints[1].nq;
      c.nv = i.joints[0].nv + i.joints[1].nv;
      c.coefficients.assign(i.fields[coefficients].numbers.begin(), i.fields[coefficients].numbers.end());
    }
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    const double *q = in.q.data(), *v = in.v.data();
    double* B = out.B.data();
    for (std::size_t i = 0; i < couplings_.size(); ++i) {
      const Coupling& c = couplings_[i];
      const double p = q[c.p.q], rate = v[c.p.v];
      double value = 0, slope = 0, half_curvature = 0;
      for (auto k = c.coefficients.rbegin(); k != c.coefficients.rend(); ++k) {
        half_curvature = half_curvature * p + slope;
        slope = slope * p + value;
        value = value * p + *k;
      }
      B[c.q.v] += 1;
      B[c.p.v] -= slope;
      out.residual[i] = q[c.q.q] - value;
      out.velocity_right[i] = 0;
      out.acceleration_right[i] = 2 * half_curvature * rate * rate;
      q += c.nq;
      v += c.nv;
      B += c.nv;
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Coordinate {
    std::size_t q, v;
  };
  struct Coupling {
    Coordinate q{}, p{};
    std::size_t nq = 0, nv = 0;
    std::vector<double> coefficients;
  };
  std::vector<Coupling> couplings_;
};

class JointCoupling final : public ConstraintType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array rows{Variable{.name = "force", .unit = ""}};  // N, or N m of an angle
    static constexpr TypeDescriptor descriptor{.name = "joint-coupling",
                                               .meaning = "a joint coordinate as a polynomial of another",
                                               .fields = specs,
                                               .rows = rows};
    return descriptor;
  }
  bool holonomic() const noexcept override { return true; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    for (const auto& [side, joint_field, field] :
         {std::tuple{std::size_t{0}, joint, coordinate}, std::tuple{std::size_t{1}, other_joint, other_coordinate}}) {
      const JointShape& shape = i.joints[side];
      const auto k = static_cast<std::size_t>(i.fields[field].integer);
      if (k >= shape.nv) {
        sink.report(Severity::error, number, shape.nv == 0 ? joint_field : field,
                    Message("the joint has {} velocity coordinate{}", shape.nv, plural(shape.nv)),
                    shape.nv == 0 ? std::string_view("Name a joint that can move.")
                                  : Message("Give a number from 0 to {}.", shape.nv - 1));
        return false;
      }
      if (position_of_rate(shape, k) == shape.nq) {
        sink.report(Severity::error, number, joint_field,
                    "the joint's rotation has no coordinates whose rates are its velocities",
                    "Couple a revolute, prismatic, cylindrical, planar or universal joint.");
        return false;
      }
    }
    if (i.fields[joint].joint == i.fields[other_joint].joint &&
        i.fields[coordinate].integer == i.fields[other_coordinate].integer) {
      sink.report(Severity::error, number, other_joint, "the coordinate is coupled to itself",
                  "Name another joint, or another coordinate of this one.");
      return false;
    }
    return true;
  }
  ConstraintBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<JointCouplings>(instances);
  }
};

}  // namespace

const ConstraintType& joint_coupling() noexcept {
  static constexpr JointCoupling type;
  return type;
}

}  // namespace polyform::constraints
