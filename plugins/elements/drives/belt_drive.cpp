// A belt that stretches and slips between two pulleys: Eytelwein's limit of what its pretension can carry.
#include <array>
#include <cmath>
#include <vector>

#include "drive_types.hpp"
#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/state_jumps.hpp"
#include "polyform/contract/value_ranges.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::drives {
namespace {

enum Field : std::size_t { driving, driven, radius, driven_radius, stiffness, pretension, friction, wrap, creep };
constexpr std::array specs{
    FieldSpec{.name = "driving",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint that turns the one pulley",
              .required = true},
    FieldSpec{.name = "driven",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint that turns the other pulley, in the same sense and based on the same body",
              .required = true},
    FieldSpec{.name = "radius",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the driving pulley, to the middle of the belt",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "driven_radius",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the driven pulley, to the middle of the belt",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m",
              .meaning = "circumferential force per stretch of the two strands",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "pretension",
              .type = FieldType::number,
              .unit = "N",
              .meaning = "of each strand without load",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "friction",
              .type = FieldType::number,
              .unit = "1",
              .meaning = "coefficient between belt and pulley; of a V-belt that of the wedge",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 0.4},
    FieldSpec{.name = "wrap",
              .type = FieldType::number,
              .unit = "rad",
              .meaning = "angle of the belt around the pulley that slips first",
              .default_text = "3.141592653589793",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "creep",
              .type = FieldType::number,
              .unit = "1/N",
              .meaning = "share of the belt's speed that is lost per circumferential force: 1/(E A) "
                         "of the belt",
              .default_text = "0",
              .minimum = 0,
              .typical = 1e-5}};

enum Mode : std::int32_t { grip, forward, backward };
constexpr std::array<std::string_view, 3> words{"grips", "slips forward", "slips backward"};
constexpr std::array discrete{
    DiscreteVariable{.name = "mode", .meaning = "whether the belt slips on its pulley", .values = words}};
constexpr std::array states{Variable{.name = "stretch", .unit = "m", .kind = Variable::Kind::length}};
constexpr std::array outputs{Variable{.name = "force", .unit = "N"}, Variable{.name = "tight", .unit = "N"},
                             Variable{.name = "slack", .unit = "N"}, Variable{.name = "slip", .unit = "m/s"}};

/// With the stretch s, w = r₁ ω₁ − r₂ ω₂ and the limit F₀ = 2 T₀ (e^{μα} − 1)/(e^{μα} + 1), at which the strands have
/// the tensions T₀ ± F₀/2, whose ratio is e^{μα}:
///
///   grips   F = k s, ṡ = w − c F |r₁ ω₁|        until |F| reaches F₀
///   slips   F = ± F₀, ṡ = 0                     until the stretch would fall
///
/// The joints feel −r₁ F and r₂ F. Three event functions an instance, each constant while it is not asked for:
///
///   slip    F₀ − |F|                    while it grips
///   grip    ± (w − c F |r₁ ω₁|)         while it slips
///   turn    ω₁, where the creep bends
class BeltDrives final : public ForceBatch,
                         public EventSource,
                         public DiscreteElement,
                         public StateJumps,
                         public OutputSource {
 public:
  explicit BeltDrives(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const double ratio = i.fields[friction].number * i.fields[wrap].number;
      belts_.push_back({i.fields[radius].number, i.fields[driven_radius].number, i.fields[stiffness].number,
                        i.fields[pretension].number, 2 * i.fields[pretension].number * std::tanh(0.5 * ratio),
                        i.fields[creep].number});
    }
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < belts_.size(); ++i) {
      const Belt& b = belts_[i];
      const Load load = load_of(i, in);
      const double rate = in.discrete[i] == grip ? load.stretching : 0;
      out.efforts[2 * i] = -b.radius * load.force;
      out.efforts[2 * i + 1] = b.driven_radius * load.force;
      out.state_rates[i] = rate;
      out.potential_energy += 0.5 * b.stiffness * in.states[i] * in.states[i];
      out.power += b.stiffness * in.states[i] * rate - load.force * load.slip;
    }
  }
  void initial_states(std::span<double> x) const noexcept override {
    for (std::size_t i = 0; i < belts_.size(); ++i) x[i] = 0;
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < belts_.size(); ++i) {
      const Load load = load_of(i, *in.attachments);
      values[4 * i] = load.force;
      values[4 * i + 1] = belts_[i].pretension + 0.5 * load.force;
      values[4 * i + 2] = belts_[i].pretension - 0.5 * load.force;
      values[4 * i + 3] = load.slip;
    }
  }
  std::size_t event_count() const noexcept override { return 3 * belts_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    constexpr std::array<std::string_view, 3> names{"slip", "grip", "turn"};
    out.instance = k / 3;
    out.name = names[k % 3];
    out.crossing = k % 3 == 2 ? Crossing::any : Crossing::falling;
  }
  void evaluate_events(const EventInput& input, EventOutput& out) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < belts_.size(); ++i) {
      const Belt& b = belts_[i];
      const Load load = load_of(i, in);
      const bool grips = in.discrete[i] == grip;
      out.values[3 * i] = grips ? b.limit - std::abs(load.force) : b.limit;
      out.rates[3 * i] = grips ? -b.stiffness * std::copysign(1.0, load.force) * load.stretching : 0;
      out.values[3 * i + 1] = grips ? 1 : in.discrete[i] == forward ? load.stretching : -load.stretching;
      if (grips) out.rates[3 * i + 1] = 0;
      out.values[3 * i + 2] = b.creep > 0 ? in.v[2 * i] : 1;
      if (!(b.creep > 0)) out.rates[3 * i + 2] = 0;
    }
  }
  void initial_values(std::span<std::int32_t>) const noexcept override {}
  void pass_event(std::size_t k, bool, const EventInput& input, std::span<std::int32_t> values) noexcept override {
    const std::size_t i = k / 3;
    if (k % 3 == 0) values[i] = input.attachments->states[i] > 0 ? forward : backward;
    if (k % 3 == 1) values[i] = grip;
  }
  /// When the belt begins to slip, its stretch is just below the limit, so that the belt grips again within it.
  void jump_states(std::size_t k, bool, const EventInput&, std::span<double> stretch) noexcept override {
    constexpr double within = 1 - 1e-9;
    if (k % 3 == 0)
      stretch[k / 3] = std::copysign(within * belts_[k / 3].limit / belts_[k / 3].stiffness, stretch[k / 3]);
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    if (asked == StateJumps::interface_name) return static_cast<StateJumps*>(this);
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == DiscreteElement::interface_name ? static_cast<DiscreteElement*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Belt {
    double radius, driven_radius, stiffness, pretension, limit, creep;
  };
  struct Load {
    double force, slip, stretching;  ///< N; w, m/s; ṡ while it grips, m/s
  };
  Load load_of(std::size_t i, const ForceInput& in) const noexcept {
    const Belt& b = belts_[i];
    const std::int32_t mode = in.discrete.empty() ? grip : in.discrete[i];
    const double force = mode == grip ? b.stiffness * in.states[i] : mode == forward ? b.limit : -b.limit;
    const double speed = b.radius * in.v[2 * i], slip = speed - b.driven_radius * in.v[2 * i + 1];
    return {force, slip, slip - b.creep * force * std::abs(speed)};
  }
  std::vector<Belt> belts_;
};

class BeltDrive final : public ForceType, public ValueRanges {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "belt-drive",
        .meaning = "a belt between two pulleys that stretches, creeps, and slips beyond its limit",
        .fields = specs,
        .states = states,
        .outputs = outputs,
        .discrete = discrete};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == ValueRanges::interface_name ? static_cast<const ValueRanges*>(this) : nullptr;
  }
  void describe(ValueRanges::Kind, std::size_t, Strided<const FieldValue> fields,
                ValueRange& out) const noexcept override {
    out.typical = 0.1 * fields[pretension].number / fields[stiffness].number;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    for (const Field field : {driving, driven}) {
      const JointShape& shape = i.joints[field == driving ? 0 : 1];
      if (shape.nq == 1 && shape.nv == 1) continue;
      sink.report(Severity::error, number, field, "a pulley is turned by a joint of one coordinate",
                  "Name a revolute joint.");
      return false;
    }
    if (i.fields[driving].joint == i.fields[driven].joint) {
      sink.report(Severity::error, number, driven, "both pulleys are turned by the same joint", "Name another joint.");
      return false;
    }
    if (i.joints[0].base == i.joints[1].base) return true;
    sink.report(Severity::error, number, driven,
                "the joint is based on another body than `driving`, so their angles do not count from one housing",
                "Name joints that are based on the same body.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<BeltDrives>(instances);
  }
};

}  // namespace

const ForceType& belt_drive() noexcept {
  static constexpr BeltDrive type;
  return type;
}

}  // namespace polyform::drives
