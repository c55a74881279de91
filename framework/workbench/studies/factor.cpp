#include "framework/workbench/studies/factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::host::inline studies {

namespace {

constexpr const char* forms =
    "Values are a list a,b,c, a range from:to:count, or uniform(a,b), loguniform(a,b), normal(mean,deviation), "
    "triangular(low,mode,high).";

[[noreturn]] void refuse(std::string_view factor, const std::string& why, const std::string& remedy = forms) {
  throw Failure(Exit::bad_input, fmt::format("factor {}: {}", show(factor), why), remedy);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  for (;;) {
    const std::size_t end = text.find(separator);
    items.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return items;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

double number_of(std::string_view factor, std::string_view text) {
  const std::optional<double> value = finite_number(text);
  if (!value) refuse(factor, fmt::format("expected a number, found {}", show(text)));
  return *value;
}

Levels read_range(std::string_view factor, const std::vector<std::string_view>& parts) {
  if (parts.size() != 3) refuse(factor, fmt::format("a range has three parts, from:to:count, found {}", parts.size()));
  const double from = number_of(factor, parts[0]), to = number_of(factor, parts[1]);
  std::size_t count = 0;
  const auto [end, problem] = std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), count);
  constexpr std::size_t most = 100'000'000;
  if (problem != std::errc() || end != parts[2].data() + parts[2].size() || count < 1 || count > most)
    refuse(factor, fmt::format("expected a count from 1 to {}, found {}", most, show(parts[2])));
  Levels levels;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    levels.texts.push_back(number_text(i + 1 == count && count > 1 ? to : from + share * (to - from)));
  }
  return levels;
}

Levels read_list(std::string_view factor, std::string_view values) {
  Levels levels;
  for (const std::string_view item : split(values, ',')) {
    if (item.empty()) refuse(factor, "a value of the list is empty");
    const std::optional<double> number = finite_number(item);
    levels.texts.push_back(number ? number_text(*number) : std::string(item));
  }
  return levels;
}

Distribution read_distribution(std::string_view factor, std::string_view name, std::string_view arguments) {
  std::vector<double> numbers;
  for (const std::string_view item : split(arguments, ',')) numbers.push_back(number_of(factor, item));
  const auto take = [&](std::size_t count) {
    if (numbers.size() != count)
      refuse(factor, fmt::format("{} takes {} numbers, found {}", name, count, numbers.size()));
  };
  const auto rising = [&](double a, double b) {
    if (!(a < b)) refuse(factor, fmt::format("{} needs limits that rise, found {:g} before {:g}", name, a, b));
  };
  if (name == "uniform") {
    take(2);
    rising(numbers[0], numbers[1]);
    return Uniform{numbers[0], numbers[1]};
  }
  if (name == "loguniform") {
    take(2);
    rising(numbers[0], numbers[1]);
    if (!(numbers[0] > 0)) refuse(factor, fmt::format("loguniform needs limits above 0, found {:g}", numbers[0]));
    return LogUniform{numbers[0], numbers[1]};
  }
  if (name == "normal") {
    take(2);
    if (!(numbers[1] > 0)) refuse(factor, fmt::format("normal needs a deviation above 0, found {:g}", numbers[1]));
    return Normal{numbers[0], numbers[1]};
  }
  if (name == "triangular") {
    take(3);
    rising(numbers[0], numbers[2]);
    if (numbers[1] < numbers[0] || numbers[1] > numbers[2])
      refuse(factor, fmt::format("the mode {:g} of triangular lies outside of its limits", numbers[1]));
    return Triangular{numbers[0], numbers[1], numbers[2]};
  }
  static constexpr std::array<std::string_view, 4> known{"uniform", "loguniform", "normal", "triangular"};
  refuse(factor, fmt::format("there is no distribution {}", show(name)),
         did_you_mean(name, {known.begin(), known.end()}) + forms);
}

double at(const Uniform& d, double p) { return d.low + p * (d.high - d.low); }
double at(const LogUniform& d, double p) { return std::exp(std::log(d.low) + p * std::log(d.high / d.low)); }
double at(const Normal& d, double p) { return boost::math::quantile(boost::math::normal(d.mean, d.deviation), p); }
double at(const Triangular& d, double p) {
  const double whole = d.high - d.low, rise = d.mode - d.low;
  return p * whole < rise ? d.low + std::sqrt(p * whole * rise)
                          : d.high - std::sqrt((1 - p) * whole * (d.high - d.mode));
}

}  // namespace

std::string number_text(double value) { return fmt::format("{}", value); }

Factor make_factor(std::vector<std::string> paths, std::string_view values) {
  Factor factor;
  factor.name = paths.front();
  factor.paths = std::move(paths);
  factor.given = std::string(trimmed(values));
  const std::string_view given = factor.given;
  if (given.empty()) refuse(factor.name, "it has no values");
  const std::size_t open = given.find('(');
  if (open != std::string_view::npos && given.ends_with(')'))
    factor.distribution =
        read_distribution(factor.name, trimmed(given.substr(0, open)), given.substr(open + 1, given.size() - open - 2));
  else if (given.find(',') == std::string_view::npos && given.find(':') != std::string_view::npos)
    factor.distribution = read_range(factor.name, split(given, ':'));
  else
    factor.distribution = read_list(factor.name, given);
  return factor;
}

Factor read_factor(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || trimmed(text.substr(0, equals)).empty())
    throw Failure(Exit::bad_input, fmt::format("--vary: expected PATH=VALUES, found {}", show(text)),
                  fmt::format("For example bodies.rod.mass=0.5:2:9. {}", forms));
  std::vector<std::string> paths;
  for (const std::string_view path : split(text.substr(0, equals), ',')) {
    if (path.empty()) throw Failure(Exit::bad_input, fmt::format("--vary: a path is empty in {}", show(text)));
    paths.emplace_back(path);
  }
  return make_factor(std::move(paths), text.substr(equals + 1));
}

std::string quantile(const Distribution& distribution, double probability) {
  if (const Levels* levels = std::get_if<Levels>(&distribution)) {
    const auto count = static_cast<double>(levels->texts.size());
    return levels->texts[static_cast<std::size_t>(std::min(probability * count, count - 1))];
  }
  return std::visit(
      [&](const auto& d) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(d)>, Levels>)
          return {};
        else
          return number_text(at(d, probability));
      },
      distribution);
}

}  // namespace polyform::host::inline studies
