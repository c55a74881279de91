#include "apps/text/linear_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "apps/text/terminal.hpp"
#include "apps/text/wrapping.hpp"

namespace polyform::apps {

using host::Channel;
using host::Linearization;
using host::Mode;
using host::Modes;

void print_wrapped(const std::string& line, std::size_t indent) {
  fmt::print(output(), "{}\n", wrapped(line, 0, indent));
}

namespace {

Json rows_of(const Eigen::MatrixXd& M) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < M.cols(); ++j) row.push_back(M(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json channels_json(const std::vector<Channel>& channels) {
  Json out = Json::array();
  for (const Channel& c : channels) {
    out.push_back({{"name", c.name}, {"unit", c.unit}});
    if (!c.own_name.empty()) out.back()["own_name"] = c.own_name;
  }
  return out;
}

/// The scale of an error in each row: the largest entry of the row, but at least round-off of the matrix.
Eigen::VectorXd row_sizes(const Eigen::MatrixXd& M) {
  if (M.size() == 0) return Eigen::VectorXd::Constant(M.rows(), 1e-300);
  const Eigen::VectorXd largest = M.cwiseAbs().rowwise().maxCoeff();
  return largest.cwiseMax(std::max(1e-6 * largest.maxCoeff(), 1e-300));
}

/// Largest error, and the largest relative to the size of its row.
Json error_json(const Linearization::Matrix& M) {
  double absolute = 0, relative = 0;
  const Eigen::VectorXd sizes = row_sizes(M.value);
  for (Eigen::Index i = 0; i < M.value.rows() && M.value.cols() > 0; ++i) {
    const double error = M.error.row(i).maxCoeff();
    absolute = std::max(absolute, error);
    relative = std::max(relative, error / sizes[i]);
  }
  return {{"absolute", absolute}, {"relative", relative}};
}

const char* name_of(Mode::Kind kind) {
  return kind == Mode::Kind::rigid ? "rigid" : kind == Mode::Kind::real ? "real" : "oscillating";
}
const char* name_of(Mode::Trend trend) {
  return trend == Mode::Trend::decaying ? "decaying" : trend == Mode::Trend::neutral ? "neutral" : "growing";
}

Json mode_json(const Mode& mode) {
  Json real = Json::array(), imaginary = Json::array();
  for (Eigen::Index i = 0; i < mode.shape.size(); ++i) {
    real.push_back(mode.shape[i].real());
    imaginary.push_back(mode.shape[i].imag());
  }
  const double w = mode.natural_frequency();
  return {{"kind", name_of(mode.kind)},
          {"real", mode.eigenvalue.real()},
          {"imaginary", mode.eigenvalue.imag()},
          {"error", mode.error},
          {"natural_frequency", w},
          {"natural_frequency_hz", w / (2 * std::numbers::pi)},
          {"damping_ratio", mode.damping_ratio()},
          {"trend", name_of(mode.trend)},
          {"repeated", mode.repeated},
          {"defective", mode.defective},
          {"shape", {{"real", std::move(real)}, {"imaginary", std::move(imaginary)}}}};
}

/// The states that move most in a mode, by their size in scales, with phases in degrees.
std::string participants(const Eigen::VectorXcd& shape, const Linearization& linear) {
  constexpr std::size_t most = 4;
  // Velocities follow from positions; they are named only where no position takes part.
  const auto size = [&](std::size_t i) { return std::abs(shape[static_cast<Eigen::Index>(i)]) / linear.scales[i]; };
  std::vector<std::size_t> order;
  double largest = 0;
  for (std::size_t i = 0; i < linear.states.size(); ++i) largest = std::max(largest, size(i));
  double largest_position = 0;
  for (std::size_t i = 0; i < linear.positions; ++i) largest_position = std::max(largest_position, size(i));
  const bool by_position = largest_position > 1e-6 * largest;
  if (by_position) largest = largest_position;
  for (std::size_t i = 0; i < linear.states.size(); ++i) {
    const bool velocity = i >= linear.positions && i < linear.positions + linear.velocities;
    if (size(i) > 0.05 * largest && !(velocity && by_position)) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size(a) > size(b) * 1.0001; });
  std::string text;
  const std::size_t shown = std::min(order.size(), most);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::complex<double> relative =
        shape[static_cast<Eigen::Index>(order[k])] / shape[static_cast<Eigen::Index>(order[0])];
    const double degrees = std::arg(relative) * 180 / std::numbers::pi;
    text += fmt::format("{}{} {:.3g}", k == 0 ? "" : ", ", linear.states[order[k]].name, std::abs(relative));
    if (std::abs(degrees) > 0.5) text += fmt::format(" at {:.0f} deg", degrees);
  }
  if (order.size() > shown) text += fmt::format(" and {} more", order.size() - shown);
  return text;
}

constexpr std::size_t width_of_page = 80;

void print_titled(const char* title, const std::string& text) {
  constexpr std::size_t column = 13;
  print_wrapped(fmt::format("{:<{}}{}", title, column, text), column);
}

void print_matrix(const char* name, const char* meaning, const Eigen::MatrixXd& M, const std::vector<Channel>& rows,
                  const std::vector<Channel>& columns) {
  constexpr Eigen::Index most = 12;
  if (M.rows() == 0 || M.cols() == 0) return;
  if (M.rows() > most || M.cols() > most) {
    fmt::print(output(), "{}  {} x {}, {}: too large to show here; see --json\n", name, M.rows(), M.cols(), meaning);
    return;
  }
  const Eigen::VectorXd sizes = row_sizes(M);
  std::size_t width = 0;
  for (const Channel& row : rows) width = std::max(width, row.name.size());
  const auto room = [&](Eigen::Index j) {
    return std::max<std::size_t>(12, columns[static_cast<std::size_t>(j)].name.size());
  };
  fmt::print(output(), "{}  {}\n", name, meaning);
  for (Eigen::Index first = 0, last; first < M.cols(); first = last) {  // as many columns as a page takes
    std::size_t taken = 2 + width;
    for (last = first; last < M.cols() && (last == first || taken + 2 + room(last) <= width_of_page); ++last)
      taken += 2 + room(last);
    fmt::print(output(), "  {:{}}", "", width);
    for (Eigen::Index j = first; j < last; ++j)
      fmt::print(output(), "  {:>12}", columns[static_cast<std::size_t>(j)].name);
    fmt::print(output(), "\n");
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      fmt::print(output(), "  {:{}}", rows[static_cast<std::size_t>(i)].name, width);
      for (Eigen::Index j = first; j < last; ++j)
        fmt::print(output(), "  {:>{}.6g}", std::abs(M(i, j)) < 1e-11 * sizes[i] ? 0.0 : M(i, j), room(j));
      fmt::print(output(), "\n");
    }
  }
}

void print_channels(const char* title, const std::vector<Channel>& channels) {
  constexpr std::size_t most = 24;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, channels.size()); ++k)
    text += fmt::format("{}{}{}{}{}", k == 0 ? "" : ", ", channels[k].name, channels[k].own_name.empty() ? "" : " ",
                        channels[k].own_name, channels[k].unit.empty() ? "" : fmt::format(" [{}]", channels[k].unit));
  if (channels.size() > most) text += fmt::format(" and {} more", channels.size() - most);
  print_titled(title, channels.empty() ? "none" : text);
}

void print_modes(const Linearization& linear, const host::Stability& stability) {
  constexpr std::size_t indent = 8;
  const Modes& modes = stability.modes;
  print_wrapped(stability.modes_of == host::ModesOf::motion
                    ? "modes"
                    : "modes of the matrix frozen at this instant: those of the motion are others",
                0);
  fmt::print(output(), "  no      real 1/s    imag rad/s      freq Hz     damping    error  states\n");
  for (std::size_t k = 0; k < modes.all.size(); ++k) {
    const Mode& m = modes.all[k];
    const std::string damping = m.kind == Mode::Kind::rigid ? "-" : fmt::format("{:.6f}", m.damping_ratio() + 0.0);
    print_wrapped(
        fmt::format("{:>4}  {:>12.6g}  {:>12.6g}  {:>11.6g}  {:>10}  {:>7.1e}  {}{}{}", k + 1,
                    m.eigenvalue.real() + 0.0, m.eigenvalue.imag(), m.natural_frequency() / (2 * std::numbers::pi),
                    damping, m.error, participants(m.shape, linear),
                    m.kind == Mode::Kind::rigid       ? "; rigid"
                    : m.trend == Mode::Trend::growing ? "; unstable"
                                                      : "",
                    m.defective  ? "; defective"
                    : m.repeated ? "; repeated"
                                 : ""),
        indent);
  }
  if (modes.zero_eigenvalues > 0)
    print_wrapped(fmt::format("  rigid: {} eigenvalue{} zero, with the shapes above{}", modes.zero_eigenvalues,
                              modes.zero_eigenvalues == 1 ? " is" : "s are",
                              std::any_of(modes.all.begin(), modes.all.end(),
                                          [](const Mode& m) { return m.kind == Mode::Kind::rigid && m.defective; })
                                  ? "; defective: a push lets such a motion grow in proportion to time"
                                  : ""),
                  indent);
}

void print_multipliers(const Linearization& linear, const host::Floquet& floquet) {
  constexpr std::size_t indent = 8;
  print_wrapped(fmt::format("Floquet's multipliers over {:.8g} s, {}; frequencies are those less whole turns in the "
                            "period",
                            floquet.period, floquet.told_by),
                2);
  fmt::print(output(), "{:>4}  {:>11}  {:>8}  {:>8}  {:>12}  {:>10}  {:>7}  states\n", "no", "modulus", "real", "imag",
             "growth 1/s", "freq rad/s", "error");
  for (std::size_t k = 0; k < floquet.multipliers.size(); ++k) {
    const host::Multiplier& m = floquet.multipliers[k];
    print_wrapped(fmt::format("{:>4}  {:>11.6g}  {:>8.4g}  {:>8.4g}  {:>12.6g}  {:>10.5g}  {:>7.1e}  {}{}{}", k + 1,
                              std::abs(m.value), m.value.real(), m.value.imag(), m.growth(floquet.period) + 0.0,
                              m.frequency(floquet.period), m.error, participants(m.shape, linear),
                              m.one                             ? "; comes back"
                              : m.trend == Mode::Trend::growing ? "; unstable"
                                                                : "",
                              m.defective  ? "; defective"
                              : m.repeated ? "; repeated"
                                           : ""),
                  indent);
  }
}

/// The least certain entry of A, where it is not certain to six digits of its row, and by more than the rounding of
/// what acts, which may cancel in the whole row.
std::string smoothness_text(const Linearization& linear) {
  constexpr double roundings = 1e3 * std::numeric_limits<double>::epsilon();
  double worst = 1e-6;
  std::string text;
  const Eigen::VectorXd sizes = row_sizes(linear.A.value);
  for (Eigen::Index i = 0; i < linear.A.value.rows(); ++i)
    for (Eigen::Index j = 0; j < linear.A.value.cols(); ++j) {
      const double relative = linear.A.error(i, j) / sizes[i];
      const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
      const bool may_cancel = linear.A.error(i, j) <= roundings * linear.acting[row] / linear.scales[column];
      if (!(relative > worst) || may_cancel) continue;
      worst = relative;
      text = fmt::format(
          "the rate of {} is not smooth in {} at this state: their entry of A is {:.4g} with an error of about {:.1e}",
          linear.states[row].name, linear.states[column].name, linear.A.value(i, j), linear.A.error(i, j));
    }
  return text;
}

}  // namespace

void warn_of_errors(const Linearization& linear) {
  if (!linear.warning.empty()) print(Severity::warning, linear.warning);
  if (const std::string text = smoothness_text(linear); !text.empty())
    print(Severity::warning, text,
          "Friction, contacts, rows of tables and flexible bodies that are bent far do that; linearize at another "
          "state.");
}

namespace {

Json multipliers_json(const host::Floquet& floquet) {
  Json all = Json::array();
  for (const host::Multiplier& m : floquet.multipliers)
    all.push_back({{"real", m.value.real()},
                   {"imaginary", m.value.imag()},
                   {"modulus", std::abs(m.value)},
                   {"growth", m.growth(floquet.period)},
                   {"frequency", m.frequency(floquet.period)},
                   {"error", m.error},
                   {"trend", name_of(m.trend)},
                   {"repeated", m.repeated},
                   {"defective", m.defective}});
  return {{"period", floquet.period},
          {"told_by", floquet.told_by},
          {"multipliers", std::move(all)},
          {"unit_multipliers", floquet.ones}};
}

}  // namespace

Json stability_json(const host::Stability& stability) {
  Json out = {{"stability", stability.text}, {"verdict", host::name_of(stability.verdict)}, {"why", stability.why}};
  if (stability.floquet) out["floquet"] = multipliers_json(*stability.floquet);
  return out;
}

void print_stability(const host::Stability& stability) {
  print_titled("stability", stability.text);
  if (stability.verdict != host::Outlook::none) print_titled("because", stability.why);
}

Json linear_json(const Linearization& linear, const host::Stability& stability) {
  const Modes& modes = stability.modes;
  Json all = Json::array();
  for (const Mode& mode : modes.all) all.push_back(mode_json(mode));
  Json out = {{"states", channels_json(linear.states)},
              {"positions", linear.positions},
              {"velocities", linear.velocities},
              {"dependent", linear.dependent},
              {"inputs", channels_json(linear.inputs)},
              {"outputs", channels_json(linear.outputs)},
              {"A", rows_of(linear.A.value)},
              {"B", rows_of(linear.B.value)},
              {"C", rows_of(linear.C.value)},
              {"D", rows_of(linear.D.value)},
              {"error",
               {{"A", error_json(linear.A)},
                {"B", error_json(linear.B)},
                {"C", error_json(linear.C)},
                {"D", error_json(linear.D)}}},
              {"rates", linear.rates},
              {"output_values", linear.output_values},
              {"evaluations", linear.evaluations},
              {"modes", std::move(all)},
              {"modes_of", stability.modes_of == host::ModesOf::motion ? "motion" : "instant"},
              {"zero_eigenvalues", modes.zero_eigenvalues}};
  out.update(stability_json(stability));
  return out;
}

Json state_space_json(const host::StateSpace& model) {
  const auto numbers = [](const Eigen::VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
  return {{"states", channels_json(model.states)},
          {"A", rows_of(model.A)},
          {"B", rows_of(model.B)},
          {"C", rows_of(model.C)},
          {"D", rows_of(model.D)},
          {"values", numbers(model.values)},
          {"rates", numbers(model.rates)}};
}

void print_body_states(const host::StateSpace& body, const Linearization& linear) {
  print_wrapped("in body axes and Euler angles, along the motion", 2);
  print_channels("states", body.states);
  print_matrix("A", "d(state rates)/d(states)", body.A, body.states, body.states);
  print_matrix("B", "d(state rates)/d(inputs)", body.B, body.states, linear.inputs);
  print_matrix("C", "d(outputs)/d(states)", body.C, linear.outputs, body.states);
}

Json periodic_states_json(const host::PeriodicStates& periodic) {
  Json instants = Json::array();
  for (std::size_t k = 0; k < periodic.models.size(); ++k) {
    Json one = state_space_json(periodic.models[k]);
    one.erase("states");
    one["time"] = periodic.times[k];
    instants.push_back(std::move(one));
  }
  return {{"states", channels_json(periodic.models.front().states)},
          {"period", periodic.period},
          {"mean",
           {{"A", rows_of(periodic.A)},
            {"B", rows_of(periodic.B)},
            {"C", rows_of(periodic.C)},
            {"D", rows_of(periodic.D)}}},
          {"change", periodic.change},
          {"instants", std::move(instants)}};
}

void print_periodic_states(const host::PeriodicStates& periodic, const Linearization& linear) {
  print_wrapped(
      fmt::format("along the period of {:.8g} s, at {} instants (all of them with --json): A changes by {:.2g} of its "
                  "size",
                  periodic.period, periodic.models.size(), periodic.change),
      2);
  const std::vector<Channel>& states = periodic.models.front().states;
  print_matrix("mean A", "over the period", periodic.A, states, states);
  print_matrix("changes of A", "largest distance from the mean", periodic.A_changes, states, states);
  print_matrix("mean B", "over the period", periodic.B, states, linear.inputs);
  print_matrix("mean C", "over the period", periodic.C, linear.outputs, states);
  print_matrix("mean D", "over the period", periodic.D, linear.outputs, linear.inputs);
}

void print_linear(const Linearization& linear, const host::Stability& stability) {
  print_channels("states", linear.states);
  if (!linear.dependent.empty()) {
    std::vector<Channel> names;
    for (const std::string& name : linear.dependent) names.push_back({name, ""});
    print_channels("dependent", names);
  }
  print_channels("inputs", linear.inputs);
  print_channels("outputs", linear.outputs);
  print_matrix("A", "d(state rates)/d(states)", linear.A.value, linear.states, linear.states);
  print_matrix("B", "d(state rates)/d(inputs)", linear.B.value, linear.states, linear.inputs);
  print_matrix("C", "d(outputs)/d(states)", linear.C.value, linear.outputs, linear.states);
  print_matrix("D", "d(outputs)/d(inputs)", linear.D.value, linear.outputs, linear.inputs);
  print_modes(linear, stability);
  print_titled("error",
               fmt::format("of A at most {:.1e} of the largest entry of a row, by extrapolation; {} evaluations",
                           error_json(linear.A)["relative"].get<double>(), linear.evaluations));
  if (stability.floquet) print_multipliers(linear, *stability.floquet);
  print_stability(stability);
}

}  // namespace polyform::apps
