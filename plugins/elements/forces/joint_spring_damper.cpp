#include <array>
#include <cmath>
#include <vector>

#include "force_types.hpp"
#include "one_or_each.hpp"
#include "polyform/contract/given_derivatives.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/law_number.hpp"
#include "polyform/helpers/plain_picture.hpp"

namespace polyform::forces {
namespace {

enum Field : std::size_t { joint, stiffness, damping, rest };
constexpr std::array specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint that spring and damper act in",
              .required = true},
    FieldSpec{.name = "stiffness",
              .type = FieldType::numbers,
              .unit = "N/m or N m/rad",
              .meaning = "one for all velocity coordinates, or one for each (equal for the three of a ball)",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "damping",
              .type = FieldType::numbers,
              .unit = "N s/m or N m s/rad",
              .meaning = "one for all velocity coordinates, or one for each",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "rest",
              .type = FieldType::numbers,
              .unit = "m or rad",
              .meaning =
                  "coordinates without spring force, one for all velocity coordinates or one for each; of a ball: "
                  "the rotation vector, in base axes",
              .default_text = "0"}};

enum Output : std::size_t { deflection_out, rate_out, effort_out };
constexpr std::array outputs{Variable{.name = "deflection", .unit = "m or rad"},
                             Variable{.name = "rate", .unit = "m/s or rad/s"},
                             Variable{.name = "effort", .unit = "N or N m"}};

/// A spring and damper in one coordinate, or in the three of a ball.
struct Spring {
  bool ball;
  double stiffness;
  Vec3 damping;  ///< of one coordinate: x
  double rest;
  Quat undo_rest;  ///< of a ball
};

/// J of δθ = J δ, where the rotation vector θ becomes that of exp(δ) exp(θ): 1 − θ̃/2 + b θ̃θ̃,
/// b = 1/θ² − (1 + cos θ)/(2 θ sin θ).
Mat3 turn_of_rotation_vector(const Vec3& angle) {
  const double square = dot(angle, angle), size = std::sqrt(square);
  const double b = size < 1e-3 ? 1.0 / 12 + square / 720 : 1 / square - 1 / (2 * size * std::tan(0.5 * size));
  const Mat3 cross_angle = skew(angle);
  return Mat3::identity() + -0.5 * cross_angle + b * (cross_angle * cross_angle);
}

/// effort = −stiffness (q − rest) − damping v in a coordinate whose rate is its velocity.
template <class T>
T effort_of(const T& stiffness, const T& damping, const T& deflection, const T& v) noexcept {
  return -(stiffness * deflection) - damping * v;
}

/// In a ball Q, with θ the rotation vector of Q Q_rest⁻¹ in the axes of its velocities, effort = −stiffness θ −
/// damping v: the gradient of stiffness |θ|²/2, since θ · θ̇ = θ · v.
class JointSpringDampers final : public ForceBatch, public OutputSource, private GivenDerivatives, private ForceLaw {
 public:
  explicit JointSpringDampers(Strided<const ElementInstance> instances) {
    for (const ElementInstance& instance : instances) {
      const JointShape& shape = instance.joints[0];
      velocities_.push_back(shape.nv);
      std::size_t k = 0;
      for (const Primitive& p : shape.primitives)
        if (p.kind == Primitive::Kind::ball)
          add_ball(instance.fields, k);
        else
          add_scalar(instance.fields, k);
      while (k < shape.nv) add_scalar(instance.fields, k);  // a code-defined joint
    }
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    const double* q = in.q.data();
    const double* v = in.v.data();
    double* effort = out.efforts.data();
    for (const Spring& s : springs_) {
      if (s.ball) {
        const Vec3 angle = deflection(s, {q[0], q[1], q[2], q[3]});
        for (std::size_t i = 0; i < 3; ++i) {
          effort[i] = effort_of(s.stiffness, s.damping[i], angle[i], v[i]);
          out.power -= s.damping[i] * v[i] * v[i];
        }
        out.potential_energy += 0.5 * s.stiffness * dot(angle, angle);
      } else {
        const double deflection = q[0] - s.rest;
        effort[0] = effort_of(s.stiffness, s.damping.x, deflection, v[0]);
        out.power -= s.damping.x * v[0] * v[0];
        out.potential_energy += 0.5 * s.stiffness * deflection * deflection;
      }
      q += s.ball ? 4 : 1;
      v += s.ball ? 3 : 1;
      effort += s.ball ? 3 : 1;
    }
  }
  /// Of a joint with one coordinate; of several the root of the sum of the squares: of a ball the angle between the
  /// halves, the rate of turning and the torque.
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    const double* q = in.attachments->q.data();
    const double* v = in.attachments->v.data();
    double* own = values.data();
    auto s = springs_.begin();
    for (const std::size_t velocities : velocities_) {
      double squares[outputs.size()]{}, last[outputs.size()]{};
      for (std::size_t k = 0; k < velocities; ++s) {
        const std::size_t count = s->ball ? 3 : 1;
        const Vec3 angle = s->ball ? deflection(*s, {q[0], q[1], q[2], q[3]}) : Vec3{q[0] - s->rest, 0, 0};
        for (std::size_t i = 0; i < count; ++i) {
          last[deflection_out] = angle[i];
          last[rate_out] = v[k + i];
          last[effort_out] = -s->stiffness * angle[i] - s->damping[i] * v[k + i];
          for (std::size_t o = 0; o < outputs.size(); ++o) squares[o] += last[o] * last[o];
        }
        q += s->ball ? 4 : 1;
        k += count;
      }
      v += velocities;
      for (std::size_t o = 0; o < outputs.size(); ++o) *own++ = velocities == 1 ? last[o] : std::sqrt(squares[o]);
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == ForceLaw::interface_name) return static_cast<ForceLaw*>(this);
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == GivenDerivatives::interface_name ? static_cast<GivenDerivatives*>(this) : nullptr;
  }

 private:
  std::string_view obstacle() const noexcept override {
    for (const Spring& s : springs_)
      if (s.ball) return "turns a ball joint back";
    return {};
  }
  std::size_t parameter_count() const noexcept override { return 3 * springs_.size(); }
  void parameters(std::span<double> out) const noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      out[3 * i] = springs_[i].stiffness;
      out[3 * i + 1] = springs_[i].damping.x;
      out[3 * i + 2] = springs_[i].rest;
    }
  }
  /// Without balls there is one spring for each coordinate.
  void record(LawRecorder& recorder, const LawInput& in, LawOutput& out) noexcept override {
    const LawRecording recording(recorder);
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const LawNumber damping = in_parameter(in, 3 * i + 1), deflection = in_q(in, i) - in_parameter(in, 3 * i + 2),
                      v = in_v(in, i);
      put_effort(out, i, effort_of(in_parameter(in, 3 * i), damping, deflection, v));
      add_power(out, -(damping * v * v));
    }
  }
  bool differentiate(const ForceInput& in, std::span<double> matrices) noexcept override {
    const double* q = in.q.data();
    double* matrix = matrices.data();
    auto s = springs_.begin();
    for (const std::size_t velocities : velocities_) {
      const DerivativeShape shape{.velocities = velocities};
      for (std::size_t k = 0; k < velocities; ++s) {
        const std::size_t count = s->ball ? 3 : 1;
        const Mat3 turn =
            s->ball ? turn_of_rotation_vector(deflection(*s, {q[0], q[1], q[2], q[3]})) : Mat3::identity();
        for (std::size_t r = 0; r < count; ++r) {
          double* const row = matrix + shape.effort(k + r) * shape.inputs();
          for (std::size_t c = 0; c < count; ++c) row[shape.coordinate(k + c)] = -s->stiffness * turn(r, c);
          row[shape.rate(k + r)] = -s->damping[r];
        }
        q += s->ball ? 4 : 1;
        k += count;
      }
      matrix += shape.inputs() * shape.outputs();
    }
    return true;
  }
  void add_scalar(Strided<const FieldValue> fields, std::size_t& k) {
    springs_.push_back({false,
                        entry(fields[stiffness].numbers, k),
                        {entry(fields[damping].numbers, k), 0, 0},
                        entry(fields[rest].numbers, k),
                        {}});
    ++k;
  }
  void add_ball(Strided<const FieldValue> fields, std::size_t& k) {
    const auto three = [&](Field f) {
      const std::span<const double> values = fields[f].numbers;
      return Vec3{entry(values, k), entry(values, k + 1), entry(values, k + 2)};
    };
    springs_.push_back({true, three(stiffness).x, three(damping), 0, conjugate(from_rotation_vector(three(rest)))});
    k += 3;
  }
  /// A quaternion without length counts as identity, as everywhere.
  static Vec3 deflection(const Spring& s, const Quat& q) noexcept {
    return rotation_vector((dot(q, q) > 0 ? normalized(q) : Quat{}) * s.undo_rest);
  }

  std::vector<Spring> springs_;          ///< in the order of v, instance after instance
  std::vector<std::size_t> velocities_;  ///< of the joint of each instance
};

/// Unequal stiffnesses about moving axes have no potential: what such a spring gives would depend on the way.
bool check_balls(const ElementInstance& instance, std::size_t number, FieldSink& sink) {
  const std::span<const double> k = instance.fields[stiffness].numbers;
  if (k.size() == 1) return true;
  std::size_t at = 0;
  for (const Primitive& p : instance.joints[0].primitives) {
    if (p.kind == Primitive::Kind::ball && (k[at] != k[at + 1] || k[at] != k[at + 2])) {
      sink.report(
          Severity::error, number, stiffness,
          Message("the stiffnesses {:g}, {:g}, {:g} of the joint's ball differ: such a spring has no potential energy",
                  k[at], k[at + 1], k[at + 2]),
          "Give the three the same value.");
      return false;
    }
    at += velocity_count(p.kind);
  }
  return true;
}

class JointSpringDamper final : public ForceType, public PlainPicture<Picture::Kind::coil> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "joint-spring-damper",
                                               .meaning = "spring and damper in the coordinates of a joint",
                                               .fields = specs,
                                               .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == Picture::interface_name ? static_cast<const Picture*>(this) : nullptr;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    const JointShape& shape = instance.joints[0];
    if (shape.nv == 0) {
      sink.report(Severity::error, number, joint,
                  "the joint has no velocity coordinates, so no spring or damper can act in it",
                  "Name a joint that can move.");
      return false;
    }
    if (shape.code_defined && shape.nq != shape.nv) {
      sink.report(
          Severity::error, number, joint,
          Message("the joint has {} position and {} velocity coordinates: only the plugin that defines it knows its "
                  "deflections",
                  shape.nq, shape.nv),
          "Use a force of that plugin, or a spring-damper between two points.");
      return false;
    }
    bool good = true;
    const Message owner("the joint has {} velocity coordinate{}", shape.nv, plural(shape.nv));
    for (const Field field : {stiffness, damping, rest})
      good = check_count(instance.fields[field], specs[field], shape.nv, owner, number, field, sink) && good;
    return good && check_balls(instance, number, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<JointSpringDampers>(instances);
  }
};

}  // namespace

const ForceType& joint_spring_damper() noexcept {
  static constexpr JointSpringDamper type;
  return type;
}

}  // namespace polyform::forces
