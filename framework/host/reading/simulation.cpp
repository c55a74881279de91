// Defaults of the command line that a model gives.
#include <fmt/format.h>

#include "framework/host/reading/model_reader.hpp"
#include "polyform/helpers/least_tolerance.hpp"

namespace polyform::host::inline reading {

namespace {

void read_positive(MapReader& map, std::string_view key, std::string_view unit, std::optional<double>& out,
                   Place* place = nullptr) {
  const auto value = map.find(key);
  if (!value) return;
  if (place) *place = value->place();
  const std::optional<double> x = read_number(*value, unit);
  if (!x) return;
  if (*x > 0) {
    out = x;
  } else {
    value->unexpected(fmt::format("{} greater than 0", number_in(unit)));
  }
}

void read_text_options(const Value& options, std::vector<std::pair<std::string, std::string>>& out,
                       std::vector<OptionPlace>& places) {
  if (options.node().kind != Node::Kind::map) options.unexpected("a map of options, {option: value}");
  for (const Node::Entry& e : options.node().entries) {
    out.emplace_back(e.key, flow_text(*e.value));
    places.push_back({e.place, e.value->place});
  }
}

/// A name, or {name: NAME, options: {option: value}}.
void read_integrator(const Value& value, SimulationItem& out) {
  out.integrator_place = value.place();
  if (value.node().kind != Node::Kind::map) {
    out.integrator = read_text(value, "the name of an integrator, or {name: NAME, options: {option: value}}");
    return;
  }
  MapReader map(value);
  if (const auto name = map.require("name", "which integrator")) {
    out.integrator = read_text(*name, "the name of an integrator");
    out.integrator_place = name->place();
  }
  if (const auto options = map.find("options"))
    read_text_options(*options, out.integrator_options, out.integrator_option_places);
  map.finish();
}

}  // namespace

void read_simulation(const Value& value, SimulationItem& out) {
  MapReader map(value);
  if (!map.is_map()) return;
  read_positive(map, "duration", "s", out.duration, &out.duration_place);
  read_positive(map, "step", "s", out.step, &out.step_place);
  read_positive(map, "max_step", "s", out.max_step, &out.max_step_place);
  read_positive(map, "output_interval", "s", out.output_interval, &out.output_interval_place);
  if (const auto integrator = map.find("integrator")) read_integrator(*integrator, out);
  if (const auto tolerance = map.find("tolerance")) {
    MapReader both(*tolerance);
    read_positive(both, "relative", {}, out.relative_tolerance);
    if (out.relative_tolerance && *out.relative_tolerance < least_relative_tolerance)
      both.find("relative")
          ->error(fmt::format("a relative tolerance of {} cannot be met: {}", *out.relative_tolerance,
                              why_no_finer_tolerance),
                  remedy_of_tolerance);
    read_positive(both, "absolute", {}, out.absolute_tolerance);
    if (both.is_map()) both.finish();
  }
  map.finish();
}

void read_solver(const Value& value, SolverItem& out) {
  MapReader map(value);
  if (!map.is_map()) return;
  out.place = value.place();
  if (const auto name = map.find("name")) {
    out.name = read_text(*name, "the name of a formulation");
    out.place = name->place();
  }
  if (const auto options = map.find("options")) read_text_options(*options, out.options, out.option_places);
  map.finish();
}

}  // namespace polyform::host::reading
