// A cable through any number of points: eyelets and small pulleys without friction.
#include <algorithm>
#include <array>
#include <vector>

#include "force_types.hpp"
#include "line_between.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/plain_picture.hpp"

namespace polyform::forces {
namespace {

enum Field : std::size_t { points, stiffness, damping, free_length };
constexpr std::array specs{FieldSpec{.name = "points",
                                     .type = FieldType::markers,
                                     .unit = "",
                                     .meaning = "what the cable runs through, from end to end; two points at least",
                                     .required = true},
                           FieldSpec{.name = "stiffness",
                                     .type = FieldType::number,
                                     .unit = "N/m",
                                     .meaning = "tension per elongation of the whole cable",
                                     .required = true,
                                     .minimum = 0},
                           FieldSpec{.name = "damping",
                                     .type = FieldType::number,
                                     .unit = "N s/m",
                                     .meaning = "tension per rate of elongation, while the cable is taut",
                                     .default_text = "0",
                                     .minimum = 0},
                           FieldSpec{.name = "free_length",
                                     .type = FieldType::number,
                                     .unit = "m",
                                     .meaning = "length of the cable without tension; default: the length as drawn",
                                     .minimum = 0}};

enum Output : std::size_t { length, tension };
constexpr std::array outputs{Variable{.name = "length", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "tension", .unit = "N"}};

struct Cable {
  double stiffness, damping, free_length;
  std::size_t first, count;  ///< of its points

  /// The length beyond which it is taut: free_length, and a rounding of it for a cable that is drawn with this length.
  double taut_length() const noexcept { return (1 + rounding_of_arms) * free_length; }
};
/// The stretch of a whole cable at an instant.
struct Stretch {
  double length = 0, rate = 0;
};
/// A straight part between two points; without length it has no direction.
struct Part {
  Vec3 direction;
  double length, rate;
};

Part part_between(const MarkerMotion& from, const MarkerMotion& to, double rounding) noexcept {
  const double length = norm(to.position - from.position);
  const Vec3 direction = direction_between(from.position, to.position, length, rounding);
  return {direction, length, dot(direction, to.velocity - from.velocity)};
}

double whole_length(const ElementInstance& instance) noexcept {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < instance.markers.size(); ++k)
    sum += norm(drawn_place(instance, k + 1) - drawn_place(instance, k));
  return sum;
}

/// tension = stiffness (l − free_length) + damping l̇ where the cable is longer than free_length and that pulls; else
/// 0. Longer means beyond rounding: damping makes the tension jump there, and a cable starts at free_length as drawn.
class Cables final : public ForceBatch, public OutputSource, public EventSource {
 public:
  explicit Cables(Strided<const ElementInstance> instances) {
    std::size_t first = 0;
    for (const ElementInstance& i : instances) {
      cables_.push_back({i.fields[stiffness].number, i.fields[damping].number,
                         i.fields[free_length].given ? i.fields[free_length].number : whole_length(i), first,
                         i.markers.size()});
      for (std::size_t k = 0; k < i.markers.size(); ++k) rounding_.push_back(point_rounding(i, k));
      first += i.markers.size();
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    return nullptr;
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (const Cable& c : cables_) {
      const Stretch s = stretch_of(c, in);
      if (s.length <= c.taut_length()) continue;
      const double elongation = s.length - c.free_length, force = tension_of(c, s);
      for (std::size_t k = c.first; k + 1 < c.first + c.count; ++k) {
        const Vec3 pull = force * part_after(k, in).direction;
        out.wrenches[k].linear += pull;
        out.wrenches[k + 1].linear -= pull;
      }
      out.potential_energy += 0.5 * c.stiffness * elongation * elongation;
      out.power -= (force - c.stiffness * elongation) * s.rate;
    }
  }

  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < cables_.size(); ++i) {
      const Stretch s = stretch_of(cables_[i], *in.attachments);
      values[outputs.size() * i + length] = s.length;
      values[outputs.size() * i + tension] = tension_of(cables_[i], s);
    }
  }

  std::size_t event_count() const noexcept override { return cables_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k;
    out.name = "taut";
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t i = 0; i < cables_.size(); ++i) {
      const Stretch s = stretch_of(cables_[i], *in.attachments);
      out.values[i] = s.length - cables_[i].taut_length();
      out.rates[i] = s.rate;
    }
  }

 private:
  Part part_after(std::size_t k, const ForceInput& in) const noexcept {
    return part_between(in.markers[k], in.markers[k + 1], rounding_[k] + rounding_[k + 1]);
  }
  Stretch stretch_of(const Cable& c, const ForceInput& in) const noexcept {
    Stretch sum;
    for (std::size_t k = c.first; k + 1 < c.first + c.count; ++k) {
      const Part part = part_after(k, in);
      sum.length += part.length;
      sum.rate += part.rate;
    }
    return sum;
  }
  static double tension_of(const Cable& c, const Stretch& s) noexcept {
    if (s.length <= c.taut_length()) return 0;
    return std::max(0.0, c.stiffness * (s.length - c.free_length) + c.damping * s.rate);
  }

  std::vector<Cable> cables_;
  std::vector<double> rounding_;  ///< of all points, m (point_rounding)
};

class CableType final : public ForceType, public PlainPicture<Picture::Kind::line> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "cable",
                                               .meaning =
                                                   "a cable that runs through points without friction and pulls "
                                                   "where it is taut",
                                               .fields = specs,
                                               .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == Picture::interface_name ? static_cast<const Picture*>(this) : nullptr;
  }

  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.markers.size() < 2) {
      sink.report(Severity::error, number, points, "a cable runs through two points at least",
                  "Write [{body: ..., point: [...]}, {body: ..., point: [...]}].");
      return false;
    }
    const BodyIndex first = instance.markers[0].body;
    bool joins = false;
    for (const Marker& m : instance.markers) joins = joins || m.body != first;
    for (std::size_t k = 0; joins && k + 1 < instance.markers.size(); ++k)
      warn_of_rounded_line(instance, k, false, number, points, sink);
    if (joins) return true;
    sink.report(Severity::error, number, points, "all points of the cable are fixed in the same body: it does nothing",
                "Attach some of them to another body.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Cables>(instances);
  }
};

}  // namespace

const ForceType& cable() noexcept {
  static constexpr CableType type;
  return type;
}

}  // namespace polyform::forces
