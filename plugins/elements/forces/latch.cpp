#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "force_types.hpp"
#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::forces {
namespace {

enum Field : std::size_t { joint, place, stiffness, damping, strength };
constexpr std::array specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint that is caught; it has one coordinate",
              .required = true},
    FieldSpec{.name = "place",
              .type = FieldType::number,
              .unit = "m or rad",
              .meaning = "coordinate at which the latch catches; a joint that starts there is caught",
              .default_text = "0"},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m or N m/rad",
              .meaning = "of the latch while it holds the joint",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m or N m s/rad",
              .meaning = "of the latch while it holds the joint",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "strength",
              .type = FieldType::number,
              .unit = "N or N m",
              .meaning = "effort of the stiffness at which the latch lets go",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true}};

constexpr std::array outputs{Variable{.name = "effort", .unit = "N or N m"}};

enum Latch : std::int32_t { open, caught };
constexpr std::array<std::string_view, 2> words{"open", "caught"};
constexpr std::array discrete{
    DiscreteVariable{.name = "latch", .meaning = "whether the latch holds the joint", .values = words}};

/// The effort is −k (q − place) − c v while the latch is caught, and zero while it is open. Two event functions per
/// instance:
///
///   catch     q − place                 while open: it catches where this changes its sign
///   release   strength − k |q − place|  while caught: it lets go where this falls to zero
///
/// Each is constant while it does not count. A joint that starts at `place` is caught from the start: it need not pass.
class Latches final : public ForceBatch,
                      public EventSource,
                      public DiscreteElement,
                      public DiscreteAtStart,
                      public OutputSource {
 public:
  explicit Latches(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      latches_.push_back(
          {i.fields[place].number, i.fields[stiffness].number, i.fields[damping].number, i.fields[strength].number});
  }

  /// When the latch lets go, the energy of its spring is lost, so it is no potential energy.
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < latches_.size(); ++i) {
      out.efforts[i] = effort_of(i, in);
      out.power += out.efforts[i] * in.v[i];
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < latches_.size(); ++i) values[i] = effort_of(i, *in.attachments);
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    if (asked == DiscreteAtStart::interface_name) return static_cast<DiscreteAtStart*>(this);
    return asked == DiscreteElement::interface_name ? static_cast<DiscreteElement*>(this) : nullptr;
  }

  std::size_t event_count() const noexcept override { return 2 * latches_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k / 2;
    out.name = k % 2 == 0 ? "catch" : "release";
    out.crossing = k % 2 == 0 ? Crossing::any : Crossing::falling;
  }
  void evaluate_events(const EventInput& input, EventOutput& out) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < latches_.size(); ++i) {
      const bool holds = in.discrete[i] == caught;
      const double from_place = in.q[i] - latches_[i].place, k = latches_[i].stiffness;
      out.values[2 * i] = holds ? 1 : from_place;
      out.rates[2 * i] = holds ? 0 : in.v[i];
      out.values[2 * i + 1] = holds ? latches_[i].strength - k * std::abs(from_place) : latches_[i].strength;
      out.rates[2 * i + 1] = holds ? -k * std::copysign(in.v[i], from_place * in.v[i]) : 0;
    }
  }

  /// The latch is open, which is the value at first.
  void initial_values(std::span<std::int32_t>) const noexcept override {}
  void values_at_start(const ForceInput& start, std::span<std::int32_t> values) noexcept override {
    for (std::size_t i = 0; i < latches_.size(); ++i)
      if (is_at_place(latches_[i], start.q[i])) values[i] = caught;
  }
  void pass_event(std::size_t k, bool, const EventInput&, std::span<std::int32_t> values) noexcept override {
    values[k / 2] = k % 2 == 0 ? caught : open;
  }

 private:
  struct Spring {
    double place, stiffness, damping, strength;
  };
  /// True up to the rounding of a coordinate that assembly has found: small compared with the coordinate, or with the
  /// deflection at which the latch lets go.
  static bool is_at_place(const Spring& s, double q) noexcept {
    constexpr double of_coordinate = 1e-12, of_deflection = 1e-9;
    return std::abs(q - s.place) <=
           of_coordinate * std::max(std::abs(q), std::abs(s.place)) + of_deflection * s.strength / s.stiffness;
  }
  double effort_of(std::size_t i, const ForceInput& in) const noexcept {
    const Spring& s = latches_[i];
    return in.discrete[i] == caught ? -s.stiffness * (in.q[i] - s.place) - s.damping * in.v[i] : 0;
  }
  std::vector<Spring> latches_;
};

class LatchType final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "latch",
        .meaning = "catches a joint at a place, as a spring, and lets it go under too large an effort",
        .fields = specs,
        .outputs = outputs,
        .discrete = discrete};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.joints[0].nq == 1 && instance.joints[0].nv == 1) return true;
    sink.report(Severity::error, number, joint, "the joint has not one coordinate, and a latch catches one",
                "Name a revolute or prismatic joint.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Latches>(instances);
  }
};

}  // namespace

const ForceType& latch() noexcept {
  static constexpr LatchType type;
  return type;
}

}  // namespace polyform::forces
