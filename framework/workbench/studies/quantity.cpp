#include "framework/workbench/studies/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::host::inline studies {

namespace {

using Kind = Aggregate::Kind;
constexpr std::array<std::pair<std::string_view, Kind>, 10> named_aggregates{{{"min", Kind::minimum},
                                                                              {"max", Kind::maximum},
                                                                              {"initial", Kind::initial},
                                                                              {"final", Kind::final},
                                                                              {"mean", Kind::mean},
                                                                              {"rms", Kind::rms},
                                                                              {"amplitude", Kind::amplitude},
                                                                              {"integral", Kind::integral},
                                                                              {"crossing", Kind::crossing},
                                                                              {"difference", Kind::difference}}};
constexpr std::array<std::pair<std::string_view, double (*)(double)>, 7> functions{
    {{"abs", [](double x) { return std::abs(x); }},
     {"sqrt", [](double x) { return std::sqrt(x); }},
     {"exp", [](double x) { return std::exp(x); }},
     {"log", [](double x) { return std::log(x); }},
     {"sin", [](double x) { return std::sin(x); }},
     {"cos", [](double x) { return std::cos(x); }},
     {"tan", [](double x) { return std::tan(x); }}}};

constexpr const char* example =
    "For example peak=\"max(pin.q) - min(pin.q)\". Over columns: min, max, initial, final, mean, rms, amplitude, "
    "integral, crossing(column, value), difference(column, SOLVER); over numbers: + - * / ^, abs, sqrt, exp, log, sin, "
    "cos, tan, pi.";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A recursive descent: sum, product, power, and what stands alone.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view name, std::string_view text, std::vector<Aggregate>& aggregates)
      : name_(name), text_(text), aggregates_(aggregates) {}

  std::vector<Operation> parse() {
    sum();
    skip();
    if (at_ < text_.size()) refuse(fmt::format("found {}, expected an operator", show(text_.substr(at_))));
    return std::move(program_);
  }

 private:
  static constexpr std::size_t deepest = 200;  ///< levels of nesting, so that no text exhausts the stack

  [[noreturn]] void refuse(const std::string& why, const std::string& remedy = example) const {
    throw Failure(Exit::bad_input,
                  fmt::format("quantity {}: column {} of {}: {}", show(name_), at_ + 1, show(text_), why), remedy);
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c))
      refuse(fmt::format("found {}, expected '{}'", at_ < text_.size() ? show(text_.substr(at_, 1)) : "the end", c));
  }
  void put(Operation::Kind kind) { program_.push_back({kind, 0, 0, nullptr}); }

  void sum() {
    if (++depth_ > deepest) refuse("the expression is nested too deeply");
    product();
    for (;;) {
      if (take('+')) {
        product();
        put(Operation::Kind::add);
      } else if (take('-')) {
        product();
        put(Operation::Kind::subtract);
      } else {
        break;
      }
    }
    --depth_;
  }
  void product() {
    signed_power();
    for (;;) {
      if (take('*')) {
        signed_power();
        put(Operation::Kind::multiply);
      } else if (take('/')) {
        signed_power();
        put(Operation::Kind::divide);
      } else {
        return;
      }
    }
  }
  /// -a^b is -(a^b), and a^b^c is a^(b^c).
  void signed_power() {
    if (++depth_ > deepest) refuse("the expression is nested too deeply");
    if (take('-')) {
      signed_power();
      put(Operation::Kind::negate);
    } else {
      take('+');
      single();
      if (take('^')) {
        signed_power();
        put(Operation::Kind::power);
      }
    }
    --depth_;
  }
  void single() {
    skip();
    if (take('(')) {
      sum();
      expect(')');
    } else if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
      program_.push_back({Operation::Kind::number, number(), 0, nullptr});
    } else if (at_ < text_.size() && is_letter(text_[at_])) {
      named();
    } else {
      refuse(at_ < text_.size() ? fmt::format("found {}, expected a number or a function", show(text_.substr(at_, 1)))
                                : std::string("it ends where a number or a function is expected"));
    }
  }
  double number() {
    skip();
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc() || !std::isfinite(value)) refuse("expected a finite number");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  void named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "pi") {
      program_.push_back({Operation::Kind::number, std::numbers::pi, 0, nullptr});
      return;
    }
    for (const auto& [known, kind] : named_aggregates)
      if (known == word) return aggregate(kind);
    for (const auto& [known, function] : functions)
      if (known == word) {
        expect('(');
        sum();
        expect(')');
        program_.push_back({Operation::Kind::function, 0, 0, function});
        return;
      }
    at_ = begin;
    std::vector<std::string_view> all{"pi"};
    for (const auto& known : named_aggregates) all.push_back(known.first);
    for (const auto& known : functions) all.push_back(known.first);
    refuse(fmt::format("there is no function {}", show(word)),
           did_you_mean(word, all) + "A column stands in a function, such as final(pin.q). " + example);
  }
  /// A name that goes on until there, without the blanks around it.
  std::string until(std::size_t end, const char* what) {
    skip();
    end = std::min(end, text_.size());
    std::string name(text_.substr(at_, end - at_));
    while (!name.empty() && name.back() == ' ') name.pop_back();
    if (name.empty()) refuse(fmt::format("expected {}", what));
    at_ = end;
    return name;
  }
  /// The name of a column, as it is written, or in quotes with any characters.
  std::string column() {
    constexpr const char* what = "the name of a column";
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
      return until(text_.find_first_of(",)", at_), what);
    const char quote = text_[at_++];
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) refuse("the name of the column has no quotation mark at its end");
    std::string name = until(end, what);
    ++at_;
    return name;
  }
  void aggregate(Kind kind) {
    expect('(');
    Aggregate found{kind, column(), 0};
    if (kind == Kind::crossing) {
      expect(',');
      const double sign = take('-') ? -1 : 1;
      found.value = sign * number();
    } else if (kind == Kind::difference) {
      expect(',');
      found.solver = until(text_.find(')', at_), "the name of another solver");
    }
    expect(')');
    const auto known = std::ranges::find(aggregates_, found);
    program_.push_back({Operation::Kind::aggregate, 0, static_cast<std::size_t>(known - aggregates_.begin()), nullptr});
    if (known == aggregates_.end()) aggregates_.push_back(std::move(found));
  }

  std::string_view name_, text_;
  std::vector<Aggregate>& aggregates_;
  std::vector<Operation> program_;
  std::size_t at_ = 0, depth_ = 0;
};

double run(const std::vector<Operation>& program, std::span<const double> aggregates) {
  std::vector<double> stack;
  using Do = Operation::Kind;
  for (const Operation& operation : program) {
    if (operation.kind == Do::number || operation.kind == Do::aggregate) {
      stack.push_back(operation.kind == Do::number ? operation.number : aggregates[operation.aggregate]);
      continue;
    }
    const double b = stack.back();
    if (operation.kind == Do::negate || operation.kind == Do::function) {
      stack.back() = operation.kind == Do::negate ? -b : operation.function(b);
      continue;
    }
    stack.pop_back();
    double& a = stack.back();
    switch (operation.kind) {
      case Do::add: a += b; break;
      case Do::subtract: a -= b; break;
      case Do::multiply: a *= b; break;
      case Do::divide: a /= b; break;
      default: a = std::pow(a, b);
    }
  }
  return stack.back();
}

}  // namespace

void Quantities::add(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw Failure(Exit::bad_input, fmt::format("--quantity: expected NAME=EXPRESSION, found {}", show(text)), example);
  add(std::string(text.substr(0, equals)), text.substr(equals + 1));
}

void Quantities::add(std::string name, std::string_view expression) {
  if (name.find_first_of(",\"\n\r") != std::string::npos)
    throw Failure(Exit::bad_input, fmt::format("quantity {}: a name has no comma, quote or line break", show(name)));
  constexpr std::array<std::string_view, 4> columns{"case", "status", "reason", "."};
  if (std::ranges::find(columns, name) != columns.end())
    throw Failure(Exit::bad_input, fmt::format("a quantity cannot have the name {}", show(name)),
                  "The table has a column of that name, or no file can have it. Name it otherwise.");
  if (std::ranges::find(names_, name) != names_.end())
    throw Failure(Exit::bad_input, fmt::format("two quantities have the name {}", show(name)), "Name one otherwise.");
  programs_.push_back(ExpressionParser(name, expression, aggregates_).parse());
  names_.push_back(std::move(name));
  expressions_.emplace_back(expression);
}

std::vector<std::string> Quantities::solvers() const {
  std::vector<std::string> names;
  for (const Aggregate& aggregate : aggregates_)
    if (aggregate.kind == Kind::difference && std::ranges::find(names, aggregate.solver) == names.end())
      names.push_back(aggregate.solver);
  return names;
}

Columns columns_of_differences(const Quantities& quantities) {
  Columns columns = Columns::none();
  for (const Aggregate& aggregate : quantities.aggregates())
    if (aggregate.kind == Kind::difference && aggregate.column != "time") columns.patterns.push_back(aggregate.column);
  return columns;
}

std::string Quantities::unit(std::size_t quantity, std::span<const Channel> channels) const {
  const std::vector<Operation>& program = programs_[quantity];
  if (program.size() != 1 || program[0].kind != Operation::Kind::aggregate) return {};
  const Aggregate& aggregate = aggregates_[program[0].aggregate];
  if (aggregate.kind == Kind::crossing) return "s";
  const std::size_t channel = find_channel(channels, aggregate.column);
  if (channel == channels.size()) return {};
  const std::string& unit = channels[channel].unit;
  if (aggregate.kind != Kind::integral) return unit;
  return unit == "1" ? "s" : unit + " s";
}

std::vector<double> Quantities::evaluate(std::span<const double> aggregates) const {
  std::vector<double> values;
  for (const std::vector<Operation>& program : programs_) values.push_back(run(program, aggregates));
  return values;
}

}  // namespace polyform::host::inline studies
