#include "coefficient_fields.hpp"

#include <algorithm>
#include <array>

namespace polyform::aerodynamics {
namespace {

struct VariableText {
  std::string_view name, unit, meaning;
};
constexpr std::string_view coefficient_names[coefficient_count]{"CL", "CD", "CY", "Cl", "Cm", "Cn"};
constexpr std::string_view constants[coefficient_count]{
    "lift coefficient, positive up (-z at small angles)", "drag coefficient, positive backward",
    "side force coefficient, positive along y",           "rolling moment coefficient about x, by span",
    "pitching moment coefficient about y, by chord",      "yawing moment coefficient about z, by span"};
constexpr VariableText variable_texts[variable_count]{
    {"0", "", ""},
    {"alpha", "1/rad", "derivative by the angle of attack"},
    {"beta", "1/rad", "derivative by the angle of sideslip"},
    {"p", "1/rad", "derivative by p b/2V, p being the rate of roll"},
    {"q", "1/rad", "derivative by q c/2V, q being the rate of pitch"},
    {"r", "1/rad", "derivative by r b/2V, r being the rate of yaw"},
    {"control", "1/rad", "derivatives by the deflections of the `controls`, one for each"}};

/// "CL_alpha" and the like.
struct Name {
  std::array<char, 12> text{};
  std::size_t size = 0;

  constexpr void append(std::string_view part) {
    for (const char c : part) text[size++] = c;
  }
};
constexpr auto names = [] {
  std::array<Name, derivative(coefficient_count, 0) - first_derivative> out{};
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].append(coefficient_names[k / variable_count]);
    out[k].append("_");
    out[k].append(variable_texts[k % variable_count].name);
  }
  return out;
}();

constexpr std::size_t count = derivative(coefficient_count, 0);

constexpr FieldSpec reference(std::string_view name, std::string_view unit, std::string_view meaning) {
  return {.name = name,
          .type = FieldType::number,
          .unit = unit,
          .meaning = meaning,
          .required = true,
          .minimum = 0,
          .exclusive_minimum = true};
}

constexpr auto specs = [] {
  std::array<FieldSpec, count> out{};
  std::copy_n(common_specs, static_cast<std::size_t>(common_fields), out.begin());
  out[reference_area] = reference("area", "m^2", "S, reference area of all coefficients");
  out[reference_chord] = reference("chord", "m", "c, reference length of Cm and of the rate of pitch");
  out[reference_span] = reference("span", "m", "b, reference length of Cl and Cn and of the rates of roll and yaw");
  out[deflections] = {.name = "controls",
                      .type = FieldType::time_functions,
                      .unit = "rad",
                      .meaning = "deflections of the control surfaces",
                      .default_text = "[]"};
  out[polar_rows] = {.name = "polar",
                     .type = FieldType::matrix,
                     .unit = "",
                     .meaning =
                         "rows [angle of attack, CL, CD, Cm], rad, linear between them and held beyond; instead "
                         "of the constants and alpha derivatives of these"};
  out[induced_drag] = {.name = "CD_CL2",
                       .type = FieldType::number,
                       .unit = "",
                       .meaning = "induced drag: CD per square of the CL that does not come from rates",
                       .default_text = "0"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::size_t c = k / variable_count, v = k % variable_count;
    out[first_derivative + k] = {.name = {names[k].text.data(), names[k].size},
                                 .type = v == control ? FieldType::numbers : FieldType::number,
                                 .unit = variable_texts[v].unit,
                                 .meaning = v == constant ? constants[c] : variable_texts[v].meaning,
                                 .default_text = v == control ? "[]" : "0"};
  }
  return out;
}();

}  // namespace

Strided<const FieldSpec> body_specs() noexcept { return specs; }

}  // namespace polyform::aerodynamics
