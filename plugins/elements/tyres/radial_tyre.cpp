#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "polyform/contract/events.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/picture.hpp"
#include "polyform/helpers/element_helpers.hpp"
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

struct Tyre {
  double radius, stiffness, damping, onset;
  Vec3 axis;    ///< body axes
  Vec3 normal;  ///< ground axes
  double road;  ///< normal · r = road holds on the road

  double height(const Vec3& center) const { return dot(normal, center) - road; }
  /// The share of the damping that acts: 3x² − 2x³ of x = compression / onset, up to 1.
  double engaged(double compression) const {
    if (compression <= 0) return 0;
    if (compression >= onset) return 1;
    const double x = compression / onset;
    return x * x * (3 - 2 * x);
  }
};

Tyre tyre_of(const ElementInstance& instance) {
  const Strided<const FieldValue> f = instance.fields;
  return {f[radius].number, f[stiffness].number,   f[damping].number,    f[onset].number,
          f[axis].vector,   f[road_normal].vector, f[road_height].number};
}

/// A disc of radius R on a smooth plane. With a the spin axis, n the road's normal, h the height of the centre and
/// c = |a × n| the cosine of the camber, the wheel's plane meets the road at the distance h / c from the centre along
/// the radius u = (a (a·n) − n) / c. The compression is δ = R − h/c and its rate −n · v_C / c, v_C being the velocity
/// of the body's point at the end of that radius. The road pushes there, along n only; its component along the radius
/// is F = max(0, stiffness δ + damping s δ̇), so the push is F / c and its power −F δ̇.
///
/// What stands in max is the event function: it is negative off the road, too, and changes its sign where the push
/// begins and where it ends.
class RadialTyres final : public ForceBatch, public EventSource, public OutputSource {
 public:
  explicit RadialTyres(Strided<const ElementInstance> instances) {
    tyres_.reserve(instances.size());
    for (const ElementInstance& i : instances) tyres_.push_back(tyre_of(i));
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Tyre& tyre = tyres_[i];
      const Touch touch = touch_of(tyre, in.markers[i]);
      if (!(touch.compression > 0)) continue;
      const double spring = tyre.stiffness * touch.compression;
      const double push = push_of(tyre, touch);
      const Vec3 force = (push / touch.camber_cosine) * tyre.normal;
      out.wrenches[i] = {cross(touch.arm, force), force};
      out.potential_energy += 0.5 * spring * touch.compression;
      out.power += (spring - push) * touch.rate;
    }
  }
  /// Compression of the radius to the road and its rate, negative compression off the road; the road's force along its
  /// normal.
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Touch touch = touch_of(tyres_[i], in.attachments->markers[i]);
      double* const own = values.data() + outputs.size() * i;
      own[compression] = touch.compression;
      own[rate] = touch.rate;
      own[load] = touch.compression > 0 ? push_of(tyres_[i], touch) / touch.camber_cosine : 0;
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
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
      const Touch touch = touch_of(tyre, in.attachments->markers[i]);
      const double engaged = tyre.engaged(touch.compression);
      out.values[i] = tyre.stiffness * touch.compression + tyre.damping * engaged * touch.rate;
      // With the damper the rate depends on accelerations: the host takes differences.
      if (engaged == 0 || tyre.damping == 0) out.rates[i] = tyre.stiffness * touch.rate;
    }
  }

 private:
  struct Touch {
    double camber_cosine = 0, compression = -1, rate = 0;
    Vec3 arm;
  };
  static double push_of(const Tyre& tyre, const Touch& touch) noexcept {
    const double damping = tyre.damping * tyre.engaged(touch.compression);
    return std::max(0.0, tyre.stiffness * touch.compression + damping * touch.rate);
  }
  /// A wheel that lies flat has no radius to the road: it does not touch.
  static Touch touch_of(const Tyre& tyre, const MarkerMotion& center) noexcept {
    Touch touch;
    const Vec3 a = center.R * tyre.axis;
    const double camber_cosine = norm(cross(a, tyre.normal));
    if (!(camber_cosine > 0)) return touch;
    const double distance = tyre.height(center.position) / camber_cosine;
    touch.camber_cosine = camber_cosine;
    touch.compression = tyre.radius - distance;
    touch.arm = (distance / camber_cosine) * (dot(a, tyre.normal) * a - tyre.normal);
    touch.rate = -dot(tyre.normal, center.velocity + cross(center.angular_velocity, touch.arm)) / camber_cosine;
    return touch;
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
