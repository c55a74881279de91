// Contacts between many bodies as one element: what is far apart costs nothing, and nothing is remembered.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "contact_fields.hpp"
#include "contact_types.hpp"
#include "group_fields.hpp"
#include "group_law.hpp"
#include "group_shapes.hpp"
#include "overlap_limit.hpp"
#include "polyform/contract/body_groups.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/type_variants.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "rigid_group.hpp"

namespace polyform::contact {
namespace {

constexpr std::array states{Variable{.name = "lost", .unit = "J"}};
enum Output : std::size_t { closed, penetration, normal_force, stored };
constexpr std::array outputs{Variable{.name = "closed", .unit = "1"},
                             Variable{.name = "penetration", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "fn", .unit = "N"}, Variable{.name = "stored", .unit = "J"}};

struct Group {
  Group(const ElementInstance& instance, std::size_t marker)
      : law(group_law_of(instance)), shapes(instance, false), first_marker(marker) {}
  GroupLaw law;
  GroupShapes shapes;
  std::size_t first_marker;
};

/// The force at a point is a function of the present motion alone (GroupLaw), so that a group has no state for each of
/// its pairs. It has no event functions either: its guard lets no step pass by a contact.
class ContactGroups final : public ForceBatch, public EventSource, public OutputSource, public OverlapLimit {
 public:
  explicit ContactGroups(Strided<const ElementInstance> instances) {
    std::size_t markers = 0;
    for (const ElementInstance& instance : instances) {
      groups_.emplace_back(instance, markers);
      markers += instance.markers.size();
    }
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      Group& g = groups_[i];
      double lost = 0;
      const bool known = g.shapes.each_closed(motions_of(g, in), [&](const GroupShapes::Touch& touch) {
        const MarkerMotion &first = in.markers[g.first_marker + touch.first],
                           &second = in.markers[g.first_marker + touch.second];
        const GroupPush push = g.law.push(touch, first, second);
        Spatial& on_first = out.wrenches[g.first_marker + touch.first];
        Spatial& on_second = out.wrenches[g.first_marker + touch.second];
        on_first += Spatial{push.moment + cross(touch.point.position - first.position, push.force), push.force};
        on_second -= Spatial{push.moment + cross(touch.point.position - second.position, push.force), push.force};
        out.potential_energy += push.energy;
        lost -= push.power;
      });
      // Without memory for the list of what is near there are no forces: the solver reports numbers that are none.
      if (!known) lost = std::numeric_limits<double>::quiet_NaN();
      out.power -= lost;
      out.state_rates[i] = lost;
    }
  }
  void initial_states(std::span<double> x) const noexcept override { std::ranges::fill(x, 0.0); }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    if (asked == LawValidity::interface_name) return static_cast<LawValidity*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }

  std::size_t event_count() const noexcept override { return 0; }
  void describe_event(std::size_t, EventDescription&) const noexcept override {}
  /// No body moves farther in a step than its reach, nor past what is near it. None that is nearer to another moves
  /// farther than it takes to meet and to go in by a part of the depth that the impact will have.
  void evaluate_events(const EventInput& input, EventOutput& out) noexcept override {
    const ForceInput& in = *input.attachments;
    forget();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      Group& g = groups_[i];
      const Strided<const MarkerMotion> motions = motions_of(g, in);
      out.guard = std::min({out.guard, g.shapes.time_to_move(motions), g.shapes.time_to_pass(motions)});
      g.shapes.each_near(motions, [&](const GroupShapes::Touch& touch) {
        see(i, -touch.point.gap / touch.half_width, g.first_marker + touch.first, g.first_marker + touch.second);
        out.guard = std::min(out.guard, g.law.longest_step(touch, in.markers[g.first_marker + touch.first],
                                                           in.markers[g.first_marker + touch.second]));
      });
    }
  }

  void evaluate_outputs(const OutputInput& input, std::span<double> values) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      Group& g = groups_[i];
      const std::span<double> out = values.subspan(outputs.size() * i, outputs.size());
      std::ranges::fill(out, 0.0);
      g.shapes.each_closed(motions_of(g, in), [&](const GroupShapes::Touch& touch) {
        const GroupPush push =
            g.law.push(touch, in.markers[g.first_marker + touch.first], in.markers[g.first_marker + touch.second]);
        out[closed] += 1;
        out[penetration] = std::max(out[penetration], -touch.point.gap);
        out[normal_force] += push.normal;
        out[stored] += push.energy;
      });
    }
  }

 private:
  static Strided<const MarkerMotion> motions_of(const Group& g, const ForceInput& in) noexcept {
    return in.markers.subspan(g.first_marker, g.shapes.markers());
  }

  std::vector<Group> groups_;
};

class ContactGroupType final : public ForceType, public HeldStates, public BodyGroups, public TypeVariants {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "contact-group",
        .meaning = "pushes many bodies apart where their shapes overlap, with friction",
        .fields = group_fields,
        .states = states,
        .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    return check_group(instance, number, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<ContactGroups>(instances);
  }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == BodyGroups::interface_name) return static_cast<const BodyGroups*>(this);
    if (asked == TypeVariants::interface_name) return static_cast<const TypeVariants*>(this);
    return asked == HeldStates::interface_name ? static_cast<const HeldStates*>(this) : nullptr;
  }
  bool is_held(std::size_t) const noexcept override { return true; }
  std::string_view pair_type() const noexcept override { return contact().name(); }
  /// Impacts of a group are Newton's.
  bool covers(Strided<const FieldValue> fields) const noexcept override {
    return fields[law].integer == hunt_crossley ? !fields[bristles].given : fields[contact::impact].integer == newton;
  }
  const ForceType* variant(Strided<const FieldValue> fields) const noexcept override {
    const ForceType* const rigid =
        fields[group_law].integer == rigid_law ? rigid_contact_group(fields[group_bodies].bodies.size()) : nullptr;
    return rigid != nullptr ? rigid : this;
  }
  std::string_view bodies_field() const noexcept override { return group_fields[group_bodies].name; }
  std::string_view sides_field() const noexcept override { return group_fields[group_sides].name; }
  std::string_view apart_field() const noexcept override { return group_fields[group_apart].name; }
};

}  // namespace

const ForceType& contact_group() noexcept {
  static constexpr ContactGroupType type;
  return type;
}

}  // namespace polyform::contact
