#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "contact_fields.hpp"
#include "contact_law.hpp"
#include "contact_types.hpp"
#include "polyform/contract/body_pairs.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/state_jumps.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "shape_pair.hpp"

namespace polyform::contact {
namespace {

constexpr std::array states{Variable{.name = "approach", .unit = "m/s"}};
enum Output : std::size_t {
  gap, penetration, normal_force, friction_force, slip, mode, place, force_on_a = place + 3
};
constexpr std::array outputs{Variable{.name = "gap", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "penetration", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "fn", .unit = "N"},
                             Variable{.name = "ft", .unit = "N"},
                             Variable{.name = "slip", .unit = "m/s"},
                             Variable{.name = "mode", .unit = "1"},
                             Variable{.name = "px", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "py", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "pz", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "fx", .unit = "N"},
                             Variable{.name = "fy", .unit = "N"},
                             Variable{.name = "fz", .unit = "N"}};
/// Of the output `mode`.
enum Mode { open, stick, sliding };

double inverse(double x) noexcept { return x > 0 ? 1 / x : 0; }

/// The mass with which two free bodies, or a body and ground, answer to a push through their mass centres, kg.
double mass_of(const ElementInstance& instance) noexcept {
  return inverse(inverse(instance.inertias[0].mass) + inverse(instance.inertias[1].mass));
}

struct Contact {
  double stiffness, exponent, damping_number;
  Friction friction;
  double mass;
  double least_approach;             ///< slower ones count as this, m/s
  std::size_t first_pair, pairs;     ///< of shapes
  std::size_t first_point, points;   ///< among the points of the batch

  /// The spring at a penetration, N.
  double spring(double depth) const noexcept { return stiffness * std::pow(depth, exponent); }
  /// Its energy, J.
  double energy(double depth) const noexcept { return spring(depth) * depth / (exponent + 1); }
  /// The penetration at which it takes up the kinetic energy of the approach, m.
  double depth_of(double approach) const noexcept {
    return std::pow(0.5 * mass * approach * approach * (exponent + 1) / stiffness, 1 / (exponent + 1));
  }
};

Contact contact_of(const ElementInstance& instance) {
  const Strided<const FieldValue> f = instance.fields;
  Contact c{};
  c.stiffness = f[stiffness].number;
  c.exponent = f[exponent].number;
  c.damping_number = damping_number(f[restitution].number);
  c.friction.dynamic = f[dynamic_friction].number;
  c.friction.static_ = f[static_friction].given ? f[static_friction].number : c.friction.dynamic;
  c.friction.speed = f[transition].number;
  c.mass = mass_of(instance);
  // What lies on the other body approaches with the speed that its weight gives it on its way into the spring.
  const double weight = c.mass * norm(instance.gravity);
  const double sink = std::pow(weight / c.stiffness, 1 / c.exponent);
  constexpr double least = 1e-9;
  c.least_approach = std::max(least, std::sqrt(norm(instance.gravity) * sink));
  return c;
}

/// What happens at one point of contact.
struct Push {
  double depth = 0, rate = 0;  ///< of the penetration, m and m/s
  double spring = 0, normal = 0;  ///< N
  Vec3 sliding;                ///< velocity of the first surface over the second, m/s
  Vec3 force;                  ///< on the first body, N
};

/// F = k δⁿ (1 + λ δ̇) and not less than 0, with λ = x / v₀: v₀ is the state `approach`, the speed at which the contact
/// began, or δ̇ where that is more. One event function per point, its gap. Where the first point of a contact closes, the
/// state jumps to the speed of the approach. A contact has no shortest time: its event and its guard bound the steps while
/// it lasts, and nothing does before.
class Contacts final : public ForceBatch,
                       public EventSource,
                       public StateJumps,
                       public InitialStates,
                       public OutputSource {
 public:
  explicit Contacts(Strided<const ElementInstance> instances) {
    std::size_t points = 0, most = 0;
    for (const ElementInstance& instance : instances) {
      Contact& c = contacts_.emplace_back(contact_of(instance));
      c.first_pair = pairs_.size();
      c.first_point = points;
      for (const GeometricShape& first : instance.shapes[0].shapes)
        for (const GeometricShape& second : instance.shapes[1].shapes)
          points += pairs_.emplace_back(first, second).points();
      c.pairs = pairs_.size() - c.first_pair;
      c.points = points - c.first_point;
      most = std::max(most, c.points);
      owners_.insert(owners_.end(), c.points, contacts_.size() - 1);
    }
    found_.resize(most);
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      out.state_rates[i] = 0;
      const MarkerMotion &first = in.markers[2 * i], &second = in.markers[2 * i + 1];
      for (const ContactPoint& point : points_of(c, in, i)) {
        if (!(point.gap < 0)) continue;
        const Push push = push_at(c, point, first, second, in.states[i]);
        out.wrenches[2 * i] += Spatial{cross(point.position - first.position, push.force), push.force};
        out.wrenches[2 * i + 1] -= Spatial{cross(point.position - second.position, push.force), push.force};
        out.potential_energy += c.energy(push.depth);
        out.power += push.spring * push.rate + dot(push.force, relative_velocity(point, first, second));
      }
    }
  }
  void initial_states(std::span<double> approach) const noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) approach[i] = contacts_[i].least_approach;
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    if (asked == StateJumps::interface_name) return static_cast<StateJumps*>(this);
    if (asked == InitialStates::interface_name) return static_cast<InitialStates*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }

  /// A contact that is closed at the start began with the energy that it has now.
  void states_at_start(const ForceInput& start, std::span<double>, std::span<double> approach) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      double energy = 0, fastest = 0;
      for (const ContactPoint& point : points_of(c, start, i)) {
        if (!(point.gap < 0)) continue;
        energy += c.energy(-point.gap);
        const double rate = dot(point.normal, relative_velocity(point, start.markers[2 * i], start.markers[2 * i + 1]));
        fastest = std::max(fastest, std::abs(rate));
      }
      approach[i] = std::max(c.least_approach, std::sqrt(fastest * fastest + 2 * energy * inverse(c.mass)));
    }
  }

  std::size_t event_count() const noexcept override { return owners_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = owners_[k];
    out.name = "contact";
  }
  void evaluate_events(const EventInput& input, EventOutput& out) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      const std::span<const ContactPoint> points = points_of(c, in, i);
      for (std::size_t k = 0; k < points.size(); ++k) {
        const double rate =
            dot(points[k].normal, relative_velocity(points[k], in.markers[2 * i], in.markers[2 * i + 1]));
        out.values[c.first_point + k] = points[k].gap;
        if (points[k].is_carried) out.rates[c.first_point + k] = rate;
        // While it moves, a step is no longer than a third of the impact, half of which takes depth over speed.
        constexpr double moving = 0.1;
        if (points[k].gap < 0 && c.mass > 0 && std::abs(rate) > moving * in.states[i])
          out.guard = std::min(out.guard, c.depth_of(in.states[i]) / in.states[i]);
      }
    }
  }
  void jump_states(std::size_t k, bool rising, const EventInput& input, std::span<double> approach) noexcept override {
    if (rising) return;
    const std::size_t i = owners_[k];
    const Contact& c = contacts_[i];
    const ForceInput& in = *input.attachments;
    const std::span<const ContactPoint> points = points_of(c, in, i);
    const std::size_t self = k - c.first_point;
    const double rate = dot(points[self].normal,
                            relative_velocity(points[self], in.markers[2 * i], in.markers[2 * i + 1]));
    bool others = false;
    for (std::size_t p = 0; p < points.size(); ++p) others = others || (p != self && points[p].gap < 0);
    const double speed = std::max(c.least_approach, -rate);
    approach[i] = others ? std::max(approach[i], speed) : speed;
  }

  void evaluate_outputs(const OutputInput& input, std::span<double> values) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      double nearest = std::numeric_limits<double>::infinity(), deepest = 0, pressed = 0, slid = 0;
      Vec3 along{}, force{}, moment{}, next{};
      for (const ContactPoint& point : points_of(c, in, i)) {
        if (point.gap < nearest) next = point.position;
        nearest = std::min(nearest, point.gap);
        if (!(point.gap < 0)) continue;
        const Push push = push_at(c, point, in.markers[2 * i], in.markers[2 * i + 1], in.states[i]);
        pressed += push.normal;
        along += push.force - push.normal * point.normal;
        force += push.force;
        moment += push.normal * point.position;
        if (push.depth > deepest) slid = norm(push.sliding);
        deepest = std::max(deepest, push.depth);
      }
      const std::span<double> out = values.subspan(outputs.size() * i, outputs.size());
      out[gap] = nearest;
      out[penetration] = deepest;
      out[normal_force] = pressed;
      out[friction_force] = norm(along);
      out[slip] = slid;
      // The middle of the points by their pressure; while open, the point that is nearest to touching.
      const Vec3 middle = pressed > 0 ? (1 / pressed) * moment : next;
      for (std::size_t k = 0; k < 3; ++k) {
        out[place + k] = middle[k];
        out[force_on_a + k] = force[k];
      }
      out[mode] = !(deepest > 0) ? open : c.friction.acts() && slid < c.friction.speed ? stick : sliding;
    }
  }

 private:
  std::span<const ContactPoint> points_of(const Contact& c, const ForceInput& in, std::size_t i) noexcept {
    const MarkerMotion &first = in.markers[2 * i], &second = in.markers[2 * i + 1];
    std::span<ContactPoint> rest = std::span(found_).first(c.points);
    for (std::size_t p = c.first_pair; p < c.first_pair + c.pairs; ++p) {
      pairs_[p].locate({first.R, first.position}, {second.R, second.position}, rest.first(pairs_[p].points()));
      rest = rest.subspan(pairs_[p].points());
    }
    return std::span(found_).first(c.points);
  }
  /// Of the first body's material at the point over that of the second.
  static Vec3 relative_velocity(const ContactPoint& point, const MarkerMotion& first,
                                const MarkerMotion& second) noexcept {
    return first.velocity + cross(first.angular_velocity, point.position - first.position) - second.velocity -
           cross(second.angular_velocity, point.position - second.position);
  }
  static Push push_at(const Contact& c, const ContactPoint& point, const MarkerMotion& first,
                      const MarkerMotion& second, double approach) noexcept {
    const Vec3 velocity = relative_velocity(point, first, second);
    Push push;
    push.depth = -point.gap;
    push.rate = -dot(point.normal, velocity);
    push.spring = c.spring(push.depth);
    // Shapes that overlap faster than the contact began, as in the instant before its event is passed, are damped as in a
    // contact that began so.
    push.normal = std::max(0.0, push.spring * (1 + c.damping_number * push.rate / std::max(approach, push.rate)));
    push.sliding = velocity + push.rate * point.normal;
    push.force = push.normal * point.normal;
    if (c.friction.acts())
      push.force -= (push.normal * c.friction.per_speed(norm(push.sliding))) * push.sliding;
    return push;
  }

  std::vector<Contact> contacts_;
  std::vector<ShapePair> pairs_;
  std::vector<std::size_t> owners_;  ///< of the points
  std::vector<ContactPoint> found_;  ///< of one contact at a time
};

std::string_view word_for(GeometricShape::Kind kind) noexcept {
  constexpr std::array<std::string_view, 5> words{"box", "cylinder", "sphere", "capsule", "plane"};
  return words[static_cast<std::size_t>(kind)];
}

class ContactType final : public ForceType, public BodyPairs {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "contact",
        .meaning = "pushes two bodies apart where their shapes overlap, with friction",
        .fields = contact_fields,
        .states = states,
        .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == BodyPairs::interface_name ? static_cast<const BodyPairs*>(this) : nullptr;
  }
  std::string_view first_field() const noexcept override { return contact_fields[a].name; }
  std::string_view second_field() const noexcept override { return contact_fields[b].name; }

  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.markers[0].body == instance.markers[1].body) {
      sink.report(Severity::error, number, b, "the contact is between a body and itself", "Name two bodies.");
      return false;
    }
    for (const std::size_t side : {a, b})
      if (instance.shapes.empty() || instance.shapes[side].shapes.empty()) {
        const bool ground = is_ground(instance.markers[side].body);
        sink.report(Severity::error, number, side,
                    Message("{} has no geometry that could touch", ground ? "ground" : "the body"),
                    ground ? "Add 'ground: {geometry: [{type: plane}]}' to the model."
                           : "Add 'geometry: [{type: sphere, radius: ...}]' to the body.");
        return false;
      }
    for (const GeometricShape& first : instance.shapes[0].shapes)
      for (const GeometricShape& second : instance.shapes[1].shapes) {
        if (ShapePair::points_of(first.kind, second.kind) > 0) continue;
        sink.report(Severity::error, number, b,
                    Message("there is no contact between a {} and a {}", word_for(first.kind), word_for(second.kind)),
                    "A sphere touches every shape, a plane every shape but a plane, a capsule spheres, capsules and "
                    "planes: make one of the two of such shapes.");
        return false;
      }
    const Strided<const FieldValue> f = instance.fields;
    if (f[static_friction].given && f[static_friction].number < f[dynamic_friction].number) {
      sink.report(Severity::error, number, static_friction,
                  Message("the friction at rest, {:g}, is below that of sliding, {:g}", f[static_friction].number,
                          f[dynamic_friction].number),
                  "'static' is the greater of the two, or left out.");
      return false;
    }
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Contacts>(instances);
  }
};

}  // namespace

const ForceType& contact() noexcept {
  static constexpr ContactType type;
  return type;
}

}  // namespace polyform::contact
