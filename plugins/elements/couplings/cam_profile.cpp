// A follower whose displacement is a table over the angle of a cam: x = s(φ).
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "coupling_types.hpp"
#include "joint_places.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/spline.hpp"

namespace polyform::couplings {
namespace {

enum Field : std::size_t { cam, follower, motion, profile, periodic };
constexpr std::array<std::string_view, 2> motions{"slides", "turns"};
constexpr std::array specs{
    FieldSpec{.name = "cam",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint that turns the cam; its angle is φ",
              .required = true},
    FieldSpec{.name = "follower",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint of the follower; its displacement or angle is s(φ)",
              .required = true},
    FieldSpec{.name = "motion",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "of the follower: a tappet slides, a rocker turns",
              .default_text = "slides",
              .choices = motions},
    FieldSpec{.name = "profile",
              .type = FieldType::matrix,
              .unit = "rad and m or rad",
              .meaning =
                  "rows [φ, s] with φ increasing; a smooth curve with a continuous second derivative goes through "
                  "them",
              .required = true},
    FieldSpec{.name = "periodic",
              .type = FieldType::boolean,
              .unit = "",
              .meaning = "the last row is the first one, a turn later; else the curve goes on straight outside",
              .default_text = "true"}};
constexpr std::array outputs{Variable{.name = "slope", .unit = "m/rad or 1"},
                             Variable{.name = "curvature", .unit = "m/rad^2 or 1/rad"}};

Spline spline_of(const ElementInstance& i) {
  const std::span<const double> numbers = i.fields[profile].numbers;
  std::vector<double> x, y;
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) {
    x.push_back(numbers[k]);
    y.push_back(numbers[k + 1]);
  }
  return {x, y, i.fields[periodic].integer != 0 ? Spline::Kind::periodic : Spline::Kind::natural};
}

Primitive::Kind motion_of(const ElementInstance& i, std::size_t k) {
  return k == 0 || i.fields[motion].integer == 1 ? Primitive::Kind::rotation : Primitive::Kind::translation;
}

///   position      x − s(φ) = 0
///   velocity      ẋ − s′ φ̇ = 0
///   acceleration  ẍ − s′ φ̈ = s″ φ̇²
class CamProfiles final : public ConstraintBatch, public OutputSource {
 public:
  explicit CamProfiles(Strided<const ElementInstance> instances) {
    std::size_t q = 0, v = 0;
    for (const ElementInstance& i : instances) {
      const auto joint_of = [&](std::size_t k) { return i.fields[k == 0 ? cam : follower].joint; };
      const Place angle = place_among(i, 0, motion_of(i, 0), joint_of),
                  lift = place_among(i, 1, motion_of(i, 1), joint_of);
      cams_.push_back({spline_of(i), {q + angle.q, v + angle.v}, {q + lift.q, v + lift.v}});
      q += i.joints[0].nq + i.joints[1].nq;
      v += i.joints[0].nv + i.joints[1].nv;
    }
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    for (std::size_t i = 0; i < cams_.size(); ++i) {
      const Cam& c = cams_[i];
      const Spline::Point s = c.curve.at(in.q[c.angle.q]);
      const double rate = in.v[c.angle.v];
      out.B[c.lift.v] += 1;
      out.B[c.angle.v] -= s.slope;
      out.residual[i] = in.q[c.lift.q] - s.value;
      out.acceleration_right[i] = s.curvature * rate * rate;
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < cams_.size(); ++i) {
      const Spline::Point s = cams_[i].curve.at(in.attachments->q[cams_[i].angle.q]);
      values[2 * i] = s.slope;
      values[2 * i + 1] = s.curvature;
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Cam {
    Spline curve;
    Place angle, lift;
  };
  std::vector<Cam> cams_;
};

class CamProfile final : public ConstraintType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array rows{Variable{.name = "force", .unit = ""}};  // N, or N m of a rocker
    static constexpr TypeDescriptor descriptor{
        .name = "cam-profile",
        .meaning = "a follower that a cam lifts by a table over the cam's angle, always in contact",
        .fields = specs,
        .rows = rows,
        .outputs = outputs};
    return descriptor;
  }
  bool holonomic() const noexcept override { return true; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    const auto refuse = [&](Field field, std::string_view what, std::string_view remedy) {
      sink.report(Severity::error, number, field, what, remedy);
      return false;
    };
    if (!place_of(i.joints[0], motion_of(i, 0)))
      return refuse(cam, "the joint has no angle whose rate is a velocity of the joint",
                    "Name a revolute or cylindrical joint.");
    if (!place_of(i.joints[1], motion_of(i, 1)))
      return refuse(follower, "the joint has no such motion whose rate is a velocity of the joint",
                    "Name a prismatic joint for a follower that slides, a revolute one for one that turns.");
    if (i.fields[cam].joint == i.fields[follower].joint && motion_of(i, 0) == motion_of(i, 1))
      return refuse(follower, "the cam lifts itself", "Name another joint.");
    if (first_without_common_body(i.joints) < i.joints.size())
      return refuse(follower, "no body takes part in both joints, so their motions are not relative to one housing",
                    "Name joints of one housing.");
    const FieldValue& table = i.fields[profile];
    const bool closed = i.fields[periodic].integer != 0;
    const std::size_t n = table.rows;
    if (n == 0 || table.numbers.size() != 2 * n)
      return refuse(profile, "each row of the profile has an angle and a lift", "Write [[0, 0], [0.5, 0.01], ...].");
    if (n < (closed ? 4u : 2u))
      return refuse(profile, Message("the profile has {} row{}", n, plural(n)),
                    closed ? "Give four at least, the last a turn after the first." : "Give two at least.");
    for (std::size_t k = 1; k < n; ++k)
      if (!(table.numbers[2 * k] > table.numbers[2 * k - 2]))
        return refuse(profile, Message("the angles do not increase from row {} to row {}", k, k + 1),
                      "Sort the rows by angle, each angle once.");
    const double first = table.numbers[1], last = table.numbers[2 * n - 1];
    if (closed && first != last)
      return refuse(profile, Message("a periodic profile begins with the lift {:g} and ends with {:g}", first, last),
                    "Let the last row repeat the first lift, one turn later, or write 'periodic: false'.");
    return true;
  }
  ConstraintBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<CamProfiles>(instances);
  }
};

}  // namespace

const ConstraintType& cam_profile() noexcept {
  static constexpr CamProfile type;
  return type;
}

}  // namespace polyform::couplings
