// Numbers, booleans, texts, and what is made of a few numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "framework/host/reading/number_units.hpp"
#include "framework/host/reading/parameters.hpp"
#include "framework/host/reading/unit_quaternion.hpp"
#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

namespace {

thread_local std::unordered_map<const Node*, std::string>* kept_units = nullptr;

/// A list of as many finite numbers as `out` has; `what` names it.
bool read_list(const Value& value, std::span<double> out, std::string_view what, std::string_view unit) {
  const Node& node = value.node();
  if (node.kind != Node::Kind::list || node.items.size() != out.size()) {
    value.unexpected(fmt::format("{}{}{}", what, unit.empty() ? "" : ", in ", unit));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::optional<double> x = read_number(value.item(i), unit);
    good = good && x;
    out[i] = x.value_or(0);
  }
  return good;
}

/// Unit vector along v, or nothing for zero; free of overflow.
std::optional<Vec3> unit_along(const Vec3& v) {
  const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  if (largest == 0) return std::nullopt;
  const Vec3 scaled{v.x / largest, v.y / largest, v.z / largest};
  return (1 / norm(scaled)) * scaled;
}

std::optional<Quat> read_quaternion(const Value& value) {
  std::array<double, 4> c{};
  if (!read_list(value, c, "a quaternion [w, x, y, z]", {})) return std::nullopt;
  const double length = std::hypot(std::hypot(c[0], c[1]), std::hypot(c[2], c[3]));
  if (std::abs(length - 1) > unit_quaternion) {
    value.error(fmt::format("the quaternion has length {:.9g}, expected 1 (to 1e-6)", length),
                length == 0 ? "Use [1, 0, 0, 0] for no rotation."
                            : "Give more digits, w first, or use {axis: [x, y, z], angle: a}.");
    return std::nullopt;
  }
  return normalized(Quat{c[0], c[1], c[2], c[3]});
}

}  // namespace

NumberUnits::NumberUnits() { kept_units = &units_; }
NumberUnits::~NumberUnits() { kept_units = nullptr; }

std::string NumberUnits::of(const Node& node) const {
  const auto found = units_.find(&node);
  return found == units_.end() ? std::string() : found->second;
}

void NumberUnits::keep(const Node& node, std::string_view unit) {
  if (kept_units != nullptr) kept_units->insert_or_assign(&node, std::string(unit));
}

bool is_nonfinite(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  constexpr std::array<std::string_view, 11> names{".nan", ".NaN", ".NAN", "nan", "NaN",     "NAN",
                                                   ".inf", ".Inf", ".INF", "inf", "Infinity"};
  return std::find(names.begin(), names.end(), text) != names.end();
}

std::string number_in(std::string_view unit) {
  return unit.empty() ? std::string("a number") : fmt::format("a number in {}", unit);
}

std::optional<double> read_number(const Value& value, std::string_view unit, std::string_view otherwise) {
  const Node& node = value.node();
  const auto fail = [&](std::string_view remedy) {
    value.unexpected(number_in(unit), remedy);
    return std::nullopt;
  };
  if (node.kind != Node::Kind::scalar) return fail({});
  NumberUnits::keep(node, unit);
  std::string_view text = node.text;
  if (value.scope() != nullptr)
    if (const std::optional<double> parameter = value.scope()->parameter(text)) return parameter;
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  const bool whole = end == text.data() + text.size() && error != std::errc::invalid_argument;
  if (is_nonfinite(node.text) || (whole && !std::isfinite(x))) {
    value.error(fmt::format("found {}, which is not a finite number", show(node.text)),
                "Every number of a model is finite; look at what wrote this value.");
    return std::nullopt;
  }
  if (!whole && value.scope() == nullptr) return fail("Write a decimal number such as 0.5 or 1e-3.");
  if (!whole && text.empty()) return fail({});
  if (!whole) return evaluate_expression(value, number_in(unit), otherwise);
  if (error == std::errc::result_out_of_range) {
    value.error(fmt::format("found {}, which is beyond the range of a double (1e-308 to 1e308)", show(node.text)));
    return std::nullopt;
  }
  return x;
}

std::optional<std::int64_t> read_integer(const Value& value) {
  const Node& node = value.node();
  std::string_view text = node.text;
  const bool scalar = node.kind == Node::Kind::scalar && !text.empty();
  const bool is_parameter = scalar && value.scope() != nullptr && value.scope()->parameter(text);
  const bool is_expression =
      scalar && value.scope() != nullptr && text.find_first_not_of("+-0123456789.eE") != std::string_view::npos;
  if (is_parameter || (is_expression && !is_nonfinite(text))) {
    const std::optional<double> number =
        is_parameter ? value.scope()->parameter(text) : evaluate_expression(value, "an integer");
    if (!number) return std::nullopt;
    constexpr double beyond = 9007199254740992.0;  // 2^53: parameters are doubles
    if (*number == std::trunc(*number) && std::abs(*number) < beyond) return static_cast<std::int64_t>(*number);
    value.error(fmt::format("the {} {} is {}, expected an integer", is_parameter ? "parameter" : "expression",
                            show(text), *number),
                !is_parameter ? "Look at the values of its parameters."
                : value.scope()->is_model
                    ? "Give it a whole number under 'parameters'."
                    : "Give it a whole number where the part is placed, or in the part's defaults.");
    return std::nullopt;
  }
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const bool whole = end == text.data() + text.size();
  if (node.kind != Node::Kind::scalar || error != std::errc{} || !whole) {
    const bool too_large = error == std::errc::result_out_of_range && whole;
    value.unexpected("an integer", too_large ? "It is beyond 9223372036854775807."
                                             : "Write it without decimal point or exponent, such as 12.");
    return std::nullopt;
  }
  return n;
}

std::optional<bool> read_boolean(const Value& value) {
  const Node& node = value.node();
  if (node.kind == Node::Kind::scalar && !node.quoted) {
    if (node.text == "true" || node.text == "True" || node.text == "TRUE") return true;
    if (node.text == "false" || node.text == "False" || node.text == "FALSE") return false;
  }
  value.unexpected("true or false");
  return std::nullopt;
}

std::optional<std::string> read_text(const Value& value, std::string_view what) {
  const Node& node = value.node();
  if (node.kind != Node::Kind::scalar || node.text.empty()) {
    value.unexpected(what);
    return std::nullopt;
  }
  return node.text;
}

std::optional<Vec3> read_vector3(const Value& value, std::string_view unit) {
  std::array<double, 3> c{};
  if (!read_list(value, c, "a list of 3 numbers [x, y, z]", unit)) return std::nullopt;
  return Vec3{c[0], c[1], c[2]};
}

std::optional<Vec3> read_direction(const Value& value) {
  std::array<double, 3> c{};
  if (!read_list(value, c, "a direction [x, y, z]", {})) return std::nullopt;
  const std::optional<Vec3> unit = unit_along({c[0], c[1], c[2]});
  if (!unit)
    value.error("found [0, 0, 0], which has no direction", "Give a vector along the axis; its length does not matter.");
  return unit;
}

std::optional<Quat> read_orientation(const Value& value) {
  const Node& node = value.node();
  if (node.kind == Node::Kind::list) return read_quaternion(value);
  if (node.kind != Node::Kind::map) {
    value.unexpected("an orientation: [w, x, y, z], {axis: [x, y, z], angle: a} or {rpy: [r, p, y]}, angles in rad");
    return std::nullopt;
  }
  MapReader map(value);
  if (const auto rpy = map.find("rpy")) {
    map.forbid("axis", "the orientation is given as 'rpy'");
    map.forbid("angle", "the orientation is given as 'rpy'");
    map.finish();
    const std::optional<Vec3> a = read_vector3(*rpy, "rad");
    if (!a) return std::nullopt;
    return axis_angle(Vec3{0, 0, 1}, a->z) * axis_angle(Vec3{0, 1, 0}, a->y) * axis_angle(Vec3{1, 0, 0}, a->x);
  }
  const auto axis_value = map.require("axis", "the axis of the rotation, [x, y, z]");
  const auto angle_value = map.require("angle", "the angle of the rotation, in rad");
  map.finish();
  const std::optional<Vec3> axis = axis_value ? read_direction(*axis_value) : std::nullopt;
  const std::optional<double> angle = angle_value ? read_number(*angle_value, "rad") : std::nullopt;
  if (!axis || !angle) return std::nullopt;
  return axis_angle(*axis, *angle);
}

std::optional<std::vector<double>> read_numbers(const Value& value, std::string_view unit) {
  if (value.node().kind == Node::Kind::list) {
    std::vector<double> out(value.node().items.size());
    if (!read_list(value, out, {}, unit)) return std::nullopt;
    return out;
  }
  if (value.node().kind != Node::Kind::scalar) {
    value.unexpected(number_in(unit) + " or a list of them");
    return std::nullopt;
  }
  const std::optional<double> x = read_number(value, unit);
  if (!x) return std::nullopt;
  return std::vector<double>{*x};
}

}  // namespace polyform::host::reading
