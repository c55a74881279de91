#include "description.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <pugixml.hpp>

namespace polyform::fmus {

namespace {

constexpr std::size_t most = 1'000'000;  ///< states or event indicators
constexpr const char* again = "Export it again, or report this to its tool.";

/// Units and types by name, which variables refer to.
class Units {
 public:
  explicit Units(pugi::xml_node root) {
    for (const pugi::xml_node unit : root.child("UnitDefinitions").children("Unit")) {
      FmuUnit& known = units_[unit.attribute("name").value()];
      known.name = unit.attribute("name").value();
      const pugi::xml_node base = unit.child("BaseUnit");
      if (!base) continue;
      known.known = true;
      known.factor = base.attribute("factor").as_double(1);
      known.offset = base.attribute("offset").as_double(0);
      const auto power = [&](const char* name) { return base.attribute(name).as_int(); };
      known.powers = {power("kg"), power("m"), power("s"),
                      std::abs(power("A")) + std::abs(power("K")) + std::abs(power("mol")) + std::abs(power("cd"))};
      if (!std::isfinite(known.factor) || known.factor == 0 || !std::isfinite(known.offset))
        throw FmuError(fmt::format("the factor or the offset of its unit {} is no number that converts", known.name),
                       again);
    }
    const pugi::xml_node types = root.child("TypeDefinitions");
    for (const pugi::xml_node type : types.children("SimpleType"))
      unit_of_type_[type.attribute("name").value()] = type.child("Real").attribute("unit").value();
    for (const pugi::xml_node type : types.children("Float64Type"))
      unit_of_type_[type.attribute("name").value()] = type.attribute("unit").value();
  }

  /// real: the element with the attributes of a real variable.
  FmuUnit of(pugi::xml_node real) const {
    std::string name = real.attribute("unit").value();
    if (name.empty()) {
      const auto type = unit_of_type_.find(real.attribute("declaredType").value());
      if (type != unit_of_type_.end()) name = type->second;
    }
    if (name.empty()) return {};
    const auto known = units_.find(name);
    if (known != units_.end()) return known->second;
    FmuUnit unit;
    unit.name = name;
    return unit;
  }

 private:
  std::map<std::string, FmuUnit, std::less<>> units_;
  std::map<std::string, std::string, std::less<>> unit_of_type_;
};

NumberType type_named(std::string_view element) {
  using enum NumberType;
  constexpr std::pair<std::string_view, NumberType> known[] = {
      {"Real", real},       {"Integer", int32}, {"Enumeration", int32}, {"Boolean", boolean}, {"Float64", real},
      {"Float32", float32}, {"Int8", int8},     {"UInt8", uint8},       {"Int16", int16},     {"UInt16", uint16},
      {"Int32", int32},     {"UInt32", uint32}, {"Int64", int64},       {"UInt64", uint64}};
  for (const auto& [name, type] : known)
    if (name == element) return type;
  return none;
}

/// The number by which an FMU knows a variable.
Reference reference_of(pugi::xml_node variable) {
  const std::string_view text = variable.attribute("valueReference").value();
  Reference reference = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), reference);
  if (wrong == std::errc() && end == text.data() + text.size() && !text.empty()) return reference;
  throw FmuError(fmt::format("the valueReference of its variable {} is \"{}\", not a number",
                             variable.attribute("name").value(), text),
                 again);
}

void check_number(std::size_t count, std::string_view of) {
  if (count > most) throw FmuError(fmt::format("it has more than {} {}", most, of), again);
}

void read_version_2(pugi::xml_node root, const Units& units, bool is_me, Description& out) {
  out.token = root.attribute("guid").value();
  out.events = is_me ? root.attribute("numberOfEventIndicators").as_uint() : 0;
  std::vector<std::string> names;
  std::vector<std::size_t> derivative_of;
  for (const pugi::xml_node v : root.child("ModelVariables").children("ScalarVariable")) {
    const pugi::xml_node real = v.child("Real");
    FmuVariable& variable = out.variables[v.attribute("name").value()];
    variable.reference = reference_of(v);
    variable.causality = v.attribute("causality").as_string("local");
    variable.real = real;
    for (const pugi::xml_node child : v.children())
      if (const NumberType type = type_named(child.name()); type != NumberType::none) variable.type = type;
    variable.unit = units.of(real);
    names.emplace_back(v.attribute("name").value());
    derivative_of.push_back(real.attribute("derivative").as_uint());
  }
  if (!is_me) return;
  for (const pugi::xml_node unknown : root.child("ModelStructure").child("Derivatives").children("Unknown")) {
    const std::size_t rate = unknown.attribute("index").as_uint();
    const std::size_t state = rate == 0 || rate > names.size() ? 0 : derivative_of[rate - 1];
    if (state == 0 || state > names.size()) throw FmuError("its description names a derivative that is none", again);
    out.states.push_back(names[state - 1]);
  }
}

/// Sizes of arrays are numbers, or start values of structural parameters.
class Sizes {
 public:
  explicit Sizes(pugi::xml_node variables) {
    for (const pugi::xml_node v : variables.children())
      if (std::string_view(v.attribute("causality").value()) == "structuralParameter")
        start_[v.attribute("valueReference").as_uint()] = v.attribute("start").as_ullong();
  }
  std::size_t of(pugi::xml_node variable, std::vector<std::size_t>& lengths) const {
    std::size_t size = 1;
    for (const pugi::xml_node dimension : variable.children("Dimension")) {
      const pugi::xml_attribute fixed = dimension.attribute("start");
      const auto parameter = start_.find(dimension.attribute("valueReference").as_uint());
      const std::size_t length = fixed ? fixed.as_ullong() : parameter == start_.end() ? 0 : parameter->second;
      check_number(length, "values in one variable");
      lengths.push_back(length);
      size *= length;
      check_number(size, "values in one variable");
    }
    return size;
  }

 private:
  std::map<Reference, std::size_t> start_;
};

void read_version_3(pugi::xml_node root, const Units& units, bool is_me, Description& out) {
  out.token = root.attribute("instantiationToken").value();
  const pugi::xml_node variables = root.child("ModelVariables");
  const Sizes sizes(variables);
  struct Known {
    std::string name;
    std::size_t size;
    bool is_rate;
    Reference state;
  };
  std::map<Reference, Known> by_reference;
  for (const pugi::xml_node v : variables.children()) {
    FmuVariable variable;
    variable.reference = reference_of(v);
    variable.causality = v.attribute("causality").as_string("local");
    variable.real = std::string_view(v.name()) == "Float64";
    // Enumerations of version 3 are numbers of 64 bits.
    variable.type = std::string_view(v.name()) == "Enumeration" ? NumberType::int64 : type_named(v.name());
    variable.values = sizes.of(v, variable.lengths);
    if (variable.real) variable.unit = units.of(v);
    const pugi::xml_attribute derivative = v.attribute("derivative");
    by_reference[variable.reference] = {v.attribute("name").value(), variable.values, !derivative.empty(),
                                        derivative.as_uint()};
    for (const pugi::xml_node alias : v.children("Alias")) out.variables[alias.attribute("name").value()] = variable;
    out.variables[v.attribute("name").value()] = std::move(variable);
  }
  if (!is_me) return;
  const pugi::xml_node structure = root.child("ModelStructure");
  for (const pugi::xml_node listed : structure.children("ContinuousStateDerivative")) {
    const auto rate = by_reference.find(listed.attribute("valueReference").as_uint());
    const auto state = rate == by_reference.end() || !rate->second.is_rate ? by_reference.end()
                                                                           : by_reference.find(rate->second.state);
    if (state == by_reference.end()) throw FmuError("its description names a derivative that is none", again);
    const auto& [name, size, is_rate, of] = state->second;
    if (size == 1) out.states.push_back(name);
    for (std::size_t k = 0; size != 1 && k < size; ++k) out.states.push_back(fmt::format("{}[{}]", name, k));
    check_number(out.states.size(), "states");
  }
  for (const pugi::xml_node listed : structure.children("EventIndicator")) {
    const auto indicator = by_reference.find(listed.attribute("valueReference").as_uint());
    out.events += indicator == by_reference.end() ? 1 : indicator->second.size;
  }
}

}  // namespace

Description read_description(const std::filesystem::path& file, Kind kind) {
  pugi::xml_document document;
  const pugi::xml_parse_result read = document.load_file(file.c_str());
  if (!read)
    throw FmuError(fmt::format("its modelDescription.xml cannot be read: {}", read.description()),
                   "An FMU is a ZIP archive with modelDescription.xml; export it again.");
  const pugi::xml_node root = document.child("fmiModelDescription");
  const std::string_view version = root.attribute("fmiVersion").value();
  if (!version.starts_with("2.") && !version.starts_with("3."))
    throw FmuError(
        fmt::format("it is of FMI version {}, and 2.0 and 3.0 are read", version.empty() ? "unknown" : version),
        "Export it from its tool as FMI 2.0 or 3.0.");
  const bool is_me = kind == Kind::model_exchange;
  const pugi::xml_node own = root.child(is_me ? "ModelExchange" : "CoSimulation");
  if (!own)
    throw FmuError(fmt::format("it is not for {}", is_me ? "model exchange" : "co-simulation"),
                   fmt::format("Give kind: {}, or export it for {}.", is_me ? "co-simulation" : "model-exchange",
                               is_me ? "model exchange" : "co-simulation"));
  if (own.attribute("needsExecutionTool").as_bool())
    throw FmuError("it needs the tool that made it while it runs", "Export it with its own solver or as source.");
  Description out;
  out.version = version.front() - '0';
  out.identifier = own.attribute("modelIdentifier").value();
  // It names a file within the archive.
  if (out.identifier.empty() || out.identifier.find_first_of("/\\") != std::string::npos)
    throw FmuError("its modelIdentifier is no name", again);
  const char* const gets = out.version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState";
  const char* const serializes = out.version == 2 ? "canSerializeFMUstate" : "canSerializeFMUState";
  out.can_serialize = own.attribute(gets).as_bool() && own.attribute(serializes).as_bool();
  if (is_me)
    out.needs_step_endings = out.version == 2 ? !own.attribute("completedIntegratorStepNotNeeded").as_bool()
                                              : own.attribute("needsCompletedIntegratorStep").as_bool(true);
  const Units units(root);
  out.version == 2 ? read_version_2(root, units, is_me, out) : read_version_3(root, units, is_me, out);
  check_number(out.events, "event indicators");
  return out;
}

}  // namespace polyform::fmus
