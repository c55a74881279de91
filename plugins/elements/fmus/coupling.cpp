#include "coupling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace polyform::fmus {

namespace {

constexpr std::array<std::string_view, 2> kinds{"model-exchange", "co-simulation"};

/// Names between commas; commas within brackets belong to a name, "-" is none.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  std::string name;
  int depth = 0;
  const auto end = [&] {
    const std::size_t first = name.find_first_not_of(' '), last = name.find_last_not_of(' ');
    out.push_back(first == std::string::npos ? "" : name.substr(first, last - first + 1));
    name.clear();
  };
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0)
      end();
    else
      name += c;
  }
  end();
  return out;
}

Tap tap_of(const FmuElement& e) { return {e.variable->reference, e.variable->unit, e.index, e.variable->values}; }

std::vector<Tap> inputs_in(const Fmu& fmu, std::string_view text) {
  std::vector<Tap> out;
  for (const std::string& name : names_in(text))
    out.push_back(name == "-" ? Tap{} : tap_of(fmu.element(name, "input")));
  return out;
}

/// Whether a number is one of the type.
bool is_of(NumberType type, double x) {
  const auto is_whole = [x](double low, double high) { return x >= low && x <= high && x == std::trunc(x); };
  switch (type) {
    case NumberType::real: return true;
    case NumberType::float32: return std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max());
    case NumberType::boolean: return is_whole(0, 1);
    case NumberType::int8: return is_whole(-128, 127);
    case NumberType::uint8: return is_whole(0, 255);
    case NumberType::int16: return is_whole(-32768, 32767);
    case NumberType::uint16: return is_whole(0, 65535);
    case NumberType::int32: return is_whole(-2147483648.0, 2147483647.0);
    case NumberType::uint32: return is_whole(0, 4294967295.0);
    case NumberType::int64:  // a number of the model is exact up to there
      return is_whole(-0x1p53, 0x1p53);
    case NumberType::uint64: return is_whole(0, 0x1p53);
    case NumberType::none: break;
  }
  return false;
}

void read_start_values(std::string_view text, Coupling& c) {
  for (const std::string& item : names_in(text)) {
    const std::size_t equals = item.find('=');
    double value = 0;
    const std::size_t first = equals == std::string::npos ? equals : item.find_first_not_of(" =", equals);
    const std::string number = first == std::string::npos ? "" : item.substr(first);
    const bool is_word = number == "true" || number == "false";
    const std::string digits = number == "true" ? "1" : number == "false" ? "0" : number;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc() || end != digits.data() + digits.size())
      throw FmuError(fmt::format("found `{}` among the start values, expected name = number", item),
                     "Write them as \"R = 0.5, k = 2, is_on = true\".");
    const std::string name = item.substr(0, item.find_last_not_of(' ', equals - 1) + 1);
    const auto& variables = c.fmu->description().variables;
    const auto known = variables.find(name);
    const bool is_input = known != variables.end() && known->second.causality == "input";
    const NumberType type = known == variables.end() ? NumberType::none : known->second.type;
    if (is_word && type != NumberType::boolean)
      throw FmuError(fmt::format("found `{}` among the start values, but `{}` is no Boolean", item, name),
                     "Give a number.");
    if (type != NumberType::none && type != NumberType::real && known->second.values == 1 &&
        (is_input || known->second.causality == "parameter")) {
      if (!is_of(type, value))
        throw FmuError(fmt::format("the start value {} of `{}` is none of its type", value, name),
                       type == NumberType::boolean ? "Give true or false." : "Give a whole number that it can hold.");
      c.counted.push_back({known->second.reference, type, value});
      continue;
    }
    c.parameters.push_back(c.fmu->find(name, is_input ? "input" : "parameter"));
    c.parameter_values.push_back(value);
  }
}

}  // namespace

const std::array<FieldSpec, field_count> specs{
    FieldSpec{.name = "file",
              .type = FieldType::text,
              .unit = "path",
              .meaning = "the FMU, from the folder of the model",
              .required = true},
    FieldSpec{.name = "kind",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "what the FMU is for: its equations, or its steps",
              .default_text = "model-exchange",
              .choices = kinds},
    FieldSpec{.name = "joints",
              .type = FieldType::joints,
              .unit = "",
              .meaning = "the joints that it is coupled to",
              .required = true},
    FieldSpec{.name = "positions",
              .type = FieldType::text,
              .unit = "",
              .meaning = "inputs of the FMU that take the coordinates of the joints, with commas between; - for none"},
    FieldSpec{.name = "velocities",
              .type = FieldType::text,
              .unit = "",
              .meaning = "inputs that take the velocities of the joints"},
    FieldSpec{
        .name = "commands", .type = FieldType::text, .unit = "", .meaning = "inputs that take the command values"},
    FieldSpec{.name = "command_values",
              .type = FieldType::time_functions,
              .unit = "1",
              .meaning = "what these take: functions of time, or formulas of the state and of signals"},
    FieldSpec{.name = "efforts",
              .type = FieldType::text,
              .unit = "",
              .meaning = "outputs that are the efforts on the velocities of the joints; - for none"},
    FieldSpec{
        .name = "channels", .type = FieldType::text, .unit = "", .meaning = "further outputs, as columns of results"},
    FieldSpec{.name = "start_values",
              .type = FieldType::text,
              .unit = "",
              .meaning = "parameters and start values of inputs: \"R = 0.5, is_on = true\""},
    FieldSpec{.name = "interval",
              .type = FieldType::number,
              .unit = "s",
              .meaning = "of co-simulation: the time of one step",
              .default_text = "0.001",
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1e-3}};

Coupling coupling_of(Strided<const FieldValue> fields) {
  Coupling c;
  c.fmu = &Fmu::open(std::string(fields[file].text),
                     fields[kind].integer == 1 ? Kind::co_simulation : Kind::model_exchange);
  c.interval = fields[interval].number;
  c.positions = inputs_in(*c.fmu, fields[positions].text);
  c.velocities = inputs_in(*c.fmu, fields[velocities].text);
  c.commands = inputs_in(*c.fmu, fields[commands].text);
  if (c.commands.size() != fields[command_values].functions.size())
    throw FmuError(fmt::format("{} values are given for {} inputs under `commands`",
                               fields[command_values].functions.size(), c.commands.size()),
                   "Give each input under `commands` a value under `command_values`.");
  const auto add = [&](const std::string& name) {
    std::string shown = name;  // names of columns have no commas: x[1,2] is x[1][2]
    for (std::size_t at = shown.find(','); at != std::string::npos; at = shown.find(',')) shown.replace(at, 1, "][");
    // A state of the FMU is a column already.
    if (std::ranges::find(c.fmu->states(), shown) != c.fmu->states().end()) shown += "_output";
    const auto known = std::ranges::find(c.names, shown);
    if (known != c.names.end()) return static_cast<std::size_t>(known - c.names.begin());
    const Tap tap = tap_of(c.fmu->element(name, "output"));
    c.places.push_back(c.outputs.place_of(tap.reference, tap.element, tap.values));
    c.units.push_back(tap.unit);
    c.names.push_back(shown);
    return c.names.size() - 1;
  };
  for (const std::string& name : names_in(fields[efforts].text)) {
    if (name == "-") {
      c.efforts.emplace_back();
      continue;
    }
    const std::size_t output = add(name);
    c.efforts.push_back({static_cast<Reference>(output), c.units[output], 0, 1});
  }
  const auto is_column = [&](const std::string& name) {
    return std::ranges::find(c.fmu->states(), name) != c.fmu->states().end() && c.fmu->variable(name, "output").real;
  };
  for (const std::string& name : names_in(fields[channels].text))
    if (!is_column(name)) add(name);
  read_start_values(fields[start_values].text, c);
  return c;
}

double Coupling::add_efforts(std::span<const double> values, std::span<const double> v,
                             std::span<double> to) const noexcept {
  double power = 0;
  for (std::size_t e = 0; e < efforts.size(); ++e) {
    if (efforts[e].reference == Tap::none) continue;
    const double effort = efforts[e].to_si(values[efforts[e].reference]);
    to[e] += effort;
    power += effort * v[e];
  }
  return power;
}

namespace {

/// Powers of kg, m and s.
using Powers = std::array<int, FmuUnit::count>;
constexpr Powers length{0, 1, 0, 0}, angle{0, 0, 0, 0}, speed{0, 1, -1, 0}, turning{0, 0, -1, 0}, force{1, 1, -2, 0},
    moment{1, 2, -2, 0};

std::string misfit(const std::vector<Tap>& taps, const std::vector<Powers>& expected, std::string_view what) {
  for (std::size_t k = 0; k < std::min(taps.size(), expected.size()); ++k) {
    const FmuUnit& unit = taps[k].unit;
    if (taps[k].reference == Tap::none || !unit.known || unit.powers == expected[k]) continue;
    const Powers& p = expected[k];
    const char* const fits = p == length    ? "m"
                             : p == angle   ? "rad"
                             : p == speed   ? "m/s"
                             : p == turning ? "rad/s"
                             : p == force   ? "N"
                                            : "N m";
    return fmt::format("the unit {} of number {} of its {} is not one of {}", unit.name, k + 1, what, fits);
  }
  return "";
}

}  // namespace

std::string misfit_of_units(const Coupling& c, Strided<const JointShape> joints) {
  std::vector<Powers> of_q, of_v, of_efforts;
  for (const JointShape& joint : joints) {
    if (joint.code_defined) return "";  // its coordinates may have any unit
    for (const Primitive& p : joint.primitives) {
      const bool slides = p.kind == Primitive::Kind::translation;
      of_q.insert(of_q.end(), position_count(p.kind), slides ? length : angle);
      of_v.insert(of_v.end(), velocity_count(p.kind), slides ? speed : turning);
      of_efforts.insert(of_efforts.end(), velocity_count(p.kind), slides ? force : moment);
    }
  }
  for (const std::string& text : {misfit(c.positions, of_q, "positions"), misfit(c.velocities, of_v, "velocities"),
                                  misfit(c.efforts, of_efforts, "efforts")})
    if (!text.empty()) return text;
  return "";
}

std::size_t VariableList::place_of(Reference reference, std::size_t element, std::size_t count) {
  const auto known = std::ranges::find(references, reference);
  if (known != references.end()) return begins[static_cast<std::size_t>(known - references.begin())] + element;
  references.push_back(reference);
  begins.push_back(values);
  values += count;
  return begins.back() + element;
}

InputValues::InputValues(const Coupling& c, Strided<const FieldValue> fields) {
  const auto add = [this](const std::vector<Tap>& taps, std::vector<Wire>& which) {
    for (std::size_t k = 0; k < taps.size(); ++k) {
      if (taps[k].reference == Tap::none) continue;
      which.push_back({k, taps[k], variables.place_of(taps[k].reference, taps[k].element, taps[k].values)});
    }
  };
  add(c.positions, of_q);
  add(c.velocities, of_v);
  for (std::size_t k = 0; k < c.commands.size(); ++k) {
    const Tap& tap = c.commands[k];
    if (tap.reference == Tap::none) continue;
    commands.push_back(
        {fields[command_values].functions[k], variables.place_of(tap.reference, tap.element, tap.values)});
  }
  values.resize(variables.values);
}

void InputValues::set(const double* q, const double* v, double t) noexcept {
  for (const Wire& wire : of_q) values[wire.place] = wire.tap.from_si(q[wire.coordinate]);
  for (const Wire& wire : of_v) values[wire.place] = wire.tap.from_si(v[wire.coordinate]);
  for (const Command& command : commands) values[command.place] = command.function(t).value;
}

StartValues::StartValues(const Coupling& c, Strided<const FieldValue> fields)
    : references(c.parameters), values(c.parameter_values), counted(c.counted) {
  for (std::size_t k = 0; k < c.commands.size(); ++k) {
    const double value = fields[command_values].functions[k](0).value;
    // A formula of the state has no value yet, and an element of an array cannot be set alone.
    if (c.commands[k].reference == Tap::none || c.commands[k].values != 1 || !std::isfinite(value)) continue;
    references.push_back(c.commands[k].reference);
    values.push_back(value);
  }
}

}  // namespace polyform::fmus
