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
constexpr std::array<std::pair<std::string_view, Kind>, 9> aggregates{{{"min", Kind::minimum},
                                                                       {"max", Kind::maximum},
                                                                       {"initial", Kind::initial},
                                                                       {"final", Kind::final},
                                                                       {"mean", Kind::mean},
                                                                       {"rms", Kind::rms},
                                                                       {"amplitude", Kind::amplitude},
                                                                       {"integral", Kind::integral},
                                                                       {"crossing", Kind::crossing}}};
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
    "integral, crossing(column, value); over numbers: + - * / ^, abs, sqrt, exp, log, sin, cos, tan, pi.";

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
    for (const auto& [known, kind] : aggregates)
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
    for (const auto& known : aggregates) all.push_back(known.first);
    for (const auto& known : functions) all.push_back(known.first);
    refuse(fmt::format("there is no function {}", show(word)),
           did_you_mean(word, all) + "A column stands in a function, such as final(pin.q). " + example);
  }
  void aggregate(Kind kind) {
    expect('(');
    skip();
    const std::size_t begin = at_, end = std::min(text_.find_first_of(",)", at_), text_.size());
    Aggregate found{kind, std::string(text_.substr(begin, end - begin)), 0};
    while (!found.column.empty() && found.column.back() == ' ') found.column.pop_back();
    if (found.column.empty()) refuse("expected the name of a column");
    at_ = end;
    if (kind == Kind::crossing) {
      expect(',');
      const double sign = take('-') ? -1 : 1;
      found.value = sign * number();
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
      case Do::add:
        a += b;
        break;
      case Do::subtract:
        a -= b;
        break;
      case Do::multiply:
        a *= b;
        break;
      case Do::divide:
        a /= b;
        break;
      default:
        a = std::pow(a, b);
    }
  }
  return stack.back();
}

/// The columns alone, each by its name.
Columns columns_of(const Quantities& quantities) {
  Columns columns = Columns::none();
  for (const Aggregate& aggregate : quantities.aggregates())
    if (aggregate.column != "time" && std::ranges::find(columns.patterns, aggregate.column) == columns.patterns.end())
      columns.patterns.push_back(aggregate.column);
  return columns;
}

/// Failure (bad_input) that names a column which is not there, with what may be meant.
[[noreturn]] void refuse_column(const System& system, const std::string& name) {
  const RowMaker all(system, Columns::all());
  std::vector<std::string_view> known;
  for (const Channel& channel : all.channels()) known.push_back(channel.name);
  throw Failure(Exit::bad_input, fmt::format("a quantity needs the column {}, which is not there", show(name)),
                did_you_mean(name, known) +
                    "Columns are named in full, as in the first line of a CSV of polyform run: rod.x, pin.q.");
}

/// Rows with the columns that the quantities need.
RowMaker rows_of(const System& system, const Quantities& quantities) {
  for (const Aggregate& aggregate : quantities.aggregates())
    if (aggregate.column.find_first_of("*?") != std::string::npos) refuse_column(system, aggregate.column);
  const Columns columns = columns_of(quantities);
  try {
    return {system, columns};
  } catch (const Failure&) {
    for (const std::string& name : columns.patterns) {
      Columns one = columns;
      one.patterns = {name};
      try {
        const RowMaker found(system, one);
      } catch (const Failure&) {
        refuse_column(system, name);
      }
    }
    throw;
  }
}

/// The square of a straight line between two values, on the average.
double mean_square(double a, double b) { return (a * a + a * b + b * b) / 3; }

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

std::string Quantities::unit(std::size_t quantity, std::span<const Channel> channels) const {
  const std::vector<Operation>& program = programs_[quantity];
  if (program.size() != 1 || program[0].kind != Operation::Kind::aggregate) return {};
  const Aggregate& aggregate = aggregates_[program[0].aggregate];
  if (aggregate.kind == Kind::crossing) return "s";
  const auto channel = std::ranges::find(channels, aggregate.column, &Channel::name);
  if (channel == channels.end()) return {};
  if (aggregate.kind != Kind::integral) return channel->unit;
  return channel->unit == "1" ? "s" : channel->unit + " s";
}

std::vector<double> Quantities::evaluate(std::span<const double> aggregates) const {
  std::vector<double> values;
  for (const std::vector<Operation>& program : programs_) values.push_back(run(program, aggregates));
  return values;
}

AggregateSink::AggregateSink(const System& system, const Quantities& quantities)
    : quantities_(quantities), rows_(rows_of(system, quantities)) {
  for (const Aggregate& aggregate : quantities.aggregates()) {
    const auto channel = std::ranges::find(rows_.channels(), aggregate.column, &Channel::name);
    sums_.push_back({.column = static_cast<std::size_t>(channel - rows_.channels().begin())});
  }
}

void AggregateSink::row(double time, const Observation& now) {
  const std::span<const double> values = rows_.make(time, now, work_);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    Sum& sum = sums_[i];
    const double x = values[sum.column], level = quantities_.aggregates()[i].value;
    sum.least = std::min(sum.least, x);
    sum.greatest = std::max(sum.greatest, x);
    if (!begun_) {
      sum.first = x;
      if (x == level) sum.crossing = time;
    } else {
      const double span = time - time_;
      sum.integral += span * (sum.last + x) / 2;
      sum.integral_of_square += span * mean_square(sum.last, x);
      if (std::isnan(sum.crossing) && (sum.last - level) * (x - level) <= 0 && sum.last != x)
        sum.crossing = time_ + span * (level - sum.last) / (x - sum.last);
    }
    sum.last = x;
  }
  if (!begun_) begin_ = time;
  begun_ = true;
  time_ = time;
}

double AggregateSink::value(const Aggregate& aggregate, const Sum& sum) const {
  const double span = time_ - begin_;
  switch (aggregate.kind) {
    case Kind::minimum:
      return sum.least;
    case Kind::maximum:
      return sum.greatest;
    case Kind::initial:
      return sum.first;
    case Kind::final:
      return sum.last;
    case Kind::mean:
      return span > 0 ? sum.integral / span : sum.last;
    case Kind::rms:
      return span > 0 ? std::sqrt(sum.integral_of_square / span) : std::abs(sum.last);
    case Kind::amplitude:
      return (sum.greatest - sum.least) / 2;
    case Kind::integral:
      return sum.integral;
    case Kind::crossing:
      break;
  }
  return sum.crossing;
}

std::vector<double> AggregateSink::values() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < sums_.size(); ++i) values.push_back(value(quantities_.aggregates()[i], sums_[i]));
  return values;
}

}  // namespace polyform::host::inline studies
