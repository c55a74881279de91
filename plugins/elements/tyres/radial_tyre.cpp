#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "polyform/contract/event_law.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/picture.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/law_number.hpp"
#include "tyre_types.hpp"

namespace polyform::tyres {
namespace {

enum Field : std::size_t { wheel, axis, radius, stiffness, damping, onset, road_normal, road_height };
constexpr std::array specs{
    FieldSpec{.name = "wheel",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the wheel centre: a point of the wheel's body",
              .required = true},
    FieldSpec{.name = "axis",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "the axis that the wheel spins about, in the axes of its body",
              .required = true},
    FieldSpec{.name = "radius",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "the radius of the tyre without load",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m",
              .meaning = "radial force per compression",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m",
              .meaning = "radial force per rate of compression",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "onset",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "compression over which the damping grows from none to full, so that landing is no jump",
              .default_text = "0.002",
              .minimum = 0},
    FieldSpec{.name = "road_normal",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "normal of the road, out of it, in ground axes",
              .default_text = "[0, 0, 1]",
              .tied_to_ground = true},
    FieldSpec{.name = "road_height",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "distance of the road from the ground origin along its normal",
              .default_text = "0",
              .tied_to_ground = true}};

enum Output : std::size_t { compression, rate, load };
constexpr std::array outputs{Variable{.name = "compression", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "rate", .unit = "m/s"}, Variable{.name = "load", .unit = "N"}};

template <class T>
struct TyreOf {
  T radius, stiffness, damping, onset;
  Vector3<T> axis;    ///< body axes
  Vector3<T> normal;  ///< ground axes
  T road;             ///< normal · r = road holds on the road

  T height(const Vector3<T>& center) const { return dot(normal, center) - road; }
  /// The share of the damping that acts: 3x² − 2x³ of x = compression / onset, up to 1.
  T engaged(const T& compression) const {
    const T x = where_positive(onset - compression, compression / onset);
    return where_positive(compression, x * x * (T(3) - T(2) * x)) +
           where_positive(compression, T(1) - where_positive(onset - compression, T(1)));
  }
};
using Tyre = TyreOf<double>;
/// How many numbers it is, which stand one after the other.
constexpr std::size_t numbers_of_tyre = 11;
static_assert(sizeof(Tyre) == numbers_of_tyre * sizeof(double));

Tyre tyre_of(const ElementInstance& instance) {
  const Strided<const FieldValue> f = instance.fields;
  return {f[radius].number, f[stiffness].number,   f[damping].number,    f[onset].number,
          f[axis].vector,   f[road_normal].vector, f[road_height].number};
}

template <class T>
struct Touch {
  T camber_cosine, compression, rate;
  Vector3<T> arm;
};
/// A wheel that lies flat has no radius to the road: its centre is endlessly far from it, and it does not touch.
template <class T, class Motion>
Touch<T> touch_of(const TyreOf<T>& tyre, const Motion& center) noexcept {
  const Vector3<T> a = center.R * tyre.axis;
  const T c = norm(cross(a, tyre.normal)), inverse = where_positive(c, T(1) / c);
  const T distance = tyre.height(center.position) * inverse;
  Touch<T> touch;
  touch.camber_cosine = c;
  touch.compression = where_positive(c, tyre.radius - distance) - (T(1) - where_positive(c, T(1)));
  touch.arm = (distance * inverse) * (dot(a, tyre.normal) * a - tyre.normal);
  touch.rate = -dot(tyre.normal, center.velocity + cross(center.angular_velocity, touch.arm)) * inverse;
  return touch;
}
/// What the road does at a touch.
template <class T>
struct Pushing {
  SpatialVector<T> wrench;
  T spring, power;
};
template <class T>
Pushing<T> pushing(const TyreOf<T>& tyre, const Touch<T>& touch) noexcept {
  using std::max;
  const T spring = where_positive(touch.compression, tyre.stiffness * touch.compression);
  const T push = where_positive(touch.compression,
                                max(T(0), spring + tyre.damping * tyre.engaged(touch.compression) * touch.rate));
  const Vector3<T> force = where_positive(touch.compression, push / touch.camber_cosine) * tyre.normal;
  return {{cross(touch.arm, force), force}, spring, (spring - push) * touch.rate};
}

/// What the road would push by along the radius, if it could pull as well.
template <class T>
T event_of(const TyreOf<T>& tyre, const Touch<T>& touch) noexcept {
  return tyre.stiffness * touch.compression + tyre.damping * tyre.engaged(touch.compression) * touch.rate;
}

/// A disc of radius R on a smooth plane. With a the spin axis, n the road's normal, h the height of the centre and
/// c = |a × n| the cosine of the camber, the wheel's plane meets the road at the distance h / c from the centre along
/// the radius u = (a (a·n) − n) / c. The compression is δ = R − h/c and its rate −n · v_C / c, v_C being the velocity
/// of the body's point at the end of that radius. The road pushes there, along n only; its component along the radius
/// is F = max(0, stiffness δ + damping s δ̇), so the push is F / c and its power −F δ̇.
///
/// What stands in max is the event function: it is negative off the road, too, and changes its sign where the push
/// begins and where it ends.
class RadialTyres final : public ForceBatch,
                          public EventSource,
                          public OutputSource,
                          private ForceLaw,
                          private EventLaw {
 public:
  explicit RadialTyres(Strided<const ElementInstance> instances) {
    tyres_.reserve(instances.size());
    for (const ElementInstance& i : instances) tyres_.push_back(tyre_of(i));
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Touch<double> touch = touch_of(tyres_[i], in.markers[i]);
      const Pushing<double> now = pushing(tyres_[i], touch);
      out.wrenches[i] = now.wrench;
      out.potential_energy += 0.5 * now.spring * touch.compression;
      out.power += now.power;
    }
  }
  /// Compression of the radius to the road and its rate, negative compression off the road; the road's force along its
  /// normal.
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Touch<double> touch = touch_of(tyres_[i], in.attachments->markers[i]);
      double* const own = values.data() + outputs.size() * i;
      own[compression] = touch.compression;
      own[rate] = touch.rate;
      own[load] = dot(pushing(tyres_[i], touch).wrench.linear, tyres_[i].normal);
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == ForceLaw::interface_name) return static_cast<ForceLaw*>(this);
    if (asked == EventLaw::interface_name) return static_cast<EventLaw*>(this);
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }

  std::size_t event_count() const noexcept override { return tyres_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k;
    out.name = "contact";
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Tyre& tyre = tyres_[i];
      const Touch<double> touch = touch_of(tyre, in.attachments->markers[i]);
      const double engaged = tyre.engaged(touch.compression);
      out.values[i] = event_of(tyre, touch);
      // With the damper the rate depends on accelerations: the host takes differences.
      if (engaged == 0 || tyre.damping == 0) out.rates[i] = tyre.stiffness * touch.rate;
    }
  }

 private:
  std::string_view obstacle() const noexcept override { return {}; }
  std::size_t parameter_count() const noexcept override { return numbers_of_tyre * tyres_.size(); }
  void parameters(std::span<double> out) const noexcept override {
    std::memcpy(out.data(), tyres_.data(), tyres_.size() * sizeof(Tyre));
  }
  void record(LawRecorder& recorder, const LawInput& in, LawOutput& out) noexcept override {
    const LawRecording recording(recorder);
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const TyreOf<LawNumber> tyre = told_tyre(in, i);
      const Pushing<LawNumber> now = pushing(tyre, touch_of(tyre, in_marker(in, i)));
      put_wrench(out, i, now.wrench);
      add_power(out, now.power);
    }
  }
  void record_events(LawRecorder& recorder, const LawInput& in, std::span<LawIndex> values) noexcept override {
    const LawRecording recording(recorder);
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const TyreOf<LawNumber> tyre = told_tyre(in, i);
      values[i] = event_of(tyre, touch_of(tyre, in_marker(in, i))).index();
    }
  }
  static TyreOf<LawNumber> told_tyre(const LawInput& in, std::size_t i) noexcept {
    const auto number = [&](std::size_t k) { return in_parameter(in, numbers_of_tyre * i + k); };
    return {number(0),
            number(1),
            number(2),
            number(3),
            {number(4), number(5), number(6)},
            {number(7), number(8), number(9)},
            number(10)};
  }

  std::vector<Tyre> tyres_;
};

class RadialTyre final : public ForceType, public Picture {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "tyre",
        .meaning = "radial spring and damper of a wheel on a smooth flat road; never pulls",
        .fields = specs,
        .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == Picture::interface_name ? static_cast<const Picture*>(this) : nullptr;
  }
  Picture::Kind kind() const noexcept override { return Kind::wheel; }
  std::string_view axis_field() const noexcept override { return specs[axis].name; }
  std::string_view radius_field() const noexcept override { return specs[radius].name; }

  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (is_ground(instance.markers[0].body)) {
      sink.report(Severity::error, number, wheel, "the wheel is fixed in ground: its tyre moves nothing",
                  "Name the body that carries the wheel.");
      return false;
    }
    const Tyre tyre = tyre_of(instance);
    const Pose& body = instance.drawn[0];
    const Mat3 R = rotation_matrix(body.orientation);
    constexpr double smallest_angle = 1e-6;
    if (norm(cross(R * tyre.axis, tyre.normal)) < smallest_angle) {
      sink.report(Severity::error, number, axis,
                  "the spin axis is parallel to the normal of the road as drawn: the wheel lies flat",
                  "Give the axis in the axes of the wheel's body, and the road's normal in ground axes.");
      return false;
    }
    const double height = tyre.height(body.position + R * instance.markers[0].point);
    if (height <= 0)
      sink.report(Severity::warning, number, wheel, Message("the wheel centre is drawn {:g} m under the road", -height),
                  "Draw it above the road, or correct road_normal and road_height.");
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<RadialTyres>(instances);
  }
};

}  // namespace

const ForceType& radial_tyre() noexcept {
  static constexpr RadialTyre type;
  return type;
}

}  // namespace polyform::tyres
