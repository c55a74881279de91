#include "apps/linear_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/terminal.hpp"

namespace polyform::apps {

using host::Channel;
using host::Linearization;
using host::Mode;
using host::Modes;

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
  for (const Channel& c : channels) out.push_back({{"name", c.name}, {"unit", c.unit}});
  return out;
}

/// What an error in a row is measured by: its largest entry, where that is more than round-off of the matrix.
double row_size(const Eigen::MatrixXd& M, Eigen::Index i) {
  return std::max({M.row(i).cwiseAbs().maxCoeff(), 1e-6 * M.cwiseAbs().maxCoeff(), 1e-300});
}

/// Largest error, and the largest relative to the size of its row.
Json error_json(const Linearization::Matrix& M) {
  double absolute = 0, relative = 0;
  for (Eigen::Index i = 0; i < M.value.rows() && M.value.cols() > 0; ++i) {
    const double error = M.error.row(i).maxCoeff();
    absolute = std::max(absolute, error);
    relative = std::max(relative, error / row_size(M.value, i));
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
std::string participants(const Mode& mode, const Linearization& linear) {
  constexpr std::size_t most = 4;
  // Velocities follow from positions; they are named only where no position takes part.
  const auto size = [&](std::size_t i) {
    return std::abs(mode.shape[static_cast<Eigen::Index>(i)]) / linear.scales[i];
  };
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
        mode.shape[static_cast<Eigen::Index>(order[k])] / mode.shape[static_cast<Eigen::Index>(order[0])];
    const double degrees = std::arg(relative) * 180 / std::numbers::pi;
    text += fmt::format("{}{} {:.3g}", k == 0 ? "" : ", ", linear.states[order[k]].name, std::abs(relative));
    if (std::abs(degrees) > 0.5) text += fmt::format(" at {:.0f} deg", degrees);
  }
  if (order.size() > shown) text += fmt::format(" and {} more", order.size() - shown);
  return text;
}

void print_matrix(const char* name, const char* meaning, const Eigen::MatrixXd& M, const std::vector<Channel>& rows,
                  const std::vector<Channel>& columns) {
  constexpr Eigen::Index most = 12;
  if (M.rows() == 0 || M.cols() == 0) return;
  if (M.rows() > most || M.cols() > most) {
    fmt::print(output(), "{}  {} x {}, {}: too large to show here; see --json\n", name, M.rows(), M.cols(), meaning);
    return;
  }
  std::size_t width = 0;
  for (const Channel& row : rows) width = std::max(width, row.name.size());
  fmt::print(output(), "{}  {}\n  {:{}}", name, meaning, "", width);
  for (const Channel& column : columns) fmt::print(output(), "  {:>12}", column.name);
  fmt::print(output(), "\n");
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    fmt::print(output(), "  {:{}}", rows[static_cast<std::size_t>(i)].name, width);
    for (Eigen::Index j = 0; j < M.cols(); ++j)
      fmt::print(output(), "  {:>{}.6g}", std::abs(M(i, j)) < 1e-11 * row_size(M, i) ? 0.0 : M(i, j),
                 std::max<std::size_t>(12, columns[static_cast<std::size_t>(j)].name.size()));
    fmt::print(output(), "\n");
  }
}

void print_channels(const char* title, const std::vector<Channel>& channels) {
  constexpr std::size_t most = 24;
  fmt::print(output(), "{:<12}", title);
  for (std::size_t k = 0; k < std::min(most, channels.size()); ++k)
    fmt::print(output(), "{}{}{}", k == 0 ? "" : ", ", channels[k].name,
               channels[k].unit.empty() ? "" : fmt::format(" [{}]", channels[k].unit));
  if (channels.size() > most) fmt::print(output(), " and {} more", channels.size() - most);
  fmt::print(output(), "{}\n", channels.empty() ? "none" : "");
}

void print_modes(const Linearization& linear, const Modes& modes) {
  fmt::print(output(), "modes\n   no  {:>12}  {:>12}  {:>12}  {:>12}  {:>10}  {:>8}  leading states\n", "real 1/s",
             "imag rad/s", "freq rad/s", "freq Hz", "damping", "error");
  for (std::size_t k = 0; k < modes.all.size(); ++k) {
    const Mode& m = modes.all[k];
    const double w = m.natural_frequency();
    const std::string damping = m.kind == Mode::Kind::rigid ? "-" : fmt::format("{:.6f}", m.damping_ratio() + 0.0);
    fmt::print(output(), "  {:>3}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>10}  {:>8.1e}  {}{}{}\n", k + 1,
               m.eigenvalue.real() + 0.0, m.eigenvalue.imag(), w, w / (2 * std::numbers::pi), damping, m.error,
               participants(m, linear),
               m.kind == Mode::Kind::rigid       ? "; rigid"
               : m.trend == Mode::Trend::growing ? "; unstable"
                                                 : "",
               m.defective  ? "; defective"
               : m.repeated ? "; repeated"
                            : "");
  }
  if (modes.zero_eigenvalues > 0)
    fmt::print(output(), "  rigid: {} eigenvalue{} zero, with the shapes above{}\n", modes.zero_eigenvalues,
               modes.zero_eigenvalues == 1 ? " is" : "s are",
               std::any_of(modes.all.begin(), modes.all.end(),
                           [](const Mode& m) { return m.kind == Mode::Kind::rigid && m.defective; })
                   ? "; defective: a push lets such a motion grow in proportion to time"
                   : "");
}

/// The least certain entry of A, where it is not certain to six digits of its row.
std::string smoothness_text(const Linearization& linear) {
  double worst = 1e-6;
  std::string text;
  for (Eigen::Index i = 0; i < linear.A.value.rows(); ++i)
    for (Eigen::Index j = 0; j < linear.A.value.cols(); ++j) {
      const double relative = linear.A.error(i, j) / row_size(linear.A.value, i);
      if (!(relative > worst)) continue;
      worst = relative;
      text = fmt::format(
          "the rate of {} is not smooth in {} at this state: their entry of A is {:.4g} with an error of about {:.1e}",
          linear.states[static_cast<std::size_t>(i)].name, linear.states[static_cast<std::size_t>(j)].name,
          linear.A.value(i, j), linear.A.error(i, j));
    }
  return text;
}

}  // namespace

void warn_of_errors(const Linearization& linear) {
  if (const std::string text = smoothness_text(linear); !text.empty())
    print(Severity::warning, text, "Friction, contacts and ends of tables do that; linearize at another state.");
}

namespace {

/// First-order states that nothing feels, as the angle of a motor: each has an eigenvalue zero of its own.
std::vector<std::string_view> unfelt_states(const Linearization& linear) {
  std::vector<std::string_view> names;
  for (std::size_t i = linear.positions + linear.velocities; i < linear.states.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto& A = linear.A;
    if ((A.value.col(column).array().abs() <= A.error.col(column).array()).all()) names.push_back(linear.states[i].name);
  }
  return names;
}

/// What becomes of disturbances of all that `unfelt` eigenvalues zero do not belong to.
std::string trend_text(const Modes& modes, std::size_t unfelt) {
  if (modes.any(Mode::Trend::growing)) {
    double rate = 0;
    for (const Mode& m : modes.all)
      if (m.trend == Mode::Trend::growing) rate = std::max(rate, m.eigenvalue.real());
    return fmt::format("unstable: a disturbance doubles in {:.4g} s", std::numbers::ln2 / rate);
  }
  if (modes.zero_eigenvalues > unfelt)
    return "neutral: some motions are not restored (rigid modes), none grows exponentially";
  const auto moves = [](const Mode& m) { return m.kind != Mode::Kind::rigid; };
  if (std::any_of(modes.all.begin(), modes.all.end(),
                  [&](const Mode& m) { return moves(m) && m.trend == Mode::Trend::neutral; }))
    return "neutral: some oscillations are not damped, none grows";
  return std::none_of(modes.all.begin(), modes.all.end(), moves) ? "nothing can move"
                                                                 : "asymptotically stable: every disturbance dies out";
}

}  // namespace

std::string stability_text(const Linearization& linear, const Modes& modes) {
  const std::vector<std::string_view> unfelt = unfelt_states(linear);
  std::string text = trend_text(modes, unfelt.size());
  if (!unfelt.empty())
    text += fmt::format("; apart from {}, which nothing feels: {} what was added up", fmt::join(unfelt, ", "),
                        unfelt.size() == 1 ? "it keeps" : "they keep");
  return text;
}

Json linear_json(const Linearization& linear, const Modes& modes) {
  Json all = Json::array();
  for (const Mode& mode : modes.all) all.push_back(mode_json(mode));
  return {{"states", channels_json(linear.states)},
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
          {"zero_eigenvalues", modes.zero_eigenvalues},
          {"stability", stability_text(linear, modes)}};
}

void print_linear(const Linearization& linear, const Modes& modes) {
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
  print_modes(linear, modes);
  fmt::print(output(),
             "error        of A at most {:.1e} of the largest entry of a row, by extrapolation; {} evaluations\n",
             error_json(linear.A)["relative"].get<double>(), linear.evaluations);
  fmt::print(output(), "stability    {}\n", stability_text(linear, modes));
}

}  // namespace polyform::apps
