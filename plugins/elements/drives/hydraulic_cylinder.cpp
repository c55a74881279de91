// A hydraulic cylinder between two points, with the pressures of its two chambers as states.
#include <algorithm>
#include <array>
#include <vector>

#include "drive_types.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/value_ranges.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/point_rounding.hpp"

namespace polyform::drives {
namespace {

enum Field : std::size_t {
  a,
  b,
  piston_area,
  rod_area,
  stroke,
  retracted_length,
  dead_volume,
  bulk_modulus,
  flow,
  rod_flow,
  outlet,
  leakage,
  friction,
  pressure,
  rod_pressure
};
constexpr std::array specs{
    FieldSpec{.name = "a",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the eye of the housing: a point of a body",
              .required = true},
    FieldSpec{.name = "b",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the eye of the rod: a point of another body",
              .required = true},
    FieldSpec{.name = "piston_area",
              .type = FieldType::number,
              .unit = "m^2",
              .meaning = "of the piston, on the side without the rod",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 5e-3},
    FieldSpec{.name = "rod_area",
              .type = FieldType::number,
              .unit = "m^2",
              .meaning = "of the rod's section, less than the piston; 0 for the same area on both sides",
              .default_text = "0",
              .minimum = 0,
              .typical = 1e-3},
    FieldSpec{.name = "stroke",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "way of the piston from one end to the other",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "retracted_length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "between the eyes with the rod fully in; default: drawn at half the stroke",
              .minimum = 0},
    FieldSpec{.name = "dead_volume",
              .type = FieldType::number,
              .unit = "m^3",
              .meaning = "of oil in each chamber and its hose where the piston is at its end",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 2e-3},
    FieldSpec{.name = "bulk_modulus",
              .type = FieldType::number,
              .unit = "Pa",
              .meaning = "of the oil with its hoses",
              .default_text = "1.4e9",
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1.4e9},
    FieldSpec{.name = "flow",
              .type = FieldType::time_function,
              .unit = "m^3/s",
              .meaning = "of oil into the chamber of the piston, which extends the cylinder",
              .default_text = "0",
              .typical = 1e-4},
    FieldSpec{.name = "rod_flow",
              .type = FieldType::time_function,
              .unit = "m^3/s",
              .meaning = "of oil into the chamber of the rod",
              .default_text = "0",
              .typical = 1e-4},
    FieldSpec{.name = "outlet",
              .type = FieldType::number,
              .unit = "m^3/(s Pa)",
              .meaning = "flow from the chamber of the rod to the tank per pressure, 0 for a closed one",
              .default_text = "0",
              .minimum = 0,
              .typical = 1e-9},
    FieldSpec{.name = "leakage",
              .type = FieldType::number,
              .unit = "m^3/(s Pa)",
              .meaning = "flow past the piston per difference of the pressures",
              .default_text = "0",
              .minimum = 0,
              .typical = 1e-12},
    FieldSpec{.name = "friction",
              .type = FieldType::number,
              .unit = "N s/m",
              .meaning = "viscous, of piston and rod in their seals",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "pressure",
              .type = FieldType::number,
              .unit = "Pa",
              .meaning = "of the chamber of the piston at the start, over that of the tank",
              .default_text = "0",
              .typical = 1e6},
    FieldSpec{.name = "rod_pressure",
              .type = FieldType::number,
              .unit = "Pa",
              .meaning = "of the chamber of the rod at the start",
              .default_text = "0",
              .typical = 1e6}};

constexpr std::array states{Variable{.name = "pressure", .unit = "Pa"}, Variable{.name = "rod_pressure", .unit = "Pa"}};
constexpr std::array outputs{Variable{.name = "length", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "way", .unit = "m", .kind = Variable::Kind::length},
                             Variable{.name = "rate", .unit = "m/s"}, Variable{.name = "force", .unit = "N"}};

/// With the way x of the piston from fully in, the areas A₁ and A₂ = A₁ − A_rod, and the volumes V₁ = V₀ + A₁ x and
/// V₂ = V₀ + A₂ (stroke − x):
///
///   ṗ₁ = β/V₁ (Q₁ − A₁ ẋ − k (p₁ − p₂))        ṗ₂ = β/V₂ (Q₂ + A₂ ẋ + k (p₁ − p₂) − k_out p₂)
///   F = p₁ A₁ − p₂ A₂ − d ẋ                     pushes the eyes apart
///
/// Its ends are no stops. Where the piston has passed one by a part of its stroke, which leaves room for the stops of
/// others to give way, the run ends. A chamber keeps a thousandth of the dead volume at least, for trial states.
class Cylinders final : public ForceBatch, public OutputSource, public EventSource, public RunEnding {
 public:
  explicit Cylinders(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const double A = i.fields[piston_area].number, way = i.fields[stroke].number;
      cylinders_.push_back(
          {A, A - i.fields[rod_area].number, way,
           i.fields[retracted_length].given ? i.fields[retracted_length].number : drawn_length(i) - 0.5 * way,
           i.fields[dead_volume].number, i.fields[bulk_modulus].number, i.fields[flow].functions[0],
           i.fields[rod_flow].functions[0], i.fields[outlet].number, i.fields[leakage].number,
           i.fields[friction].number, i.fields[pressure].number, i.fields[rod_pressure].number,
           point_rounding(i, 0) + point_rounding(i, 1)});
    }
  }
  void initial_states(std::span<double> x) const noexcept override {
    for (std::size_t i = 0; i < cylinders_.size(); ++i) {
      x[2 * i] = cylinders_[i].first_pressure;
      x[2 * i + 1] = cylinders_[i].first_rod_pressure;
    }
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < cylinders_.size(); ++i) {
      const Cylinder& c = cylinders_[i];
      const Line line = line_of(c, in, i);
      const double p1 = in.states[2 * i], p2 = in.states[2 * i + 1], past = c.leakage * (p1 - p2);
      const double least = 1e-3 * c.dead_volume;
      const double V1 = std::max(least, c.dead_volume + c.area * line.way),
                   V2 = std::max(least, c.dead_volume + c.rod_side * (c.stroke - line.way));
      const double in_1 = c.flow(in.time).value, in_2 = c.rod_flow(in.time).value;
      out.state_rates[2 * i] = c.bulk_modulus / V1 * (in_1 - c.area * line.rate - past);
      out.state_rates[2 * i + 1] = c.bulk_modulus / V2 * (in_2 + c.rod_side * line.rate + past - c.outlet * p2);
      const double push = c.push(p1, p2, line.rate);
      out.wrenches[2 * i].linear = -push * line.direction;
      out.wrenches[2 * i + 1].linear = push * line.direction;
      out.power += push * line.rate;
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < cylinders_.size(); ++i) {
      const Line line = line_of(cylinders_[i], *in.attachments, i);
      const std::span<const double> p = in.attachments->states;
      values[4 * i] = line.length;
      values[4 * i + 1] = line.way;
      values[4 * i + 2] = line.rate;
      values[4 * i + 3] = cylinders_[i].push(p[2 * i], p[2 * i + 1], line.rate);
    }
  }
  std::size_t event_count() const noexcept override { return cylinders_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k;
    out.name = "piston beyond the end of its stroke";
    out.crossing = Crossing::falling;
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    constexpr double share = 0.01;
    for (std::size_t i = 0; i < cylinders_.size(); ++i) {
      const double way = line_of(cylinders_[i], *in.attachments, i).way, stroke = cylinders_[i].stroke;
      out.values[i] = share * stroke + std::min(way, stroke - way);
    }
  }
  double next_knot(double) const noexcept override { return never; }
  double shortest_time(std::size_t) const noexcept override { return never; }
  bool ends_run(std::size_t) const noexcept override { return true; }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    return asked == RunEnding::interface_name ? static_cast<RunEnding*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Cylinder {
    double area, rod_side, stroke, retracted_length, dead_volume, bulk_modulus;
    TimeFunction flow, rod_flow;
    double outlet, leakage, friction, first_pressure, first_rod_pressure;
    double rounding;  ///< of both eyes, m (point_rounding)

    double push(double p1, double p2, double rate) const noexcept {
      return p1 * area - p2 * rod_side - friction * rate;
    }
  };
  struct Line {
    double length, way, rate;
    Vec3 direction;  ///< from housing to rod; zero if the eyes coincide
  };
  static Line line_of(const Cylinder& c, const ForceInput& in, std::size_t i) noexcept {
    const MarkerMotion &from = in.markers[2 * i], &to = in.markers[2 * i + 1];
    const Vec3 d = to.position - from.position;
    Line line{norm(d), 0, 0, {}};
    if (line.length > rounding_of_places * (norm(from.position) + norm(to.position)) + c.rounding)
      line.direction = (1 / line.length) * d;
    line.way = line.length - c.retracted_length;
    line.rate = dot(line.direction, to.velocity - from.velocity);
    return line;
  }
  std::vector<Cylinder> cylinders_;
};

class HydraulicCylinder final : public ForceType, public ValueRanges {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "hydraulic-cylinder",
        .meaning = "a cylinder with oil on both sides of its piston, driven by flows",
        .fields = specs,
        .states = states,
        .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == ValueRanges::interface_name ? static_cast<const ValueRanges*>(this) : nullptr;
  }
  void describe(ValueRanges::Kind, std::size_t, Strided<const FieldValue>, ValueRange& out) const noexcept override {
    out.typical = 1e6;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (i.markers[0].body == i.markers[1].body) {
      sink.report(Severity::error, number, b, "both eyes are fixed in the same body: the cylinder does nothing",
                  "Attach one of them to another body.");
      return false;
    }
    if (i.fields[rod_area].number >= i.fields[piston_area].number) {
      sink.report(Severity::error, number, rod_area,
                  Message("the rod, {:g} m^2, is not thinner than the piston, {:g} m^2", i.fields[rod_area].number,
                          i.fields[piston_area].number),
                  "Give the area of the rod's section, not that of the ring around it.");
      return false;
    }
    warn_of_rounded_line(i, 0, true, number, a, sink);
    const double drawn = drawn_length(i), least = i.fields[retracted_length].number;
    if (i.fields[retracted_length].given && (drawn < least || drawn > least + i.fields[stroke].number))
      sink.report(Severity::warning, number, retracted_length,
                  Message("the eyes are drawn {:g} m apart, beyond the stroke, from {:g} m to {:g} m", drawn, least,
                          least + i.fields[stroke].number),
                  "Draw the cylinder within its stroke, or correct its lengths.");
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Cylinders>(instances);
  }
};

}  // namespace

const ForceType& hydraulic_cylinder() noexcept {
  static constexpr HydraulicCylinder type;
  return type;
}

}  // namespace polyform::drives
