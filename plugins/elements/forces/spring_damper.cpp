#include <array>
#include <vector>

#include "force_types.hpp"
#include "line_between.hpp"
#include "polyform/contract/given_derivatives.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/plain_picture.hpp"

namespace polyform::forces {
namespace {

enum Field : std::size_t { a, b, stiffness, damping, free_length };
constexpr std::array specs{
    FieldSpec{
        .name = "a", .type = FieldType::marker, .unit = "", .meaning = "one end: a point of a body", .required = true},
    FieldSpec{.name = "b",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the other end: a point of another body",
              .required = true},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m",
              .meaning = "force per elongation",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m",
              .meaning = "force per rate of elongation",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "free_length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "length without force; default: the length as drawn",
              .minimum = 0}};

enum Output : std::size_t { length, rate, tension };
constexpr std::array outputs{Variable{.name = "length", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "rate", .unit = "m/s"}, Variable{.name = "tension", .unit = "N"}};

template <class T>
struct SpringOf {
  T stiffness, damping, free_length;
  T rounding;  ///< of both ends, m (point_rounding)
};
using Spring = SpringOf<double>;

/// What a spring does at the motions of its ends. pull: on the first end, towards the second.
template <class T>
struct Pulling {
  Vector3<T> pull;
  T elongation, power;
};

/// tension = stiffness (l − free_length) + damping l̇, pulling the ends together.
template <class T, class Motion>
Pulling<T> pulling(const SpringOf<T>& s, const Motion& from, const Motion& to) noexcept {
  const T length = norm(to.position - from.position), elongation = length - s.free_length;
  // Without a direction the force is left out, and the rate with it.
  const Vector3<T> direction = direction_between(from.position, to.position, length, s.rounding);
  const T rate = dot(direction, to.velocity - from.velocity);
  return {(s.stiffness * elongation + s.damping * rate) * direction, elongation, -(s.damping * rate * rate)};
}

class SpringDampers final : public ForceBatch, public OutputSource, private GivenDerivatives, private ForceLaw {
 public:
  explicit SpringDampers(Strided<const ElementInstance> instances) {
    springs_.reserve(instances.size());
    for (const ElementInstance& i : instances)
      springs_.push_back({i.fields[stiffness].number, i.fields[damping].number,
                          i.fields[free_length].given ? i.fields[free_length].number : drawn_length(i),
                          point_rounding(i, 0) + point_rounding(i, 1)});
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Pulling<double> now = pulling(springs_[i], in.markers[2 * i], in.markers[2 * i + 1]);
      out.wrenches[2 * i].linear = now.pull;
      out.wrenches[2 * i + 1].linear = -now.pull;
      out.potential_energy += 0.5 * springs_[i].stiffness * now.elongation * now.elongation;
      out.power += now.power;
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const MarkerMotion &from = in.attachments->markers[2 * i], &to = in.attachments->markers[2 * i + 1];
      double* const own = values.data() + outputs.size() * i;
      own[length] = norm(to.position - from.position);
      own[rate] = dot(direction_between(from.position, to.position, own[length], springs_[i].rounding),
                      to.velocity - from.velocity);
      own[tension] = springs_[i].stiffness * (own[length] - springs_[i].free_length) + springs_[i].damping * own[rate];
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == ForceLaw::interface_name) return static_cast<ForceLaw*>(this);
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == GivenDerivatives::interface_name ? static_cast<GivenDerivatives*>(this) : nullptr;
  }

 private:
  std::string_view obstacle() const noexcept override { return {}; }
  std::size_t parameter_count() const noexcept override { return 4 * springs_.size(); }
  void parameters(std::span<double> out) const noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      out[4 * i] = springs_[i].stiffness;
      out[4 * i + 1] = springs_[i].damping;
      out[4 * i + 2] = springs_[i].free_length;
      out[4 * i + 3] = springs_[i].rounding;
    }
  }
  void record(LawRecorder& recorder, const LawInput& in, LawOutput& out) noexcept override {
    const LawRecording recording(recorder);
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const SpringOf<LawNumber> s{in_parameter(in, 4 * i), in_parameter(in, 4 * i + 1), in_parameter(in, 4 * i + 2),
                                  in_parameter(in, 4 * i + 3)};
      const Pulling<LawNumber> now = pulling(s, in_marker(in, 2 * i), in_marker(in, 2 * i + 1));
      put_wrench(out, 2 * i, {{}, now.pull});
      put_wrench(out, 2 * i + 1, {{}, -now.pull});
      add_power(out, now.power);
    }
  }
  /// With x and w from end to end, length l, direction d and rate d·w, the pull T d changes by
  /// (k d·δx + c (d·δw + w·δd)) d + T δd with δd = (1 − d dᵀ) δx / l.
  bool differentiate(const ForceInput& in, std::span<double> matrices) noexcept override {
    static constexpr DerivativeShape shape{.markers = 2};
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Spring& s = springs_[i];
      const MarkerMotion &from = in.markers[2 * i], &to = in.markers[2 * i + 1];
      const double length = norm(to.position - from.position);
      const Vec3 d = direction_between(from.position, to.position, length, s.rounding);
      if (!(dot(d, d) > 0)) return false;
      const Vec3 w = to.velocity - from.velocity;
      const double rate = dot(d, w), tension = s.stiffness * (length - s.free_length) + s.damping * rate;
      const Vec3 across = (1 / length) * (w - rate * d);  // (1 − d dᵀ) w / l
      double* const matrix = matrices.data() + i * shape.inputs() * shape.outputs();
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) {
          const double by_x = d[r] * (s.stiffness * d[c] + s.damping * across[c]) +
                              tension / length * (static_cast<double>(r == c) - d[r] * d[c]);
          const double by_w = s.damping * d[r] * d[c];
          for (std::size_t out = 0; out < 2; ++out)
            for (std::size_t by = 0; by < 2; ++by) {
              const double sign = out == by ? -1 : 1;
              double* const row = matrix + (shape.force(out) + r) * shape.inputs();
              row[shape.displacement(by) + c] = sign * by_x;
              row[shape.velocity(by) + c] = sign * by_w;
            }
        }
    }
    return true;
  }

  std::vector<Spring> springs_;
};

class SpringDamper final : public ForceType, public PlainPicture<Picture::Kind::coil> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "spring-damper",
                                               .meaning = "spring and damper along the line between two points",
                                               .fields = specs,
                                               .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == Picture::interface_name ? static_cast<const Picture*>(this) : nullptr;
  }

  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.markers[0].body != instance.markers[1].body) {
      const FieldValue& free = instance.fields[free_length];
      const bool pushes = free.given && free.number > 0 && instance.fields[stiffness].number > 0;
      warn_of_rounded_line(instance, 0, pushes, number, a, sink);
      return true;
    }
    sink.report(Severity::error, number, b,
                is_ground(instance.markers[0].body)
                    ? "both ends of the spring-damper are fixed in ground: it does nothing"
                    : "both ends of the spring-damper are fixed in the same body: it does nothing",
                "Attach one end to another body.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<SpringDampers>(instances);
  }
};

}  // namespace

const ForceType& spring_damper() noexcept {
  static constexpr SpringDamper type;
  return type;
}

}  // namespace polyform::forces
