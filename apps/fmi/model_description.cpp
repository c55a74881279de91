#include "apps/fmi/model_description.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <iterator>
#include <set>

#include "polyform/helpers/xml_text.hpp"

namespace polyform::fmi {

using Role = Variable::Role;

namespace {

/// A unit of results as powers of the base units. Units that are not known are shown by their name alone.
struct BaseUnit {
  std::string_view name;
  int kg, m, s, A, rad;
};
constexpr std::array known_units{
    BaseUnit{"s", 0, 0, 1, 0, 0},      BaseUnit{"m", 0, 1, 0, 0, 0},      BaseUnit{"rad", 0, 0, 0, 0, 1},
    BaseUnit{"kg", 1, 0, 0, 0, 0},     BaseUnit{"A", 0, 0, 0, 1, 0},      BaseUnit{"m/s", 0, 1, -1, 0, 0},
    BaseUnit{"rad/s", 0, 0, -1, 0, 1}, BaseUnit{"m/s^2", 0, 1, -2, 0, 0}, BaseUnit{"rad/s^2", 0, 0, -2, 0, 1},
    BaseUnit{"N", 1, 1, -2, 0, 0},     BaseUnit{"N m", 1, 2, -2, 0, 0},   BaseUnit{"J", 1, 2, -2, 0, 0},
    BaseUnit{"W", 1, 2, -3, 0, 0},     BaseUnit{"V", 1, 2, -3, -1, 0},    BaseUnit{"N/m", 1, 0, -2, 0, 0},
    BaseUnit{"N s/m", 1, 0, -1, 0, 0}, BaseUnit{"Pa", 1, -1, -2, 0, 0},   BaseUnit{"1/s", 0, 0, -1, 0, 0}};

class Writer {
 public:
  Writer(const FmuModel& model, const Settings& settings, int version)
      : model_(model),
        settings_(settings),
        version_(version),
        first_state_(static_cast<std::size_t>(std::ranges::find(model.variables(), Role::state, &Variable::role) -
                                              model.variables().begin())) {}

  std::string write() {
    line(0, R"(<?xml version="1.0" encoding="UTF-8"?>)");
    const std::string_view name = model_.system().description().name;
    const bool is_me = settings_.kind == Kind::model_exchange;
    line(0,
         R"(<fmiModelDescription fmiVersion="{}" modelName="{}" {}="{}" description="{}" generationTool="Polyform {}")"
         R"( variableNamingConvention="flat"{}>)",
         version_ == 2 ? "2.0" : "3.0", xml_text(name), version_ == 2 ? "guid" : "instantiationToken",
         xml_text(settings_.token), xml_text(fmt::format("formulation {}", model_.choice().formulation->name())),
         POLYFORM_VERSION,
         version_ == 2 ? fmt::format(R"( numberOfEventIndicators="{}")", model_.count(Role::event)) : "");
    const std::string state =
        fmt::format(R"(canGetAndSetFMU{0}="true" canSerializeFMU{0}="true")", version_ == 2 ? "state" : "State");
    const std::string identifier = model_identifier(std::string(name));
    const char* const derivatives = version_ == 2 ? "providesDirectionalDerivative" : "providesDirectionalDerivatives";
    if (is_me)
      line(1, R"(<ModelExchange modelIdentifier="{}" {} {}="true"{}/>)", identifier, state, derivatives,
           version_ == 3 ? R"( needsCompletedIntegratorStep="true")" : "");
    else
      line(1, R"(<CoSimulation modelIdentifier="{}" {} canHandleVariableCommunicationStepSize="true"/>)", identifier,
           state);
    write_units();
    line(1, "<LogCategories>");
    line(2, R"(<Category name="logStatusError" description="why a call failed"/>)");
    line(2, R"(<Category name="logStatusWarning" description="what may be wrong with the model"/>)");
    line(1, "</LogCategories>");
    const host::RunSettings& run = model_.run();
    line(1, R"(<DefaultExperiment startTime="0" stopTime="{}" tolerance="{}" stepSize="{}"/>)", run.duration,
         run.relative_tolerance, run.output_interval);
    line(1, "<ModelVariables>");
    for (std::size_t k = 0; k < model_.variables().size(); ++k) write_variable(k);
    line(1, "</ModelVariables>");
    line(1, "<ModelStructure>");
    version_ == 2 ? write_structure_2() : write_structure_3();
    line(1, "</ModelStructure>");
    line(0, "</fmiModelDescription>");
    return std::move(out_);
  }

 private:
  template <class... Parts>
  void line(int depth, fmt::format_string<Parts...> text, Parts&&... parts) {
    out_.append(2 * static_cast<std::size_t>(depth), ' ');
    fmt::format_to(std::back_inserter(out_), text, std::forward<Parts>(parts)...);
    out_ += '\n';
  }

  static bool has_unit(const Variable& v) { return !v.unit.empty() && v.unit != "1"; }

  void write_units() {
    std::set<std::string> units;
    for (const Variable& v : model_.variables())
      if (has_unit(v)) units.insert(v.unit);
    line(1, "<UnitDefinitions>");
    for (const std::string& unit : units) {
      const auto known = std::ranges::find(known_units, unit, &BaseUnit::name);
      if (known == known_units.end()) {
        line(2, R"(<Unit name="{}"/>)", xml_text(unit));
        continue;
      }
      std::string powers;
      for (const auto& [base, power] : {std::pair("kg", known->kg), std::pair("m", known->m), std::pair("s", known->s),
                                        std::pair("A", known->A), std::pair("rad", known->rad)})
        if (power != 0) powers += fmt::format(R"( {}="{}")", base, power);
      line(2, R"(<Unit name="{}"><BaseUnit{}/></Unit>)", xml_text(unit), powers);
    }
    line(1, "</UnitDefinitions>");
  }

  static bool is_input(Role role) {
    return role == Role::input || role == Role::input_rate || role == Role::input_acceleration;
  }

  void write_variable(std::size_t reference) {
    const Variable& v = model_.variables()[reference];
    std::string causality, kind, inside;
    switch (v.role) {
      case Role::time: causality = R"(causality="independent" variability="continuous")"; break;
      case Role::parameter:
      case Role::start: causality = R"(causality='parameter' variability='fixed' initial='exact')"; break;
      case Role::input:
      case Role::input_rate:
      case Role::input_acceleration: causality = R"(causality="input" variability="continuous")"; break;
      case Role::output: causality = R"(causality="output" variability="continuous" initial="calculated")"; break;
      default: causality = R"(causality="local" variability="continuous" initial="calculated")";
    }
    if (v.role == Role::parameter || v.role == Role::start || is_input(v.role))
      inside += fmt::format(R"( start="{}")", v.start);
    if (has_unit(v)) inside += fmt::format(R"( unit="{}")", xml_text(v.unit));
    if (v.role == Role::state) inside += R"( reinit="true")";  // corrections and events set it
    // Version 2 counts variables from 1, version 3 names the value reference of the state.
    if (v.role == Role::rate)
      inside += fmt::format(R"( derivative="{}")", first_state_ + v.index + (version_ == 2 ? 1 : 0));
    const std::string common = fmt::format(R"(name="{}" valueReference="{}" description="{}" {})", xml_text(v.name),
                                           reference, xml_text(v.meaning), causality);
    if (version_ == 2)
      line(2, R"(<ScalarVariable {}><Real{}/></ScalarVariable>)", common, inside);
    else
      line(2, R"(<Float64 {}{}/>)", common, inside);
  }

  template <class Write>
  void for_each(Role role, Write&& write) {
    for (std::size_t k = 0; k < model_.variables().size(); ++k)
      if (model_.variables()[k].role == role) write(k);
  }

  void list_2(const char* element, std::initializer_list<Role> roles) {
    std::size_t count = 0;
    for (const Role role : roles) count += model_.count(role);
    if (count == 0) return;  // a list without items is none
    line(2, "<{}>", element);
    for (const Role role : roles) for_each(role, [&](std::size_t k) { line(3, R"(<Unknown index="{}"/>)", k + 1); });
    line(2, "</{}>", element);
  }
  void write_structure_2() {
    list_2("Outputs", {Role::output});
    list_2("Derivatives", {Role::rate});
    list_2("InitialUnknowns", {Role::output, Role::state, Role::rate});
  }
  void write_structure_3() {
    const auto list = [&](const char* element, Role role) {
      for_each(role, [&](std::size_t k) { line(2, R"(<{} valueReference="{}"/>)", element, k); });
    };
    list("Output", Role::output);
    list("ContinuousStateDerivative", Role::rate);
    for (const Role role : {Role::output, Role::state, Role::rate}) list("InitialUnknown", role);
    list("EventIndicator", Role::event);
  }

  const FmuModel& model_;
  const Settings& settings_;
  int version_;
  std::size_t first_state_;
  std::string out_;
};

}  // namespace

std::string model_identifier(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += fits ? c : '_';
  }
  constexpr std::size_t most = 60;
  out.resize(std::min(out.size(), most));
  if (out.empty() || (out.front() >= '0' && out.front() <= '9')) out.insert(0, "model_");
  return out;
}

std::string model_description(const FmuModel& model, const Settings& settings, int version) {
  return Writer(model, settings, version).write();
}

}  // namespace polyform::fmi
