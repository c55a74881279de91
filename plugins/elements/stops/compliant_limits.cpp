#include "compliant_limits.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::stops {

namespace {

double push_of(const CompliantLimits::Ends& e, double depth, double rate) noexcept {
  return std::max(0.0, e.stiffness * depth + e.damping * rate);
}

}  // namespace

CompliantLimits::CompliantLimits(std::vector<StopCoordinate> coordinates, std::vector<Ends> ends)
    : coordinates_(std::move(coordinates)), ends_(std::move(ends)) {}

void CompliantLimits::evaluate(const ForceInput& in, ForceOutput& out) noexcept {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const Ends& e = ends_[i];
    const StopValue at = coordinates_[i].at(in);
    for (const double sign : {1.0, -1.0}) {
      const double depth = sign * ((sign > 0 ? e.lower : e.upper) - at.value), rate = -sign * at.rate;
      if (!(depth > 0)) continue;
      const double push = push_of(e, depth, rate);
      coordinates_[i].push(sign * push, at, out.efforts);
      out.potential_energy += 0.5 * e.stiffness * depth * depth;
      out.power += (e.stiffness * depth - push) * rate;
    }
  }
}

void CompliantLimits::evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const Ends& e = ends_[i];
    const StopValue at = coordinates_[i].at(*in.attachments);
    const double below = e.lower - at.value, above = at.value - e.upper;
    values[i] = below > 0 ? push_of(e, below, -at.rate) : above > 0 ? -push_of(e, above, at.rate) : 0;
  }
}

void* CompliantLimits::query(std::string_view asked) noexcept {
  if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
  return asked == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
}

void CompliantLimits::describe_event(std::size_t k, EventDescription& out) const noexcept {
  out.instance = k / 2;
  out.name = k % 2 == 0 ? "lower limit" : "upper limit";
}

void CompliantLimits::evaluate_events(const EventInput& input, EventOutput& out) noexcept {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const StopValue at = coordinates_[i].at(*input.attachments);
    const bool below = std::isfinite(ends_[i].lower), above = std::isfinite(ends_[i].upper);
    out.values[2 * i] = below ? at.value - ends_[i].lower : 1;
    out.rates[2 * i] = below ? at.rate : 0;
    out.values[2 * i + 1] = above ? ends_[i].upper - at.value : 1;
    out.rates[2 * i + 1] = above ? -at.rate : 0;
  }
}

}  // namespace polyform::stops
