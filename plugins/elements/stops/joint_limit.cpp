// The ends of a joint's way: hard, or as springs.
#include <array>
#include <cmath>
#include <limits>

#include "joint_rows.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/type_variants.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/plain_picture.hpp"
#include "stop_types.hpp"

namespace polyform::stops {
namespace {

enum Field : std::size_t { joint, lower, upper, law, restitution, impact, stiffness, damping };
enum Law : std::int64_t { hard, compliant };
constexpr std::array<std::string_view, 2> laws{"hard", "compliant"};
constexpr std::array<std::string_view, 2> impact_laws{"newton", "poisson"};
constexpr std::array specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "whose way ends; it has one coordinate",
              .required = true},
    FieldSpec{.name = "lower",
              .type = FieldType::number,
              .unit = "m or rad",
              .meaning = "least coordinate; none where it is absent"},
    FieldSpec{.name = "upper",
              .type = FieldType::number,
              .unit = "m or rad",
              .meaning = "greatest coordinate; none where it is absent"},
    FieldSpec{.name = "law",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "hard: no way beyond, with impacts; compliant: springs with damping",
              .default_text = "hard",
              .choices = laws},
    FieldSpec{.name = "restitution",
              .type = FieldType::number,
              .unit = "",
              .meaning = "of hard limits: speed after an impact over the speed before",
              .default_text = "0",
              .minimum = 0,
              .maximum = 1},
    FieldSpec{.name = "impact",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "what the restitution of hard limits is: newton, speeds; poisson, impulses",
              .default_text = "newton",
              .choices = impact_laws},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m or N m/rad",
              .meaning = "of compliant limits, which need it",
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1e5},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m or N m s/rad",
              .meaning = "of compliant limits",
              .default_text = "0",
              .minimum = 0}};

bool check_limits(const ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  const Strided<const FieldValue> f = instance.fields;
  if (!check_joint(instance, number, joint, "joint-limit", sink)) return false;
  if (!f[lower].given && !f[upper].given) {
    sink.report(Severity::error, number, joint, "the limit has neither a lower nor an upper end", "Give one or both.");
    return false;
  }
  if (f[lower].given && f[upper].given && !(f[lower].number < f[upper].number)) {
    sink.report(Severity::error, number, upper,
                Message("the upper end, {:g}, is not above the lower one, {:g}", f[upper].number, f[lower].number),
                "Give a way between them.");
    return false;
  }
  return true;
}

/// Refuses fields of the other law.
bool check_absent(const ElementInstance& instance, std::size_t number, std::span<const std::size_t> fields,
                  std::string_view other, FieldSink& sink) noexcept {
  for (const std::size_t field : fields) {
    if (!instance.fields[field].given) continue;
    sink.report(Severity::error, number, field,
                Message("'{}' is of {} limits", std::string_view(specs[field].name), other),
                Message("Leave it out, or give 'law: {}'.", other));
    return false;
  }
  return true;
}

constexpr std::array compliant_outputs{Variable{.name = "effort", .unit = "N or N m"}};

/// A spring with damping beyond either end, which never pulls.
class CompliantLimits final : public ForceBatch, public EventSource, public OutputSource {
 public:
  explicit CompliantLimits(Strided<const ElementInstance> instances) {
    for (const ElementInstance& instance : instances) {
      const Strided<const FieldValue> f = instance.fields;
      constexpr double far = std::numeric_limits<double>::infinity();
      ends_.push_back({f[lower].given ? f[lower].number : -far, f[upper].given ? f[upper].number : far,
                       f[stiffness].number, f[damping].number});
    }
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < ends_.size(); ++i)
      for (const double sign : {1.0, -1.0}) {
        const Ends& e = ends_[i];
        const double depth = sign * ((sign > 0 ? e.lower : e.upper) - in.q[i]), rate = -sign * in.v[i];
        if (!(depth > 0)) continue;
        const double push = push_of(e, depth, rate);
        out.efforts[i] += sign * push;
        out.potential_energy += 0.5 * e.stiffness * depth * depth;
        out.power += (e.stiffness * depth - push) * rate;
      }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    const ForceInput& at = *in.attachments;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const Ends& e = ends_[i];
      const double below = e.lower - at.q[i], above = at.q[i] - e.upper;
      values[i] = below > 0 ? push_of(e, below, -at.v[i]) : above > 0 ? -push_of(e, above, at.v[i]) : 0;
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }
  std::size_t event_count() const noexcept override { return 2 * ends_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k / 2;
    out.name = k % 2 == 0 ? "lower limit" : "upper limit";
  }
  void evaluate_events(const EventInput& input, EventOutput& out) noexcept override {
    const ForceInput& in = *input.attachments;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const bool below = std::isfinite(ends_[i].lower), above = std::isfinite(ends_[i].upper);
      out.values[2 * i] = below ? in.q[i] - ends_[i].lower : 1;
      out.rates[2 * i] = below ? in.v[i] : 0;
      out.values[2 * i + 1] = above ? ends_[i].upper - in.q[i] : 1;
      out.rates[2 * i + 1] = above ? -in.v[i] : 0;
    }
  }

 private:
  struct Ends {
    double lower, upper, stiffness, damping;
  };
  static double push_of(const Ends& e, double depth, double rate) noexcept {
    return std::max(0.0, e.stiffness * depth + e.damping * rate);
  }
  std::vector<Ends> ends_;
};

class CompliantLimit final : public ForceType, public PlainPicture<Picture::Kind::stop> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "joint-limit",
                                               .meaning = "ends of a joint's way, as springs",
                                               .fields = specs,
                                               .outputs = compliant_outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == Picture::interface_name ? static_cast<const Picture*>(this) : nullptr;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    constexpr std::array<std::size_t, 2> of_hard{restitution, impact};
    if (!check_limits(instance, number, sink) || !check_absent(instance, number, of_hard, "hard", sink)) return false;
    if (instance.fields[stiffness].given) return true;
    sink.report(Severity::error, number, stiffness, "compliant limits need a stiffness",
                "Give 'stiffness', or 'law: hard'.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<CompliantLimits>(instances);
  }
};

class HardLimit final : public ForceType,
                        public TypeVariants,
                        public HeldStates,
                        public PlainPicture<Picture::Kind::stop> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "joint-limit",
        .meaning = "ends of a joint's way, hard or as springs; backlash between halves",
        .fields = specs,
        .states = effort_states};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == HeldStates::interface_name) return static_cast<const HeldStates*>(this);
    if (asked == UnilateralRows::interface_name) return this;
    if (asked == Picture::interface_name) return static_cast<const Picture*>(this);
    return asked == TypeVariants::interface_name ? static_cast<const TypeVariants*>(this) : nullptr;
  }
  const ForceType* variant(Strided<const FieldValue> fields) const noexcept override {
    static constexpr CompliantLimit type;
    return fields[law].integer == compliant ? static_cast<const ForceType*>(&type) : this;
  }
  bool is_held(std::size_t state) const noexcept override { return state != lost; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    constexpr std::array<std::size_t, 2> of_compliant{stiffness, damping};
    return check_limits(instance, number, sink) && check_absent(instance, number, of_compliant, "compliant", sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    try {
      std::vector<std::vector<JointPoint>> points;
      for (const ElementInstance& instance : instances) {
        const Strided<const FieldValue> f = instance.fields;
        auto& own = points.emplace_back();
        const auto add = [&](std::size_t field, std::string_view name, double sign) {
          if (!f[field].given) return;
          JointPoint& point = own.emplace_back();
          point.name = name;
          point.sign = sign;
          point.place = f[field].number;
          point.restitution = f[restitution].number;
          point.poisson = f[impact].integer == 1;
        };
        add(lower, "lower limit", 1);
        add(upper, "upper limit", -1);
      }
      return make_batch<JointRows>(std::move(points));
    } catch (...) {
      return nullptr;
    }
  }
};

}  // namespace

const ForceType& joint_limit() noexcept {
  static constexpr HardLimit type;
  return type;
}

}  // namespace polyform::stops
