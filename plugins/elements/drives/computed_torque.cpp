// Motors in the joints of an open chain that give the joints the wanted accelerations: computed torque.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "drive_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/type_variants.hpp"
#include "polyform/helpers/counted_outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::drives {
namespace {

enum Field : std::size_t { joints, links, acceleration };
constexpr std::array specs{
    FieldSpec{.name = "joints",
              .type = FieldType::joints,
              .unit = "",
              .meaning = "the joints of an open chain, from ground to its end, each with one angle or displacement",
              .required = true},
    FieldSpec{.name = "links",
              .type = FieldType::markers,
              .unit = "",
              .meaning = "for each joint the body that it moves, with a point of it that lies on the joint's axis",
              .required = true},
    FieldSpec{.name = "acceleration",
              .type = FieldType::time_functions,
              .unit = "rad/s^2 or m/s^2",
              .meaning = "of each joint's coordinate, that the motors are told to give: functions of time, formulas of "
                         "the state, signals",
              .required = true}};
constexpr Variable effort_output{.name = "effort", .unit = "N m or N"};
constexpr std::array other_outputs{Variable{.name = "power", .unit = "W"},
                                   Variable{.name = "missed", .unit = "rad/s^2 or m/s^2"}};

/// Why a chain of this thread failed last.
struct Failed {
  std::optional<Message> why;
  double time = 0;
};
thread_local Failed failed;

/// A link of a chain: the motion of its body with the present joint rates and the wanted accelerations, and the loads
/// that this takes. Ground axes; P is the point on the joint's axis.
struct Link {
  bool turns = true;
  Vec3 drawn_axis, to_center;  ///< in the axes of the body before; from P to the centre of mass, body axes
  double mass = 0;
  Sym3 inertia;  ///< about the centre of mass, body axes
  Vec3 axis{}, point{}, velocity{}, spin{}, angular{},
      linear{};  ///< point, velocity: of P; spin: ω; angular: ω̇; linear: acceleration of P, less gravity
  Vec3 center{}, force{}, moment{};  ///< force and moment about the centre that the link's motion needs
};

/// The recursive Newton-Euler method (J. Y. S. Luh, M. W. Walker and R. P. C. Paul, On-line computational scheme for
/// mechanical manipulators, 1980), in ground axes: outwards
///
///   turns    ω̇ = ω̇₋ + e q̈ + ω₋ × e q̇        a_P = a of the body before at P
///   slides   ω̇ = ω̇₋                          a_P = a of the body before at P + e q̈ + 2 ω₋ × e q̇
///
/// from a = −g of ground on; inwards the sums of forces and of moments about P, whose parts along e are the efforts.
class ComputedTorques final : public ForceBatch, public OutputSource {
 public:
  explicit ComputedTorques(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      chains_.push_back({links_.size(), i.joints.size(), i.gravity});
      for (std::size_t k = 0; k < i.joints.size(); ++k) {
        const Primitive& motion = i.joints[k].primitives[0];
        const BodyInertia& body = i.inertias[k];
        links_.push_back({.turns = motion.kind == Primitive::Kind::rotation,
                          .drawn_axis = motion.axis,
                          .to_center = body.center_of_mass - i.fields[links].points[k],
                          .mass = body.mass,
                          .inertia = body.inertia});
        told_.push_back(i.fields[acceleration].functions[k]);
      }
    }
    efforts_.resize(links_.size());
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    find_efforts(in);
    for (std::size_t k = 0; k < efforts_.size(); ++k) {
      out.efforts[k] = efforts_[k];
      out.power += efforts_[k] * in.v[k];
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    find_efforts(*in.attachments);
    double* own = values.data();
    for (const Chain& chain : chains_) {
      double power = 0, missed = 0;
      for (std::size_t k = chain.first; k < chain.first + chain.count; ++k) {
        *own++ = efforts_[k];
        power += efforts_[k] * in.attachments->v[k];
        const double wanted = told_[k](in.attachments->time).value;
        missed = std::max(missed, std::abs(in.joint_accelerations[k] - wanted));
      }
      *own++ = power;
      *own++ = missed;
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Chain {
    std::size_t first, count;
    Vec3 gravity;
  };
  void find_efforts(const ForceInput& in) noexcept {
    for (const Chain& chain : chains_) {
      bool fits = true;
      for (std::size_t k = 0; k < chain.count && fits; ++k) {
        go_outwards(chain, chain.first + k, in);
        fits = moves_by_joint(chain, chain.first + k, in);
      }
      if (!fits) {
        std::fill_n(efforts_.begin() + static_cast<std::ptrdiff_t>(chain.first), chain.count,
                    std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      Vec3 force, moment, at;  // of all links from this one on, about P of the one before
      for (std::size_t k = chain.first + chain.count; k-- > chain.first;) {
        const Link& link = links_[k];
        if (k + 1 < chain.first + chain.count) moment = moment + cross(at - link.point, force);
        moment = moment + link.moment + cross(link.center - link.point, link.force);
        force = force + link.force;
        at = link.point;
        efforts_[k] = dot(link.axis, link.turns ? moment : force);
      }
    }
  }
  void go_outwards(const Chain& chain, std::size_t k, const ForceInput& in) noexcept {
    Link& link = links_[k];
    const MarkerMotion& marker = in.markers[k];
    const bool is_first = k == chain.first;
    const double rate = in.v[k], wanted = told_[k](in.time).value;
    link.point = marker.position;
    link.velocity = marker.velocity;
    link.spin = marker.angular_velocity;
    if (is_first) {
      link.axis = link.drawn_axis;
      link.angular = Vec3{};
      link.linear = Vec3{} - chain.gravity;
    } else {
      const Link& before = links_[k - 1];
      const Vec3 away = link.point - before.point;
      link.axis = in.markers[k - 1].R * link.drawn_axis;
      link.angular = before.angular;
      link.linear = before.linear + cross(before.angular, away) + cross(before.spin, cross(before.spin, away));
    }
    const Vec3 spin_before = is_first ? Vec3{} : links_[k - 1].spin;
    const Vec3 turning = cross(spin_before, link.axis) * rate + link.axis * wanted;
    if (link.turns)
      link.angular = link.angular + turning;
    else
      link.linear = link.linear + turning + cross(spin_before, link.axis) * rate;
    const Vec3 arm = marker.R * link.to_center;
    link.center = link.point + arm;
    link.force = (link.linear + cross(link.angular, arm) + cross(link.spin, cross(link.spin, arm))) * link.mass;
    const Vec3 spin = transpose_times(marker.R, link.spin), angular = transpose_times(marker.R, link.angular);
    link.moment = marker.R * (link.inertia * angular + cross(spin, link.inertia * spin));
  }

  /// Whether the link moves against the one before it by its joint alone: else it is another body, or the point does
  /// not lie on the axis. Trial states of an integrator may be off by more than rounding.
  bool moves_by_joint(const Chain& chain, std::size_t k, const ForceInput& in) const noexcept {
    constexpr double share = 0.02, slow = 1e-3;  // rad/s and m/s
    const Link& link = links_[k];
    const bool is_first = k == chain.first;
    const Vec3 spin_before = is_first ? Vec3{} : links_[k - 1].spin;
    const Vec3 before =
        is_first ? Vec3{} : links_[k - 1].velocity + cross(spin_before, link.point - links_[k - 1].point);
    const Vec3 by_joint = link.axis * in.v[k], none{};
    const Vec3 turn = link.spin - spin_before, way = link.velocity - before;
    const double turned = norm(turn - (link.turns ? by_joint : none));
    const double moved = norm(way - (link.turns ? none : by_joint));
    const double rate = std::abs(in.v[k]);
    const bool turns_so = turned <= share * (norm(link.spin) + norm(spin_before) + rate) + slow;
    const bool moves_so = moved <= share * (norm(link.velocity) + norm(before) + (link.turns ? 0 : rate)) + slow;
    if (turns_so && moves_so) return true;
    const std::size_t number = k - chain.first + 1;
    failed.time = in.time;
    if (turns_so)
      failed.why = Message(
          "the point of link {} of a computed-torque moves by {:.3g} m/s against link {} off the axis "
          "of joint {}: give the body that the joint moves, with a point on the joint's axis",
          number, moved, number - 1, number);
    else
      failed.why = Message(
          "link {} of a computed-torque turns by {:.3g} rad/s otherwise than joint {} moves it against "
          "link {} (0 is ground): name for each joint the body that it moves, in one open chain from "
          "ground on",
          number, turned, number, number - 1);
    return false;
  }

  std::vector<Chain> chains_;
  std::vector<Link> links_;
  std::vector<TimeFunction> told_;
  std::vector<double> efforts_;
};

/// A type for each number of joints: the effort of each is an output.
class ComputedTorque final : public ForceType, public TypeVariants, public FailureReasons {
 public:
  explicit ComputedTorque(std::size_t count) : outputs_(effort_output, count, other_outputs) {
    descriptor_.name = "computed-torque";
    descriptor_.meaning =
        "motors of an open chain with the efforts that give its joints the accelerations that they are told";
    descriptor_.fields = specs;
    descriptor_.outputs = outputs_.all();
  }
  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == FailureReasons::interface_name) return static_cast<const FailureReasons*>(this);
    return asked == TypeVariants::interface_name ? static_cast<const TypeVariants*>(this) : nullptr;
  }
  void forget_failure() const noexcept override { failed.why.reset(); }
  std::string_view last_failure(double since) const noexcept override {
    return failed.why && failed.time >= since ? std::string_view(*failed.why) : std::string_view();
  }
  const ForceType* variant(Strided<const FieldValue> fields) const noexcept override {
    return &of_count(fields[joints].joints.size());
  }
  static const ComputedTorque& of_count(std::size_t count) {
    static TypesByCount<ComputedTorque> types;
    return types.of(std::max<std::size_t>(count, 1));
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    const auto refuse = [&](Field field, std::string_view what, std::string_view remedy) {
      sink.report(Severity::error, number, field, what, remedy);
      return false;
    };
    const std::size_t count = instance.joints.size();
    if (count == 0) return refuse(joints, "the chain has no joint", "Name one at least.");
    for (std::size_t k = 0; k < count; ++k)
      if (instance.joints[k].primitives.size() != 1 || instance.joints[k].nv != 1)
        return refuse(joints, Message("joint {} of the list has no single angle or displacement", k + 1),
                      "A motor drives a revolute or a prismatic joint.");
    const auto& named = instance.fields[joints].joints;
    for (std::size_t k = 0; k < count; ++k)
      if (const auto first = std::ranges::find(named, named[k]) - named.begin();
          first != static_cast<std::ptrdiff_t>(k))
        return refuse(joints, Message("joints {} and {} of the list are the same", first + 1, k + 1),
                      "Name each joint once, from ground to the end of the chain.");
    if (instance.markers.size() != count)
      return refuse(links,
                    Message("{} link{} for {} joint{}", instance.markers.size(), plural(instance.markers.size()), count,
                            plural(count)),
                    "Give for each joint the body that it moves, in the order of the joints.");
    for (std::size_t k = 0; k < count; ++k)
      if (is_ground(instance.fields[links].bodies[k]))
        return refuse(links, Message("link {} is ground", k + 1), "Name the body that the joint moves.");
    const std::size_t told = instance.fields[acceleration].functions.size();
    if (told != count)
      return refuse(acceleration, Message("{} acceleration{} for {} joint{}", told, plural(told), count, plural(count)),
                    "Give one for each joint, in the order of the joints.");
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<ComputedTorques>(instances);
  }

 private:
  CountedOutputs outputs_;
  TypeDescriptor descriptor_;
};

}  // namespace

const ForceType& computed_torque() noexcept { return ComputedTorque::of_count(1); }

}  // namespace polyform::drives
