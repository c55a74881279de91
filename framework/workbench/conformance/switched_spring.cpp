#include "framework/workbench/conformance/switched_spring.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::host::inline conformance {

namespace {

enum Field : std::size_t { a, b, stiffness, at };
constexpr std::array specs{
    FieldSpec{.name = "a", .type = FieldType::marker, .unit = "", .meaning = "one end", .required = true},
    FieldSpec{.name = "b", .type = FieldType::marker, .unit = "", .meaning = "the other end", .required = true},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m",
              .meaning = "of the hard stage; that of the soft one is a tenth of it",
              .required = true,
              .minimum = 0.1},
    FieldSpec{.name = "at",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "distance of the switch",
              .required = true,
              .minimum = 0.1}};

enum Stage : std::int32_t { soft, hard };

class Batch final : public ForceBatch, public EventSource, public DiscreteElement {
 public:
  explicit Batch(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) springs_.push_back({i.fields[stiffness].number, i.fields[at].number});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const MarkerMotion &from = in.markers[2 * i], &to = in.markers[2 * i + 1];
      const Vec3 pull = (in.discrete[i] == hard ? 1 : 0.1) * springs_[i].stiffness * (to.position - from.position);
      out.wrenches[2 * i].linear = pull;
      out.wrenches[2 * i + 1].linear = -pull;
      out.power -= dot(pull, to.velocity - from.velocity);
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    return asked == DiscreteElement::interface_name ? static_cast<DiscreteElement*>(this) : nullptr;
  }
  std::size_t event_count() const noexcept override { return springs_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override { out.instance = k; }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    const Strided<const MarkerMotion> markers = in.attachments->markers;
    for (std::size_t i = 0; i < springs_.size(); ++i)
      out.values[i] = norm(markers[2 * i + 1].position - markers[2 * i].position) - springs_[i].at;
  }
  void initial_values(std::span<std::int32_t> values) const noexcept override { std::ranges::fill(values, hard); }
  void pass_event(std::size_t k, bool rising, const EventInput&, std::span<std::int32_t> values) noexcept override {
    values[k] = rising ? hard : soft;
  }

 private:
  struct Spring {
    double stiffness, at;
  };
  std::vector<Spring> springs_;
};

constexpr std::array<std::string_view, 2> stages{"soft", "hard"};
constexpr std::array discrete{
    DiscreteVariable{.name = "stage", .meaning = "which of the two stiffnesses counts", .values = stages}};

class SwitchedSpring final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "switched-spring", .meaning = "a spring of two stages", .fields = specs, .discrete = discrete};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Batch>(instances);
  }
};

}  // namespace

const ForceType& switched_spring() noexcept {
  static constexpr SwitchedSpring type;
  return type;
}

}  // namespace polyform::host::conformance
