// A gas spring: a piston of a given area on a closed volume of gas, p Vⁿ = const.
#include <algorithm>
#include <cmath>
#include <vector>

#include "line_law.hpp"
#include "spring_types.hpp"

namespace polyform::springs {
namespace {

enum Field : std::size_t { a, b, area, volume, pressure, exponent, ambient, reference_length, damping };
constexpr std::array specs{
    a_field,
    b_field,
    FieldSpec{.name = "area",
              .type = FieldType::number,
              .unit = "m^2",
              .meaning = "that the gas pushes on: the piston, or the rod where gas is on both sides of the piston",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1e-3},
    FieldSpec{.name = "volume",
              .type = FieldType::number,
              .unit = "m^3",
              .meaning = "of the gas at the reference length",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1e-3},
    FieldSpec{.name = "pressure",
              .type = FieldType::number,
              .unit = "Pa",
              .meaning = "of the gas at the reference length, absolute",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 5e5},
    FieldSpec{.name = "exponent",
              .type = FieldType::number,
              .unit = "1",
              .meaning = "polytropic: 1 for slow changes at one temperature, 1.4 for fast ones of air or nitrogen",
              .default_text = "1.4",
              .minimum = 0,
              .exclusive_minimum = true,
              .valid_maximum = 1.7},
    FieldSpec{.name = "ambient",
              .type = FieldType::number,
              .unit = "Pa",
              .meaning = "pressure on the other side, absolute",
              .default_text = "101325",
              .minimum = 0,
              .typical = 1e5},
    FieldSpec{.name = "reference_length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the line between the ends; default: the length as drawn",
              .minimum = 0},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m",
              .meaning = "force per rate of elongation",
              .default_text = "0",
              .minimum = 0}};

/// With V = V₀ + A (l − l₀): p = p₀ (V₀/V)ⁿ, and the gas pushes the ends apart by (p − p_a) A. Its energy is that of
/// the gas and of the air outside, from the reference length on:
///
///   U = p₀ V₀/(n − 1) ((V₀/V)ⁿ⁻¹ − 1) + p_a (V − V₀)        n = 1: −p₀ V₀ ln(V/V₀) + p_a (V − V₀)
///
/// Below a thousandth of V₀ the force goes on straight, so that no motion divides by zero.
struct Gas {
  double area, volume, pressure, exponent, ambient, length, damping;
  double rounding;  ///< of both ends, m (rounding_of)

  static constexpr double least_share = 1e-3;

  struct State {
    double pressure, push, energy;
  };
  State at(double l) const noexcept {
    const double V = volume + area * (l - length), least = least_share * volume;
    const double share = std::max(V, least) / volume;
    State s{pressure * std::pow(share, -exponent), 0, 0};
    s.energy = pressure * volume *
               (exponent == 1 ? -std::log(share) : std::expm1((1 - exponent) * std::log(share)) / (exponent - 1));
    if (V < least) {
      const double slope = -exponent * s.pressure / least, beyond = V - least;
      s.energy -= (s.pressure + 0.5 * slope * beyond) * beyond;
      s.pressure += slope * beyond;
    }
    s.energy += ambient * (V - volume);
    s.push = (s.pressure - ambient) * area;
    return s;
  }
  Pull pull(const Line& line) const noexcept {
    const State s = at(line.length);
    return {-s.push + damping * line.rate, -s.push, s.energy};
  }
};

constexpr std::array outputs{line_outputs[0], line_outputs[1], line_outputs[2],
                             Variable{.name = "pressure", .unit = "Pa"}};

class GasSprings final : public ForceBatch, public OutputSource {
 public:
  explicit GasSprings(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      springs_.push_back({i.fields[area].number, i.fields[volume].number, i.fields[pressure].number,
                          i.fields[exponent].number, i.fields[ambient].number,
                          i.fields[reference_length].given ? i.fields[reference_length].number : drawn_length(i),
                          i.fields[damping].number, rounding_of(i)});
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
      values[4 * i] = line.length;
      values[4 * i + 1] = line.rate;
      values[4 * i + 2] = springs_[i].pull(line).pull;
      values[4 * i + 3] = springs_[i].at(line.length).pressure;
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Gas> springs_;
};

class GasSpring final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "gas-spring",
                                               .meaning = "a piston on a closed volume of gas, between two points",
                                               .fields = specs,
                                               .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (!joins_two_bodies(i, number, true, sink)) return false;
    const FieldValue& length = i.fields[reference_length];
    const double V0 = i.fields[volume].number, V = V0 + i.fields[area].number * (drawn_length(i) - length.number);
    if (length.given && V < Gas::least_share * V0)
      sink.report(Severity::warning, number, reference_length,
                  Message("as drawn, {:g} m long, the spring leaves {:.3g} m^3 to the gas", drawn_length(i), V),
                  "Correct the volume, which is that at the reference length, or the lengths.");
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<GasSprings>(instances);
  }
};

}  // namespace

const ForceType& gas_spring() noexcept {
  static constexpr GasSpring type;
  return type;
}

}  // namespace polyform::springs
