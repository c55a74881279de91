// Contact without penetration: the rows of points that touch, for the host to find their forces.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "carried_points.hpp"
#include "contact_fields.hpp"
#include "contact_types.hpp"
#include "polyform/contract/asked_rows.hpp"
#include "polyform/contract/body_pairs.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/unilateral.hpp"
#include "polyform/contract/unilateral_places.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "tangents.hpp"

namespace polyform::contact {
namespace {

/// The wrench on the first body about its frame's origin, which the host writes, ground axes; the opposite acts on the
/// second body at the same place. Of the points with their own normals, which the wrench does not tell: the sum of the
/// normal forces, and the size of the sum of the friction.
enum State : std::size_t {
  force,
  moment = force + 3,
  normal_force = moment + 3,
  friction_force,
  mode,
  impacts,
  lost,
  state_count
};
constexpr std::array states{Variable{.name = "fx", .unit = "N"},   Variable{.name = "fy", .unit = "N"},
                            Variable{.name = "fz", .unit = "N"},   Variable{.name = "mx", .unit = "N m"},
                            Variable{.name = "my", .unit = "N m"}, Variable{.name = "mz", .unit = "N m"},
                            Variable{.name = "fn", .unit = "N"},   Variable{.name = "ft", .unit = "N"},
                            Variable{.name = "mode", .unit = "1"}, Variable{.name = "impacts", .unit = "1"},
                            Variable{.name = "lost", .unit = "J"}};
enum Output : std::size_t { gap, penetration, slip, place };
constexpr std::array outputs{Variable{.name = "gap", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "penetration", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "slip", .unit = "m/s"},
                             Variable{.name = "px", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "py", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "pz", .unit = "m", .kind = Variable::Kind::length}};
constexpr std::size_t rows_per_point = 3;

struct Contact {
  double restitution, holding, sliding;
  bool poisson;
  std::size_t number;
  std::size_t first_point, points;  ///< among the points of the batch
};

class RigidContacts final : public ForceBatch,
                            public UnilateralRows,
                            public UnilateralPlaces,
                            public AskedRows,
                            public OutputSource {
 public:
  explicit RigidContacts(Strided<const ElementInstance> instances) : found_(instances) {
    for (const ElementInstance& instance : instances) {
      const Strided<const FieldValue> f = instance.fields;
      Contact& c = contacts_.emplace_back();
      c.restitution = f[restitution].number;
      c.sliding = f[dynamic_friction].number;
      c.holding = static_friction_of(instance);
      c.poisson = f[contact::impact].integer == contact::poisson;
      c.number = contacts_.size() - 1;
      c.first_point = found_.first(c.number);
      c.points = found_.points(c.number);
      owners_.insert(owners_.end(), c.points, c.number);
    }
    all_.resize(owners_.size());
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    places_.resize(owners_.size());
    begins_.resize(owners_.size());
    ends_.resize(owners_.size());
    features_.resize(owners_.size());
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const std::span<const double> x = in.states.subspan(state_count * i, state_count);
      const MarkerMotion &first = in.markers[2 * i], &second = in.markers[2 * i + 1];
      const Vec3 pull{x[force], x[force + 1], x[force + 2]}, turn{x[moment], x[moment + 1], x[moment + 2]};
      const Vec3 turn_of_second = turn + cross(first.position - second.position, pull);
      out.wrenches[2 * i] += Spatial{turn, pull};
      out.wrenches[2 * i + 1] -= Spatial{turn_of_second, pull};
      const double power = dot(pull, first.velocity - second.velocity) + dot(turn, first.angular_velocity) -
                           dot(turn_of_second, second.angular_velocity);
      out.power += power;
      for (std::size_t s = 0; s < state_count; ++s) out.state_rates[state_count * i + s] = 0;
      out.state_rates[state_count * i + lost] = -power;
    }
  }
  void initial_states(std::span<double> x) const noexcept override { std::ranges::fill(x, 0.0); }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == UnilateralRows::interface_name) return static_cast<UnilateralRows*>(this);
    if (asked == UnilateralPlaces::interface_name) return static_cast<UnilateralPlaces*>(this);
    if (asked == AskedRows::interface_name) return static_cast<AskedRows*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }

  std::span<const double> places() const noexcept override { return places_; }
  std::span<const double> begins() const noexcept override { return begins_; }
  std::span<const double> ends() const noexcept override { return ends_; }
  std::span<const std::uint32_t> features() const noexcept override { return features_; }
  std::size_t point_count() const noexcept override { return owners_.size(); }
  void describe_point(std::size_t k, UnilateralPoint& out) const noexcept override {
    const Contact& c = contacts_[owners_[k]];
    out.instance = owners_[k];
    out.name = "contact";
    out.tangents = c.holding > 0 ? 2 : 0;
    out.restitution = c.restitution;
    out.poisson = c.poisson;
  }

  void evaluate_points(const EventInput& input, UnilateralOutput& out) noexcept override {
    evaluate_asked(input, all_, out);
  }
  void evaluate_asked(const EventInput& input, std::span<const std::size_t> points,
                      UnilateralOutput& out) noexcept override {
    while (!points.empty()) {
      const Contact& c = contacts_[owners_[points.front()]];
      const auto end = std::ranges::lower_bound(points, c.first_point + c.points);
      evaluate_contact(c, {points.begin(), end}, *input.attachments, out);
      points = {end, points.end()};
    }
  }

  void bound_gaps(const EventInput& input, std::span<double> apart, std::span<double> speeds) noexcept override {
    const ForceInput& in = *input.attachments;
    for (const Contact& c : contacts_) {
      const CarriedPoints::Bound bound = found_.bound(c.number, in.markers[2 * c.number], in.markers[2 * c.number + 1]);
      apart[c.number] = bound.apart;
      speeds[c.number] = bound.speed;
    }
  }

  void put_forces(const EventInput& input, std::span<const double> forces, std::span<double> x) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      const std::span<const double> own = forces.subspan(rows_per_point * c.first_point, rows_per_point * c.points);
      Vec3 pull{}, turn{}, rubbed{};
      double pressed = 0;
      if (std::ranges::any_of(own, [](double f) { return f != 0; })) {
        const MarkerMotion &first = in.markers[2 * i], &second = in.markers[2 * i + 1];
        const std::span<const ContactPoint> points = found_.find(i, first, second);
        for (std::size_t p = 0; p < points.size(); ++p) {
          const std::array<Vec3, 2> across = tangents(points[p].normal);
          const double* const f = own.data() + rows_per_point * p;
          const Vec3 friction = f[1] * across[0] + f[2] * across[1], at_point = f[0] * points[p].normal + friction;
          pressed += f[0];
          rubbed += friction;
          pull += at_point;
          turn += cross(points[p].position - first.position, at_point);
        }
      }
      const std::span<double> own_states = x.subspan(state_count * i, state_count);
      for (std::size_t s = 0; s < 3; ++s) {
        own_states[force + s] = pull[s];
        own_states[moment + s] = turn[s];
      }
      own_states[normal_force] = pressed;
      own_states[friction_force] = norm(rubbed);
    }
  }
  /// A contact of several points sticks if one of them does.
  void put_modes(std::span<const UnilateralMode> modes, std::span<double> x) noexcept override {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      UnilateralMode whole = UnilateralMode::open;
      for (const UnilateralMode m : modes.subspan(contacts_[i].first_point, contacts_[i].points))
        if (m != UnilateralMode::open && whole != UnilateralMode::stick) whole = m;
      x[state_count * i + mode] = static_cast<double>(whole);
    }
  }
  void pass_impact(std::size_t point, double loss, std::span<double> x) noexcept override {
    x[state_count * owners_[point] + impacts] += 1;
    x[state_count * owners_[point] + lost] += loss;
  }

  void evaluate_outputs(const OutputInput& input, std::span<double> values) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const MarkerMotion &first = in.markers[2 * i], &second = in.markers[2 * i + 1];
      const std::span<const ContactPoint> points = found_.find(i, first, second);
      const std::span<const double> x = in.states.subspan(state_count * i, state_count);
      const Vec3 pull{x[force], x[force + 1], x[force + 2]}, turn{x[moment], x[moment + 1], x[moment + 2]};
      const ContactPoint& nearest = nearest_of(points, pull);
      const Vec3 relative = velocity_at(first, nearest.position) - velocity_at(second, nearest.position);
      const double pressed = dot(pull, nearest.normal);
      const std::span<double> out = values.subspan(outputs.size() * i, outputs.size());
      out[gap] = nearest.apart();
      out[penetration] = std::max(0.0, -nearest.apart());
      out[slip] = nearest.apart() < touching ? norm(relative - dot(relative, nearest.normal) * nearest.normal) : 0;
      // On the line of action of the force, the point at the height of the nearest one.
      Vec3 centre = nearest.position;
      if (const double square = dot(pull, pull); points.size() > 1 && square > 0 && pressed > 0) {
        const Vec3 foot = first.position + (1 / square) * cross(pull, turn);
        centre = foot + (dot(nearest.position - foot, nearest.normal) / pressed) * pull;
      }
      for (std::size_t k = 0; k < 3; ++k) out[place + k] = centre[k];
    }
  }

 private:
  /// A gap of less is closed, m.
  static constexpr double touching = 1e-9;

  /// The rate of a row is d · (v₁ − v₂) at the point P, where d is the normal or a tangent and v = V + ω × (P − x). Its
  /// derivative has, apart from accelerations, d · (ω₁ × (Ṗ − V₁) − ω₂ × (Ṗ − V₂)) + ḋ · (v₁ − v₂); for a tangent the
  /// last term is zero while it sticks.
  /// asked: points of the contact, as the batch counts them.
  void evaluate_contact(const Contact& c, std::span<const std::size_t> asked, const ForceInput& in,
                        UnilateralOutput& out) noexcept {
    const MarkerMotion &first = in.markers[2 * c.number], &second = in.markers[2 * c.number + 1];
    const std::span<const ContactPoint> points = found_.find(c.number, first, second);
    found_.look_around(c.number, first, second);
    for (const std::size_t k : asked) {
      const ContactPoint& point = points[k - c.first_point];
      out.gap[k] = point.gap;
      places_[k] = point.place;
      begins_[k] = point.place + point.begin;
      ends_[k] = point.place + point.hold;
      features_[k] = point.feature;
      out.holding[k] = c.holding;
      out.sliding[k] = c.sliding;
      const Vec3 relative = velocity_at(first, point.position) - velocity_at(second, point.position);
      const std::array<Vec3, 2> across = tangents(point.normal);
      const std::array<Vec3, 3> directions{point.normal, across[0], across[1]};
      const bool is_near = found_.is_near(c.number, point);
      CarriedPoints::Course course;
      if (is_near) course = found_.course(c.number, k - c.first_point, first);
      const Vec3 carried = cross(first.angular_velocity, course.velocity - first.velocity) -
                           cross(second.angular_velocity, course.velocity - second.velocity);
      for (std::size_t r = 0; r < (c.holding > 0 ? rows_per_point : 1); ++r) {
        const Vec3& d = directions[r];
        const std::size_t row = rows_per_point * k + r;
        out.A[2 * row] = {cross(point.position - first.position, d), d};
        out.A[2 * row + 1] = {-cross(point.position - second.position, d), -d};
        if (is_near) out.bias[row] = dot(d, carried) + (r == 0 ? dot(course.turn, relative) : 0);
      }
    }
  }
  /// The point with the least gap; of those that touch, the one along whose normal the force acts most.
  static const ContactPoint& nearest_of(std::span<const ContactPoint> points, const Vec3& pull) noexcept {
    const ContactPoint* best = &*std::ranges::min_element(points, {}, &ContactPoint::apart);
    for (const ContactPoint& point : points)
      if (point.apart() < touching && dot(pull, point.normal) > dot(pull, best->normal)) best = &point;
    return *best;
  }

  std::vector<Contact> contacts_;
  CarriedPoints found_;
  std::vector<std::size_t> all_, owners_;       ///< points, and theirs
  std::vector<double> places_, begins_, ends_;  ///< of the points, as they were evaluated last
  std::vector<std::uint32_t> features_;
};

class RigidContactType final : public ForceType, public BodyPairs, public HeldStates {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "contact",
        .meaning = "keeps two bodies apart where their shapes touch, with impacts and friction",
        .fields = contact_fields,
        .states = states,
        .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == HeldStates::interface_name) return static_cast<const HeldStates*>(this);
    if (asked == UnilateralRows::interface_name) return this;
    return asked == BodyPairs::interface_name ? static_cast<const BodyPairs*>(this) : nullptr;
  }
  std::string_view first_field() const noexcept override { return contact_fields[a].name; }
  std::string_view second_field() const noexcept override { return contact_fields[b].name; }
  bool is_held(std::size_t state) const noexcept override { return state != lost; }

  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (!check_contact(instance, number, sink)) return false;
    for (const std::size_t field : {stiffness, exponent, transition, bristles, rolling}) {
      if (!instance.fields[field].given) continue;
      sink.report(Severity::error, number, field,
                  Message("'{}' is of the law hunt-crossley; rigid bodies have none", contact_fields[field].name),
                  "Leave it out, or give 'law: hunt-crossley'.");
      return false;
    }
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<RigidContacts>(instances);
  }
};

}  // namespace

const ForceType& rigid_contact() noexcept {
  static constexpr RigidContactType type;
  return type;
}

}  // namespace polyform::contact
