#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "contact_fields.hpp"
#include "contact_law.hpp"
#include "contact_properties.hpp"
#include "contact_types.hpp"
#include "overlap_limit.hpp"
#include "polyform/contract/body_pairs.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/state_jumps.hpp"
#include "polyform/contract/type_variants.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "shape_pair.hpp"

namespace polyform::contact {
namespace {

/// A contact without bristles has the first two only.
constexpr std::array states{Variable{.name = "approach", .unit = "m/s"}, Variable{.name = "impacts", .unit = "1"},
                            Variable{.name = "bristle_x", .unit = "m", .kind = Variable::Kind::length},
                            Variable{.name = "bristle_y", .unit = "m", .kind = Variable::Kind::length},
                            Variable{.name = "bristle_z", .unit = "m", .kind = Variable::Kind::length}};
enum State : std::size_t { approach, impacts, bent, state_count = bent + 3 };
static_assert(states.size() == state_count);
enum Output : std::size_t { gap, penetration, normal_force, friction_force, slip, mode, place, force_on_a = place + 3 };
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
/// Values of the output `mode`.
enum Mode { open, stick, sliding };

/// What happens at one point of contact.
struct Push {
  double depth = 0, rate = 0;     ///< of the penetration, m and m/s
  double spring = 0, normal = 0;  ///< N
  double pressed = 0;             ///< the part of `normal` that friction goes by, N
  Vec3 sliding;                   ///< velocity of the first surface over the second, m/s
  Vec3 friction;                  ///< on the first body, N
};

/// The friction of the bristles in a contact, at the centre of its normal forces.
struct Rub {
  Vec3 place, velocity, rate, force;  ///< velocity of the first surface over the second; force on the first body
};

/// F = k δⁿ (1 + λ δ̇) and not less than 0, with λ = x / v₀: v₀ is the state `approach`, the speed at which the contact
/// began, or δ̇ if that is more. There is one event function per point, its gap. When the first point of a contact
/// closes, the state jumps to the speed of the approach; when the last one opens, to the least speed. A contact has no
/// shortest time: its event and its guard bound the steps while it lasts, and nothing does before.
class Contacts final : public ForceBatch,
                       public EventSource,
                       public StateJumps,
                       public InitialStates,
                       public OutputSource,
                       public OverlapLimit {
 public:
  /// own_states: of an instance, those without bristles or all.
  Contacts(Strided<const ElementInstance> instances, std::size_t own_states) : own_(own_states) {
    std::size_t points = 0, most = 0;
    ShapeStore store;
    for (const ElementInstance& instance : instances) {
      Contact& c = contacts_.emplace_back(contact_of(instance));
      c.first_pair = pairs_.size();
      c.first_point = points;
      c.size = std::numeric_limits<double>::infinity();
      c.half_width = c.size;
      for (const GeometricShape& first : instance.shapes[0].shapes)
        for (const GeometricShape& second : instance.shapes[1].shapes) {
          const ShapePair& pair = pairs_.emplace_back(first, second, store);
          points += pair.points();
          half_widths_.insert(half_widths_.end(), pair.points(), pair.half_width());
          c.size = std::min(c.size, pair.size());
          c.half_width = std::min(c.half_width, pair.half_width());
        }
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
      const std::span<double> rates = out.state_rates.subspan(own_ * i, own_);
      std::ranges::fill(rates, 0.0);
      const MarkerMotion &first = in.markers[2 * i], &second = in.markers[2 * i + 1];
      const std::span<const ContactPoint> points = points_of(c, in, i);
      for (const ContactPoint& point : points) {
        if (!(point.gap < 0)) continue;
        const Push push = push_at(c, point, first, second, in.states[own_ * i]);
        out.wrenches[2 * i] += point.wrench(push.normal, push.friction, first.position);
        out.wrenches[2 * i + 1] -= point.wrench(push.normal, push.friction, second.position);
        out.potential_energy += point.share * c.energy(push.depth);
        out.power += (push.spring - push.normal) * push.rate + dot(push.friction, push.sliding);
        if (!(c.rolling > 0)) continue;
        const Vec3 turning = first.angular_velocity - second.angular_velocity;
        const Vec3 moment = against_rolling(c.friction, c.rolling, c.size, push.pressed, point.normal, turning);
        out.wrenches[2 * i] += Spatial{moment, {}};
        out.wrenches[2 * i + 1] -= Spatial{moment, {}};
        out.power += dot(moment, turning);
      }
      if (!c.bristles.act()) continue;
      const Rub rub = rub_of(c, points, in, i);
      out.wrenches[2 * i] += Spatial{cross(rub.place - first.position, rub.force), rub.force};
      out.wrenches[2 * i + 1] -= Spatial{cross(rub.place - second.position, rub.force), rub.force};
      out.power += dot(rub.force, rub.velocity);
      for (std::size_t k = 0; k < 3; ++k) rates[bent + k] = rub.rate[k];
    }
  }
  void initial_states(std::span<double> x) const noexcept override {
    std::ranges::fill(x, 0.0);
    for (std::size_t i = 0; i < contacts_.size(); ++i) x[own_ * i] = contacts_[i].least_approach;
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    if (asked == StateJumps::interface_name) return static_cast<StateJumps*>(this);
    if (asked == LawValidity::interface_name) return static_cast<LawValidity*>(this);
    if (asked == InitialStates::interface_name) return static_cast<InitialStates*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }

  /// A contact that is closed at the start began with the energy that it has now.
  void states_at_start(const ForceInput& start, std::span<double>, std::span<double> x) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      double energy = 0, fastest = 0;
      for (const ContactPoint& point : points_of(c, start, i)) {
        const MarkerMotion &first = start.markers[2 * i], &second = start.markers[2 * i + 1];
        if (!(point.gap < -depth_of_event(point, first, second, false))) continue;
        energy += point.share * c.energy(-point.gap);
        fastest = std::max(fastest, std::abs(gap_rate(point, first, second)));
      }
      if (energy > 0) x[own_ * i] = c.begins_with(std::sqrt(fastest * fastest + 2 * energy * inverse(c.mass)));
    }
  }

  std::size_t event_count() const noexcept override { return owners_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = owners_[k];
    out.name = "contact";
  }
  void evaluate_events(const EventInput& input, EventOutput& out) noexcept override {
    const ForceInput& in = *input.attachments;
    forget();
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      const std::span<const ContactPoint> points = points_of(c, in, i);
      for (std::size_t k = 0; k < points.size(); ++k) {
        see(i, -points[k].gap / half_widths_[c.first_point + k], 2 * i, 2 * i + 1);
        const double rate = gap_rate(points[k], in.markers[2 * i], in.markers[2 * i + 1]);
        out.values[c.first_point + k] =
            points[k].gap + depth_of_event(points[k], in.markers[2 * i], in.markers[2 * i + 1],
                                           c.has_begun(in.states[own_ * i + approach]));
        if (points[k].is_carried) out.rates[c.first_point + k] = rate;
        // While the bodies move, a step is no longer than depth over speed; the impact takes three times as long or
        // more.
        if (points[k].gap < 0 && c.mass > 0 && std::abs(rate) > moving * in.states[own_ * i])
          out.guard =
              std::min(out.guard, longest_way(c.half_width, c.depth_of(in.states[own_ * i])) / in.states[own_ * i]);
      }
    }
  }
  void jump_states(std::size_t k, bool rising, const EventInput& input, std::span<double> x) noexcept override {
    const std::size_t i = owners_[k];
    const Contact& c = contacts_[i];
    const ForceInput& in = *input.attachments;
    const std::span<const ContactPoint> points = points_of(c, in, i);
    const std::size_t self = k - c.first_point;
    const MarkerMotion &first = in.markers[2 * i], &second = in.markers[2 * i + 1];
    const double rate = gap_rate(points[self], first, second);
    double& began = x[own_ * i + approach];
    if (rising) {
      for (std::size_t p = 0; p < points.size(); ++p)
        if (p != self && points[p].gap < -depth_of_event(points[p], first, second, true)) return;
      // The contact is over; bristles that it does not hold any more are straight.
      began = c.least_approach;
      std::ranges::fill(x.subspan(own_ * i + bent, own_ - bent), 0.0);
      return;
    }
    if (!c.has_begun(began)) x[own_ * i + impacts] += 1;
    began = c.begins_with(std::max(began, -rate));
  }

  void evaluate_outputs(const OutputInput& input, std::span<double> values) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      double nearest = std::numeric_limits<double>::infinity(), deepest = 0, pressed = 0, slid = 0;
      Vec3 along{}, whole{}, weighted{}, at_nearest{};
      const std::span<const ContactPoint> points = points_of(c, in, i);
      for (const ContactPoint& point : points) {
        if (point.gap < nearest) at_nearest = point.position;
        nearest = std::min(nearest, point.gap);
        if (!(point.gap < 0)) continue;
        const Push push = push_at(c, point, in.markers[2 * i], in.markers[2 * i + 1], in.states[own_ * i]);
        const double normal = (point.own + point.others) * push.normal;
        pressed += normal;
        whole += normal * point.normal + push.friction;
        weighted += push.normal * (point.own * point.position + point.others * point.middle);
        along += push.friction;
        if (push.depth > deepest) slid = norm(push.sliding);
        deepest = std::max(deepest, push.depth);
      }
      if (c.bristles.act()) {
        const Rub rub = rub_of(c, points, in, i);
        whole += rub.force;
        along += rub.force;
      }
      const std::span<double> out = values.subspan(outputs.size() * i, outputs.size());
      out[gap] = nearest;
      out[penetration] = deepest;
      out[normal_force] = pressed;
      out[friction_force] = norm(along);
      out[slip] = slid;
      // The centre of the normal forces; for an open contact, the point where it is nearest.
      const Vec3 centre = pressed > 0 ? (1 / pressed) * weighted : at_nearest;
      for (std::size_t k = 0; k < 3; ++k) {
        out[force_on_a + k] = whole[k];
        out[place + k] = centre[k];
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
  /// The velocity of the first body's material at a place, relative to that of the second.
  static Vec3 relative_velocity(const Vec3& place, const MarkerMotion& first, const MarkerMotion& second) noexcept {
    return first.velocity + cross(first.angular_velocity, place - first.position) - second.velocity -
           cross(second.angular_velocity, place - second.position);
  }
  static double gap_rate(const ContactPoint& point, const MarkerMotion& first, const MarkerMotion& second) noexcept {
    return point.rate([&](const Vec3& place) { return relative_velocity(place, first, second); });
  }
  /// A gap closes or opens at this depth, beyond rounding: where surfaces touch that do not move against each other,
  /// the sign of the gap is chance. The spring has next to no force there. A contact that has begun is closed where it
  /// is half as deep, so that the points that begin it do not flicker.
  static double depth_of_event(const ContactPoint& point, const MarkerMotion& first, const MarkerMotion& second,
                               bool has_begun) noexcept {
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
    return (has_begun ? 1 : 2) * rounding * (norm(point.position) + norm(first.position) + norm(second.position));
  }
  static Push push_at(const Contact& c, const ContactPoint& point, const MarkerMotion& first,
                      const MarkerMotion& second, double approach) noexcept {
    const Vec3 velocity = relative_velocity(point.position, first, second);
    Push push;
    push.depth = -point.gap;
    push.rate = -gap_rate(point, first, second);
    push.spring = point.share * c.spring(push.depth);
    // Shapes may overlap faster than the contact began, as in the instant before its event is passed. They are damped
    // as in a contact that began at their speed.
    push.normal = std::max(0.0, push.spring * (1 + c.damping_number * push.rate / std::max(approach, push.rate)));
    push.pressed = point.pressing() * push.normal;
    push.sliding = velocity - dot(velocity, point.normal) * point.normal;
    if (c.friction.acts() && !c.bristles.act())
      push.friction = -(push.pressed * c.friction.per_speed(norm(push.sliding))) * push.sliding;
    return push;
  }

  /// All points of a contact have the same bristles, at the centre of the normal forces. They lie in the surface there.
  Rub rub_of(const Contact& c, std::span<const ContactPoint> points, const ForceInput& in,
             std::size_t i) const noexcept {
    const MarkerMotion &first = in.markers[2 * i], &second = in.markers[2 * i + 1];
    double pressed = 0, speed = in.states[own_ * i + approach];
    ContactPoint centre;
    for (const ContactPoint& point : points) {
      if (!(point.gap < 0)) continue;
      const Push push = push_at(c, point, first, second, in.states[own_ * i + approach]);
      speed = std::max(speed, push.rate);  // in the instant before the event is passed
      pressed += push.pressed;
      centre.position += push.pressed * point.position;
      centre.normal += push.pressed * point.normal;
    }
    Rub rub;
    const double size = norm(centre.normal);
    if (!(pressed > 0) || !(size > 0)) return rub;
    centre.normal = (1 / size) * centre.normal;
    centre.position = rub.place = (1 / pressed) * centre.position;
    const auto in_surface = [&](const Vec3& v) { return v - dot(v, centre.normal) * centre.normal; };
    const double* const x = in.states.data() + own_ * i + bent;
    const Vec3 bent = in_surface({x[0], x[1], x[2]});
    rub.velocity = in_surface(relative_velocity(centre.position, first, second));
    const Bristles::Answer answer = c.bristles.answer(bent, rub.velocity, pressed, c.least_load(speed), c.friction);
    rub.rate = answer.rate;
    rub.force = answer.force;
    return rub;
  }

  std::size_t own_;  ///< states of an instance
  std::vector<Contact> contacts_;
  std::vector<ShapePair> pairs_;
  std::vector<std::size_t> owners_;  ///< of the points
  std::vector<double> half_widths_;  ///< of the points: the lesser one of their shapes, m
  std::vector<ContactPoint> found_;  ///< of one contact at a time
};

/// own_states: `bent` without bristles, else all.
template <std::size_t own_states>
class ContactType final : public ForceType, public BodyPairs, public TypeVariants, public HeldStates {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "contact",
        .meaning = "pushes two bodies apart where their shapes overlap, with friction",
        .fields = contact_fields,
        .states = Strided<const Variable>(states.data(), own_states),
        .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == TypeVariants::interface_name) return static_cast<const TypeVariants*>(this);
    if (asked == HeldStates::interface_name) return static_cast<const HeldStates*>(this);
    return asked == BodyPairs::interface_name ? static_cast<const BodyPairs*>(this) : nullptr;
  }
  const ForceType* variant(Strided<const FieldValue> fields) const noexcept override {
    static constexpr ContactType<states.size()> with_bristles;
    if (fields[law].integer == rigid_law) return &rigid_contact();
    return fields[bristles].given ? static_cast<const ForceType*>(&with_bristles) : this;
  }
  bool is_held(std::size_t state) const noexcept override { return state < bent; }
  std::string_view first_field() const noexcept override { return contact_fields[a].name; }
  std::string_view second_field() const noexcept override { return contact_fields[b].name; }

  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (!check_contact(instance, number, sink)) return false;
    const Strided<const FieldValue> f = instance.fields;
    if (!f[stiffness].given) {
      sink.report(Severity::error, number, stiffness, "the law hunt-crossley needs a stiffness",
                  "Give 'stiffness', or 'law: rigid' for bodies that do not give way.");
      return false;
    }
    if (f[bristles].given && !f[dynamic_friction].given) {
      sink.report(Severity::error, number, bristles, "friction has a stiffness and no coefficient",
                  "Give 'friction: {dynamic: ...}' too.");
      return false;
    }
    if (f[impact].given) {
      sink.report(Severity::error, number, impact, "'impact' is of the law rigid; hunt-crossley has no impacts",
                  "Leave 'impact' out, or give 'law: rigid'.");
      return false;
    }
    if (f[restitution].number < least_restitution) {
      sink.report(Severity::error, number, restitution,
                  Message("the law hunt-crossley has a restitution of {:g} at least, not {:g}", least_restitution,
                          f[restitution].number),
                  "Give a larger one, or 'law: rigid'.");
      return false;
    }
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Contacts>(instances, own_states);
  }
};

}  // namespace

const ForceType& contact() noexcept {
  static constexpr ContactType<bent> type;
  return type;
}

}  // namespace polyform::contact
