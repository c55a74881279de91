// A spring and a damper along the line between two points, by tables of force over elongation and over its rate.
#include <vector>

#include "line_law.hpp"
#include "polyform/helpers/plain_picture.hpp"
#include "spring_types.hpp"
#include "table_law.hpp"

namespace polyform::springs {
namespace {

enum Field : std::size_t { a, b, force, damping_force, interpolation, free_length };
constexpr std::array<std::string_view, 2> interpolations{"linear", "cubic"};
constexpr std::array specs{
    a_field,
    b_field,
    FieldSpec{.name = "force",
              .type = FieldType::matrix,
              .unit = "m and N",
              .meaning =
                  "rows [elongation, force], the force positive where it pulls the ends together; goes on straight "
                  "outside"},
    FieldSpec{.name = "damping_force",
              .type = FieldType::matrix,
              .unit = "m/s and N",
              .meaning = "rows [rate of elongation, force], which is added; goes on straight outside"},
    FieldSpec{.name = "interpolation",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "of both tables: linear, or cubic with a continuous second derivative",
              .default_text = "linear",
              .choices = interpolations},
    FieldSpec{.name = "free_length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "length at which the elongation is zero; default: the length as drawn",
              .minimum = 0}};

/// tension = f(l − l₀) + g(l̇); the energy is the integral of f from no elongation on. The rows of linear tables are
/// bends of the law, and events.
class NonlinearSprings final : public ForceBatch, public EventSource, public OutputSource {
 public:
  explicit NonlinearSprings(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const bool cubic = i.fields[interpolation].integer == 1;
      Spring& s = springs_.emplace_back();
      s.free_length = i.fields[free_length].given ? i.fields[free_length].number : drawn_length(i);
      s.rounding = rounding_of(i);
      if (has_table(i.fields[force])) {
        s.force = curve_of(i.fields[force], cubic);
        s.energy_at_rest = s.force.integral(0);
      }
      if (has_table(i.fields[damping_force])) s.damping = curve_of(i.fields[damping_force], cubic);
      if (cubic) continue;
      for (const double x : inner(s.force)) bends_.push_back({springs_.size() - 1, x, false});
      for (const double x : inner(s.damping)) bends_.push_back({springs_.size() - 1, x, true});
    }
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Line line = line_of(in.markers[2 * i], in.markers[2 * i + 1], springs_[i].rounding);
      apply(springs_[i].pull(line), line, 2 * i, out);
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Line line =
          line_of(in.attachments->markers[2 * i], in.attachments->markers[2 * i + 1], springs_[i].rounding);
      values[3 * i] = line.length;
      values[3 * i + 1] = line.rate;
      values[3 * i + 2] = springs_[i].pull(line).pull;
    }
  }
  std::size_t event_count() const noexcept override { return bends_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = bends_[k].spring;
    out.name = bends_[k].of_rate ? "row of damping_force" : "row of force";
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t k = 0; k < bends_.size(); ++k) {
      const Bend& bend = bends_[k];
      const auto& markers = in.attachments->markers;
      const Line line = line_of(markers[2 * bend.spring], markers[2 * bend.spring + 1], springs_[bend.spring].rounding);
      if (bend.of_rate) {
        out.values[k] = line.rate - bend.at;
      } else {
        out.values[k] = line.length - springs_[bend.spring].free_length - bend.at;
        out.rates[k] = line.rate;
      }
    }
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == EventSource::interface_name && !bends_.empty() ? static_cast<EventSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Spring {
    Spline force, damping;  ///< without points if there is no table
    double free_length = 0, energy_at_rest = 0;
    double rounding = 0;  ///< of both ends, m (rounding_of)

    Pull pull(const Line& line) const noexcept {
      Pull p;
      const double x = line.length - free_length;
      if (!force.knots().empty()) {
        p.stored = force.at(x).value;
        p.energy = force.integral(x) - energy_at_rest;
      }
      p.pull = p.stored + (damping.knots().empty() ? 0 : damping.at(line.rate).value);
      return p;
    }
  };
  struct Bend {
    std::size_t spring;
    double at;
    bool of_rate;
  };
  /// The rows between the first and the last: beyond these the law goes on straight.
  static std::span<const double> inner(const Spline& curve) {
    return curve.knots().size() < 3 ? std::span<const double>() : curve.knots().subspan(1, curve.knots().size() - 2);
  }
  std::vector<Spring> springs_;
  std::vector<Bend> bends_;
};

class NonlinearSpring final : public ForceType, public PlainPicture<Picture::Kind::coil> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "nonlinear-spring",
        .meaning = "spring and damper along the line between two points, by tables",
        .fields = specs,
        .outputs = line_outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == Picture::interface_name ? static_cast<const Picture*>(this) : nullptr;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    const bool pushes = i.fields[free_length].given && i.fields[free_length].number > 0;
    if (!joins_two_bodies(i, number, pushes, sink) ||
        !check_table(i.fields[force], "elongation", number, force, sink) ||
        !check_table(i.fields[damping_force], "rate", number, damping_force, sink))
      return false;
    if (has_table(i.fields[force]) || has_table(i.fields[damping_force])) return true;
    sink.report(Severity::warning, number, force, "neither force nor damping_force is given: the spring does nothing",
                "Give one of the tables.");
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<NonlinearSprings>(instances);
  }
};

}  // namespace

const ForceType& nonlinear_spring() noexcept {
  static constexpr NonlinearSpring type;
  return type;
}

}  // namespace polyform::springs
