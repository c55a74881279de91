#include "framework/host/reading/time_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/host/expressions/tables.hpp"
#include "framework/host/reading/formulas.hpp"

namespace polyform::host::inline reading {

namespace {

constexpr std::string_view forms =
    "Give a number, {constant: c}, {polynomial: [c0, c1, …]}, {ramp: {rate, start, end}}, "
    "{sine: {amplitude, frequency, phase, offset}}, {table: [[t, x], …]}, {expression: \"…\"}, {sum: […]} or "
    "{product: […]}.";

/// An optional entry of a map; false after a report.
bool read_entry(MapReader& map, std::string_view key, std::string_view unit, double& out) {
  const auto value = map.find(key);
  if (!value) return true;
  const std::optional<double> x = read_number(*value, unit);
  if (x) out = *x;
  return x.has_value();
}
bool require_entry(MapReader& map, std::string_view key, std::string_view meaning, std::string_view unit, double& out) {
  const auto value = map.require(key, meaning);
  const std::optional<double> x = value ? read_number(*value, unit) : std::nullopt;
  if (x) out = *x;
  return x.has_value();
}

bool read_polynomial(const Value& value, std::string_view unit, TimeFunction& out, Description& storage) {
  if (value.node().kind != Node::Kind::list || value.node().items.empty()) {
    value.unexpected("the coefficients [c0, c1, …] of c0 + c1 t + …");
    return false;
  }
  std::optional<std::vector<double>> c =
      read_numbers(value, unit.empty() ? "" : fmt::format("{}, per power of s", unit));
  if (!c) return false;
  out.kind = TimeFunction::Kind::polynomial;
  out.data = storage.numbers.emplace_back(std::move(*c));
  return true;
}

bool read_ramp(const Value& value, std::string_view unit, TimeFunction& out) {
  MapReader map(value);
  if (!map.is_map()) return false;
  out.kind = TimeFunction::Kind::ramp;
  out.end = std::numeric_limits<double>::infinity();
  bool good = require_entry(map, "rate", "the slope between start and end",
                            unit.empty() ? "" : fmt::format("{}/s", unit), out.rate);
  good &= read_entry(map, "start", "s", out.start);
  good &= read_entry(map, "end", "s", out.end);
  map.finish();
  if (good && out.end < out.start) {
    value.error(fmt::format("the ramp ends at {:g} s, before it starts at {:g} s", out.end, out.start),
                "Give start ≤ end.");
    return false;
  }
  return good;
}

bool read_sine(const Value& value, std::string_view unit, TimeFunction& out) {
  MapReader map(value);
  if (!map.is_map()) return false;
  out.kind = TimeFunction::Kind::sine;
  bool good = require_entry(map, "amplitude", "of offset + amplitude sin(2π frequency t + phase)", unit, out.amplitude);
  good &= require_entry(map, "frequency", "in Hz", "Hz", out.frequency);
  good &= read_entry(map, "phase", "rad", out.phase);
  good &= read_entry(map, "offset", unit, out.offset);
  map.finish();
  return good;
}

/// One row [t, x] of a table; false after a report.
bool read_row(const Value& row, std::string_view unit, std::vector<double>& out) {
  if (row.node().kind != Node::Kind::list || row.node().items.size() != 2) {
    row.unexpected("a row [t, x] of two numbers");
    return false;
  }
  const std::optional<double> t = read_number(row.item(0), "s"), x = read_number(row.item(1), unit);
  if (!t || !x) return false;
  if (!out.empty() && *t <= out[out.size() - 2]) {
    row.item(0).error(fmt::format("{} does not come after {} of the row before", *t, out[out.size() - 2]),
                      "Rows of a table increase strictly; sort them and remove repeated ones.");
    return false;
  }
  out.insert(out.end(), {*t, *x});
  return true;
}

/// Triples t, x, x″ of the natural cubic spline through pairs t, x: the tridiagonal system
/// h₀ x″₋ + 2 (h₀ + h₁) x″ + h₁ x″₊ = 6 ((x₊ − x)/h₁ − (x − x₋)/h₀) by elimination, x″ = 0 at both ends.
std::vector<double> natural_spline(const std::vector<double>& pairs) {
  const std::size_t n = pairs.size() / 2;
  const auto t = [&](std::size_t i) { return pairs[2 * i]; };
  const auto x = [&](std::size_t i) { return pairs[2 * i + 1]; };
  std::vector<double> upper(n, 0), second(n, 0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h0 = t(i) - t(i - 1), h1 = t(i + 1) - t(i);
    const double pivot = 2 * (h0 + h1) - h0 * upper[i - 1];
    const double right = 6 * ((x(i + 1) - x(i)) / h1 - (x(i) - x(i - 1)) / h0);
    upper[i] = h1 / pivot;
    second[i] = (right - h0 * second[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) second[i] -= upper[i] * second[i + 1];
  std::vector<double> out;
  out.reserve(3 * n);
  for (std::size_t i = 0; i < n; ++i) out.insert(out.end(), {t(i), x(i), second[i]});
  return out;
}

/// Reads linear or cubic, as `interpolation` says; nothing after a report.
std::optional<TimeFunction::Kind> read_interpolation(const Value& value) {
  const std::optional<std::string> word = read_text(value, "linear or cubic");
  if (word == "linear") return TimeFunction::Kind::linear_table;
  if (word == "cubic") return TimeFunction::Kind::cubic_table;
  if (word) value.unexpected("linear or cubic", did_you_mean(*word, {"linear", "cubic"}));
  return std::nullopt;
}

bool read_table(const Value& value, std::string_view unit, TimeFunction& out, Description& storage) {
  if (value.node().kind != Node::Kind::list || value.node().items.empty()) {
    value.unexpected("a table [[t, x], …] of at least one row");
    return false;
  }
  std::vector<double> pairs;
  bool good = true;
  for (std::size_t i = 0; i < value.node().items.size(); ++i) good = read_row(value.item(i), unit, pairs) && good;
  if (!good) return false;
  const bool cubic = out.kind == TimeFunction::Kind::cubic_table;
  std::vector<double> data = cubic ? natural_spline(pairs) : std::move(pairs);
  if (!std::all_of(data.begin(), data.end(), [](double d) { return std::isfinite(d); })) {
    value.error("the spline through this table is not finite",
                "Times that nearly coincide or values that are huge cause this.");
    return false;
  }
  out.data = storage.numbers.emplace_back(std::move(data));
  return true;
}

/// Finds the one form key of the map; nothing after a report.
std::optional<Value> find_form(const Value& value, MapReader& map) {
  std::optional<Value> found;
  for (const std::string_view key :
       {"constant", "polynomial", "ramp", "sine", "table", "expression", "sum", "product"}) {
    const auto form = map.find(key);
    if (form && found) {
      value.error(
          fmt::format("found both '{}' and '{}', expected one form of a function of time", found->path().key, key),
          forms);
      return std::nullopt;
    }
    if (form) found = form;
  }
  if (!found) map.finish();
  if (!found && value.node().entries.empty()) value.unexpected("a function of time", forms);
  return found;
}

/// Whether a key of the map is given.
bool has(const Value& map, std::string_view wanted) {
  const auto& entries = map.node().entries;
  return std::ranges::any_of(entries, [&](const Node::Entry& e) { return e.key == wanted; });
}

/// Reads a form that is stored as a formula; nothing after a report.
std::optional<TimeFunction> read_formula(const Value& value, MapReader& map, const Value& form,
                                         FormulaReader* formulas) {
  const std::string_view key = form.path().key;
  if (formulas == nullptr) {
    form.error(fmt::format("'{}' cannot stand here", key), "Give a number or a function of time in another form.");
    return std::nullopt;
  }
  expressions::Graph& graph = formulas->formulas().graph;
  std::optional<expressions::NodeIndex> node;
  if (key == "expression") {
    node = formulas->expression(form);
  } else if (key == "table") {
    const auto of = map.find("of");
    const std::optional<expressions::NodeIndex> input = of ? formulas->operand(*of) : formulas->time();
    const std::optional<expressions::Table> table = read_plain_table(map);
    if (input && table) node = graph.table(*table, *input);
  } else {
    // Parts are operands: numbers, expressions as texts, functions of time in any form.
    const bool sum = key == "sum", is_list = form.node().kind == Node::Kind::list;
    bool good = !is_list || !form.node().items.empty();
    if (!good) form.error(fmt::format("the list of '{}' is empty", key), "Give its parts, or a number in its place.");
    expressions::NodeIndex all = graph.constant(sum ? 0 : 1);
    for (std::size_t i = 0; i < (is_list ? form.node().items.size() : 1); ++i) {
      const auto part = formulas->operand(is_list ? form.item(i) : form);
      good = good && part;
      if (part) all = graph.add(sum ? expressions::Code::add : expressions::Code::multiply, all, *part);
    }
    if (good) node = all;
  }
  if (key != "table")
    for (const std::string_view other : {"interpolation", "periodic", "of"}) map.forbid(other, "it belongs to a table");
  map.finish();
  return node ? formulas->function(value, *node) : std::nullopt;
}

}  // namespace

std::optional<expressions::Table> read_plain_table(MapReader& map) {
  const auto rows = map.require("table", "rows [x, y] with increasing x");
  const auto interpolation = map.find("interpolation"), periodic = map.find("periodic");
  const auto kind = interpolation ? read_interpolation(*interpolation) : TimeFunction::Kind::linear_table;
  const std::optional<bool> repeats = periodic ? read_boolean(*periodic) : false;
  if (!rows || !kind || !repeats) return std::nullopt;
  if (rows->node().kind != Node::Kind::list || rows->node().items.empty()) {
    rows->unexpected("a table [[x, y], …] of at least one row");
    return std::nullopt;
  }
  std::vector<double> pairs;
  bool good = true;
  for (std::size_t i = 0; i < rows->node().items.size(); ++i) good = read_row(rows->item(i), {}, pairs) && good;
  if (!good) return std::nullopt;
  expressions::Table table;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    table.x.push_back(pairs[i]);
    table.y.push_back(pairs[i + 1]);
  }
  table.periodic = *repeats;
  if (table.periodic && (table.y.size() < 2 || table.y.front() != table.y.back())) {
    rows->error("a periodic table ends as it begins: its first and its last row are one period apart",
                "Give the last row the value of the first one.");
    return std::nullopt;
  }
  if (*kind == TimeFunction::Kind::cubic_table) {
    expressions::make_spline(table);
    if (!std::ranges::all_of(table.second, [](double d) { return std::isfinite(d); })) {
      rows->error("the spline through this table is not finite",
                  "Rows that nearly coincide or values that are huge cause this.");
      return std::nullopt;
    }
  }
  return table;
}

std::optional<TimeFunction> read_time_function(const Value& value, std::string_view unit, Description& storage,
                                               FormulaReader* formulas) {
  TimeFunction f;
  if (value.node().kind != Node::Kind::map) {
    if (value.node().kind != Node::Kind::scalar) {
      value.unexpected(fmt::format("{} or a function of time", number_in(unit)), forms);
      return std::nullopt;
    }
    const std::optional<double> x =
        read_number(value, unit, "A formula of time or of the motion stands as {expression: \"…\"}.");
    if (!x) return std::nullopt;
    f.constant = *x;
    return f;
  }
  MapReader map(value);
  const std::optional<Value> form = find_form(value, map);
  if (!form) return std::nullopt;
  const std::string_view key = form->path().key;
  const bool further_table = key == "table" && (has(value, "of") || has(value, "periodic"));
  if (further_table || key == "expression" || key == "sum" || key == "product")
    return read_formula(value, map, *form, formulas);
  bool good = false;
  if (key == "constant") {
    const std::optional<double> x = read_number(*form, unit);
    f.constant = x.value_or(0);
    good = x.has_value();
  } else if (key == "polynomial") {
    good = read_polynomial(*form, unit, f, storage);
  } else if (key == "ramp") {
    good = read_ramp(*form, unit, f);
  } else if (key == "sine") {
    good = read_sine(*form, unit, f);
  } else {
    const auto interpolation = map.find("interpolation");
    const auto kind = interpolation ? read_interpolation(*interpolation) : TimeFunction::Kind::linear_table;
    f.kind = kind.value_or(TimeFunction::Kind::linear_table);
    good = read_table(*form, unit, f, storage) && kind;
  }
  if (key != "table") map.forbid("interpolation", "only a table is interpolated");
  map.finish();
  return good ? std::optional(f) : std::nullopt;
}

std::optional<std::vector<TimeFunction>> read_time_functions(const Value& value, std::string_view unit,
                                                             Description& storage, FormulaReader* formulas) {
  std::vector<TimeFunction> out;
  if (value.node().kind != Node::Kind::list) {
    const std::optional<TimeFunction> f = read_time_function(value, unit, storage, formulas);
    if (!f) return std::nullopt;
    out.push_back(*f);
    return out;
  }
  bool good = true;
  for (std::size_t i = 0; i < value.node().items.size(); ++i) {
    const std::optional<TimeFunction> f = read_time_function(value.item(i), unit, storage, formulas);
    good = good && f;
    if (f) out.push_back(*f);
  }
  return good ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace polyform::host::reading
