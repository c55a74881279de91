// A bump stop between two points: rubber that is touched at a length and pushes (or pulls) from there on.
#include <algorithm>
#include <cmath>
#include <vector>

#include "line_law.hpp"
#include "spring_types.hpp"

namespace polyform::springs {
namespace {

enum Field : std::size_t { a, b, length, side, stiffness, exponent, damping, onset };
constexpr std::array<std::string_view, 2> sides{"bump", "rebound"};
constexpr std::array specs{
    a_field,
    b_field,
    FieldSpec{.name = "length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the line between the points at which the stop is touched",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "side",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "bump: pushes where the line is shorter; rebound: pulls where it is longer",
              .default_text = "bump",
              .choices = sides},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m^exponent",
              .meaning = "force = stiffness δ^exponent + damping, of the compression δ",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "exponent",
              .type = FieldType::number,
              .unit = "1",
              .meaning = "of the compression: 1 linear, 2 to 3 for rubber that is squeezed",
              .default_text = "1",
              .minimum = 1,
              .valid_maximum = 6},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m",
              .meaning = "force per rate of compression, while touched",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "onset",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "compression over which the damping grows from none to full, so that touching is no jump",
              .default_text = "0.002",
              .minimum = 0}};

struct Stop {
  double length, sign, stiffness, exponent, damping, onset;
  double rounding;  ///< of both ends, m (rounding_of)

  double compression(const Line& line) const noexcept { return sign * (length - line.length); }
  double rate(const Line& line) const noexcept { return -sign * line.rate; }
  double spring(double depth) const noexcept {
    return depth > 0 ? stiffness * (exponent == 1 ? depth : std::pow(depth, exponent)) : 0;
  }
  /// The share of the damping that acts: 3x² − 2x³ of x = compression / onset, up to 1.
  double engaged(double depth) const noexcept {
    if (depth <= 0) return 0;
    if (depth >= onset) return 1;
    const double x = depth / onset;
    return x * x * (3 - 2 * x);
  }
  Pull pull(const Line& line) const noexcept {
    const double depth = compression(line);
    if (!(depth > 0)) return {};
    const double stored = spring(depth);
    const double push = std::max(0.0, stored + damping * engaged(depth) * rate(line));
    return {-sign * push, -sign * stored, stored * depth / (exponent + 1)};
  }
};

/// Two event functions per instance: the compression, and the push that the damper leaves, which never becomes a pull.
class BumpStops final : public ForceBatch, public EventSource, public OutputSource {
 public:
  explicit BumpStops(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      stops_.push_back({i.fields[length].number, i.fields[side].integer == 0 ? 1.0 : -1.0, i.fields[stiffness].number,
                        i.fields[exponent].number, i.fields[damping].number, i.fields[onset].number, rounding_of(i)});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      const Line line = line_of(in.markers[2 * i], in.markers[2 * i + 1], stops_[i].rounding);
      apply(stops_[i].pull(line), line, 2 * i, out);
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      const Line line = line_of(in.attachments->markers[2 * i], in.attachments->markers[2 * i + 1], stops_[i].rounding);
      values[4 * i] = line.length;
      values[4 * i + 1] = line.rate;
      values[4 * i + 2] = stops_[i].pull(line).pull;
      values[4 * i + 3] = std::max(0.0, stops_[i].compression(line));
    }
  }
  std::size_t event_count() const noexcept override { return 2 * stops_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k / 2;
    out.name = k % 2 == 0 ? "touch" : "release";
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      const Stop& s = stops_[i];
      const Line line = line_of(in.attachments->markers[2 * i], in.attachments->markers[2 * i + 1], stops_[i].rounding);
      const double depth = s.compression(line);
      out.values[2 * i] = depth;
      out.rates[2 * i] = s.rate(line);
      // Off the stop, the second function is constant: there is no push that a damper could outweigh.
      out.values[2 * i + 1] = depth > 0 ? s.spring(depth) + s.damping * s.engaged(depth) * s.rate(line) : 0;
      if (!(depth > 0)) out.rates[2 * i + 1] = 0;
    }
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Stop> stops_;
};

constexpr std::array outputs{line_outputs[0], line_outputs[1], line_outputs[2],
                             Variable{.name = "compression", .unit = "m", .kind = Variable::Kind::length}};

class BumpStop final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "bump-stop",
                                               .meaning = "a stop of rubber between two points, touched at a length",
                                               .fields = specs,
                                               .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    return joins_two_bodies(i, number, i.fields[side].integer == 0 && i.fields[length].number > 0, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<BumpStops>(instances);
  }
};

}  // namespace

const ForceType& bump_stop() noexcept {
  static constexpr BumpStop type;
  return type;
}

}  // namespace polyform::springs
