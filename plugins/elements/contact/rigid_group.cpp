#include "rigid_group.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "contact_types.hpp"
#include "group_fields.hpp"
#include "group_shapes.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/near_rows.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "tangents.hpp"

namespace polyform::contact {
namespace {

/// Of a group; then the wrench on each body about its frame's origin, which the host writes, ground axes.
enum State : std::size_t { normal_force, closed, stuck, impacts, lost, first_wrench };
constexpr std::array states_of_group{Variable{.name = "fn", .unit = "N"}, Variable{.name = "closed", .unit = "1"},
                                     Variable{.name = "stuck", .unit = "1"}, Variable{.name = "impacts", .unit = "1"},
                                     Variable{.name = "lost", .unit = "J"}};
constexpr std::size_t wrench_size = 6;
constexpr std::array<const char*, wrench_size> parts{"fx", "fy", "fz", "mx", "my", "mz"};
constexpr std::array<const char*, wrench_size> units{"N", "N", "N", "N m", "N m", "N m"};
constexpr std::array outputs{Variable{.name = "penetration", .unit = "m", .kind = Variable::Kind::length}};
constexpr std::size_t rows_per_point = 3;

struct Group {
  Group(const ElementInstance& instance, std::size_t marker)
      : shapes(instance, true), first_marker(marker), law(group_law_of(instance)) {
    restitution = instance.fields[group_restitution].number;
  }
  GroupShapes shapes;
  std::size_t first_marker;
  GroupLaw law;  ///< for its coefficients of friction
  double restitution;
};

/// A point that was found, as it was evaluated last.
struct Found {
  std::size_t group;
  GroupShapes::Place place;
  std::array<std::size_t, 2> markers;  ///< of the group
  ContactPoint point;
};

class RigidGroups final : public ForceBatch,
                          public NearRows,
                          public UnilateralRows,
                          public EventSource,
                          public OutputSource {
 public:
  RigidGroups(Strided<const ElementInstance> instances, std::size_t bodies)
      : states_(first_wrench + wrench_size * bodies) {
    std::size_t markers = 0;
    for (const ElementInstance& instance : instances) {
      groups_.emplace_back(instance, markers);
      markers += instance.markers.size();
    }
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Group& g = groups_[i];
      const double* x = in.states.data() + states_ * i + first_wrench;
      double power = 0;
      for (std::size_t m = g.first_marker; m < g.first_marker + g.shapes.markers(); ++m, x += wrench_size) {
        const Spatial wrench{{x[3], x[4], x[5]}, {x[0], x[1], x[2]}};
        out.wrenches[m] += wrench;
        power += dot(wrench.angular, in.markers[m].angular_velocity) + dot(wrench.linear, in.markers[m].velocity);
      }
      out.power += power;
      std::fill_n(out.state_rates.begin() + static_cast<std::ptrdiff_t>(states_ * i), states_, 0.0);
      out.state_rates[states_ * i + lost] = -power;
    }
  }
  void initial_states(std::span<double> x) const noexcept override { std::ranges::fill(x, 0.0); }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == NearRows::interface_name) return static_cast<NearRows*>(this);
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }

  /// What its guard lets move is not so fast that the list of what is near would miss something.
  Status find_near(const EventInput& input, double step) noexcept override {
    const ForceInput& in = *input.attachments;
    try {
      found_.clear();
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        Group& g = groups_[i];
        const double reach = 2 * step * g.shapes.fastest(motions_of(g, in));
        const bool known = g.shapes.each_near_place(motions_of(g, in), [&](const GroupShapes::Place& place,
                                                                           const ContactPoint& point) {
          if (!(point.place < 0) && point.gap <= reach)
            found_.push_back({i, place, {g.shapes.marker_of(place.first), g.shapes.marker_of(place.second)}, point});
        });
        if (!known) return Status::failed;
      }
      return Status::ok;
    } catch (const std::bad_alloc&) {
      found_.clear();
      return Status::failed;
    }
  }
  UnilateralRows& rows() noexcept override { return *this; }
  std::size_t marker_of(std::size_t k, std::size_t side) const noexcept override { return found_[k].markers[side]; }
  std::uint64_t pair_of(std::size_t k) const noexcept override {
    constexpr unsigned half = 26;  // a double holds both
    const GroupShapes::Place& place = found_[k].place;
    return (std::uint64_t{place.first} << half) | place.second;
  }
  std::uint64_t place_of(std::size_t k) const noexcept override { return found_[k].place.index; }

  std::size_t point_count() const noexcept override { return found_.size(); }
  void describe_point(std::size_t k, UnilateralPoint& out) const noexcept override {
    const Group& g = groups_[found_[k].group];
    out.instance = found_[k].group;
    out.name = "contact";
    out.tangents = g.law.friction.static_ > 0 ? 2 : 0;
    out.restitution = g.restitution;
  }

  void evaluate_points(const EventInput& input, UnilateralOutput& out) noexcept override {
    const ForceInput& in = *input.attachments;
    for (Group& g : groups_) g.shapes.put(motions_of(g, in));
    std::span<const ContactPoint> points;
    for (std::size_t k = 0; k < found_.size(); ++k) {
      Found& found = found_[k];
      Group& g = groups_[found.group];
      const bool same = k > 0 && found_[k - 1].group == found.group && found_[k - 1].place.first == found.place.first &&
                        found_[k - 1].place.second == found.place.second;
      if (!same) points = g.shapes.points_between(found.place.first, found.place.second);
      found.point = points[found.place.index];
      out.gap[k] = found.point.gap;
      out.holding[k] = g.law.friction.static_;
      out.sliding[k] = g.law.friction.dynamic;
      const std::array<Vec3, 2> across = tangents(found.point.normal);
      const std::array<Vec3, 3> directions{found.point.normal, across[0], across[1]};
      const Vec3 first = found.point.position - in.markers[g.first_marker + found.markers[0]].position,
                 second = found.point.position - in.markers[g.first_marker + found.markers[1]].position;
      for (std::size_t r = 0; r < (g.law.friction.static_ > 0 ? rows_per_point : 1); ++r) {
        const std::size_t row = rows_per_point * k + r;
        out.A[2 * row] = {cross(first, directions[r]), directions[r]};
        out.A[2 * row + 1] = {-cross(second, directions[r]), -directions[r]};
      }
    }
  }

  void put_forces(const EventInput& input, std::span<const double> forces, std::span<double> x) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      x[states_ * i + normal_force] = 0;
      std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(states_ * i + first_wrench), states_ - first_wrench, 0.0);
    }
    for (std::size_t k = 0; k < found_.size(); ++k) {
      const double* const f = forces.data() + rows_per_point * k;
      if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
      const Found& found = found_[k];
      const std::size_t marker = groups_[found.group].first_marker;
      const std::array<Vec3, 2> across = tangents(found.point.normal);
      const Vec3 force = f[0] * found.point.normal + f[1] * across[0] + f[2] * across[1];
      double* const own = x.data() + states_ * found.group;
      own[normal_force] += f[0];
      for (std::size_t side = 0; side < 2; ++side) {
        const Vec3 arm = found.point.position - in.markers[marker + found.markers[side]].position;
        const Vec3 push = side == 0 ? force : -force, turn = cross(arm, push);
        double* const wrench = own + first_wrench + wrench_size * found.markers[side];
        for (std::size_t s = 0; s < 3; ++s) {
          wrench[s] += push[s];
          wrench[3 + s] += turn[s];
        }
      }
    }
  }
  void put_modes(std::span<const UnilateralMode> modes, std::span<double> x) noexcept override {
    for (std::size_t i = 0; i < groups_.size(); ++i) x[states_ * i + closed] = x[states_ * i + stuck] = 0;
    for (std::size_t k = 0; k < found_.size(); ++k) {
      double* const own = x.data() + states_ * found_[k].group;
      if (modes[k] != UnilateralMode::open) own[closed] += 1;
      if (modes[k] == UnilateralMode::stick) own[stuck] += 1;
    }
  }
  void pass_impact(std::size_t point, double loss, std::span<double> x) noexcept override {
    x[states_ * found_[point].group + impacts] += 1;
    x[states_ * found_[point].group + lost] += loss;
  }

  std::size_t event_count() const noexcept override { return 0; }
  void describe_event(std::size_t, EventDescription&) const noexcept override {}
  /// No body moves farther in a step than its reach, nor past what is near it.
  void evaluate_events(const EventInput& input, EventOutput& out) noexcept override {
    for (Group& g : groups_) {
      const Strided<const MarkerMotion> motions = motions_of(g, *input.attachments);
      out.guard = std::min({out.guard, g.shapes.time_to_move(motions), g.shapes.time_to_pass(motions)});
    }
  }

  void evaluate_outputs(const OutputInput& input, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      double deepest = 0;
      groups_[i].shapes.each_closed(motions_of(groups_[i], *input.attachments), [&](const GroupShapes::Touch& touch) {
        deepest = std::max(deepest, -touch.point.gap);
      });
      values[i] = deepest;
    }
  }

 private:
  static Strided<const MarkerMotion> motions_of(const Group& g, const ForceInput& in) noexcept {
    return in.markers.subspan(g.first_marker, g.shapes.markers());
  }

  std::size_t states_;  ///< of an instance
  std::vector<Group> groups_;
  std::vector<Found> found_;
};

class RigidGroupType final : public ForceType, public HeldStates {
 public:
  explicit RigidGroupType(std::size_t bodies) : bodies_(bodies) {
    states_.assign(states_of_group.begin(), states_of_group.end());
    for (std::size_t b = 0; b < bodies; ++b)
      for (const char* part : parts) names_.push_back(part + std::to_string(b + 1));
    for (std::size_t s = 0; s < names_.size(); ++s)
      states_.push_back({.name = names_[s], .unit = units[s % wrench_size]});
    descriptor_.emplace(TypeDescriptor{.name = "contact-group",
                                       .meaning = "keeps many bodies apart where their shapes touch, with impacts and "
                                                  "friction",
                                       .fields = group_fields,
                                       .states = states_,
                                       .outputs = outputs});
  }
  const TypeDescriptor& descriptor() const noexcept override { return *descriptor_; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    return check_group(instance, number, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<RigidGroups>(instances, bodies_);
  }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == NearRows::interface_name) return this;
    return asked == HeldStates::interface_name ? static_cast<const HeldStates*>(this) : nullptr;
  }
  bool is_held(std::size_t state) const noexcept override { return state != lost; }

 private:
  std::size_t bodies_;
  std::vector<std::string> names_;
  std::vector<Variable> states_;
  std::optional<TypeDescriptor> descriptor_;
};

}  // namespace

const ForceType* rigid_contact_group(std::size_t bodies) noexcept {
  static std::mutex one_at_a_time;
  static std::map<std::size_t, std::unique_ptr<const RigidGroupType>> types;
  try {
    const std::lock_guard lock(one_at_a_time);
    std::unique_ptr<const RigidGroupType>& type = types[bodies];
    if (!type) type = std::make_unique<const RigidGroupType>(bodies);
    return type.get();
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace polyform::contact
