#include "framework/workbench/linearization/linearize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "framework/diagnostics.hpp"
#include "framework/host/columns/columns.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"
#include "framework/workbench/linearization/acting.hpp"
#include "framework/workbench/linearization/known_digits.hpp"
#include "framework/workbench/linearization/module_states.hpp"
#include "framework/workbench/linearization/probe.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Channels that the patterns name; without any, the coordinates of all joints.
std::vector<std::size_t> select_outputs(const std::vector<Channel>& all, const std::vector<std::string>& patterns) {
  std::vector<std::size_t> out;
  if (patterns.empty())
    for (std::size_t k = 0; k < all.size(); ++k)
      if (const ChannelPlace place = place_of(all[k]); place.group == "joints" && place.component[0] == 'q')
        out.push_back(k);
  if (patterns.empty() || (patterns.size() == 1 && patterns[0] == "none")) return out;
  std::set<std::size_t> taken;
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::string own = own_path(all[k]);
      if (!names_component(pattern, all[k].name) && !matches(pattern, place_of(all[k]).object) &&
          (own.empty() || !matches(pattern, own)))
        continue;
      found = true;
      if (taken.insert(k).second) out.push_back(k);
    }
    if (found) continue;
    std::vector<std::string_view> names;
    for (const Channel& c : all) names.push_back(c.name);
    throw Failure(Exit::bad_input, "there is no output " + show(pattern),
                  did_you_mean(pattern, names) + "Outputs are result columns: " + listing(names) + ".");
  }
  return out;
}

/// In a deviation of all states, errors of this part of what it changes are rounding of most entries. Those of a slow
/// motion in the row of a fast one are known better, which counts more than time where there are few states.
constexpr double share_of_felt = 1e-13;
constexpr std::size_t few_states = 100;

/// A force that is large in this system, N: what gives its mass the accelerations that act.
double force_scale(const SystemView& view, const Acting& acting) {
  double mass = 0;
  for (const BodyData& body : view.bodies) mass += body.mass;
  return (mass > 0 ? mass : 1) * (acting.linear > 0 ? acting.linear : 1);
}

/// A deviation to begin the differences of an input with.
double input_step(const SystemView& view, const Acting& acting, const InputField& input) {
  const double unit = input.unit.starts_with('N') ? force_scale(view, acting) : 1;
  return 0.125 * std::max(std::abs(input.value), unit);
}

class Linearizer {
 public:
  Linearizer(const System& system, const SolverMaker& make, const OperatingPoint& point, const LinearRequest& request)
      : system_(system),
        make_(make),
        point_(point),
        request_(request),
        channels_(output_channels(system)),
        outputs_(select_outputs(channels_, request.outputs)),
        fields_(point.trimmed),
        offsets_(point.offsets) {
    for (const InputField& input : request.inputs) {
      const auto known =
          std::find_if(fields_.begin(), fields_.end(), [&](const InputField& f) { return f.name == input.name; });
      places_.push_back(static_cast<std::size_t>(known - fields_.begin()));
      if (known != fields_.end()) continue;
      fields_.push_back(input);
      offsets_.push_back(0);
    }
    varied_ = std::make_unique<VariedView>(system.view(), fields_);
  }

  /// In coordinates of its own choice, or in those given.
  Linearization go(const MinimalCoordinates* given = nullptr) {
    choose(given);
    describe();
    finds_kinks_ = given == nullptr;
    differentiate_states();
    for (std::size_t k = 0; k < request_.inputs.size(); ++k) differentiate_input(k);
    return std::move(out_);
  }

 private:
  std::unique_ptr<Probe> probe(std::span<const double> offsets) {
    varied_->set(offsets);
    return std::make_unique<Probe>(system_, varied_->view(), point_.time, choice_, nominal_, make_(varied_->view()),
                                   outputs_);
  }

  [[noreturn]] void fail(const std::string& what, const std::string& why) const {
    throw Failure(Exit::simulation_failed, fmt::format("{} at t = {:.6g} s: {}", what, point_.time, why),
                  "Linearize at another state (--at), or with another solver.");
  }

  /// The last deviation of the probe has failed.
  [[noreturn]] void fail_beside(const std::string& state, const Probe& at) const {
    const std::string what = fmt::format("no derivative by {} can be found", state);
    const std::string singular = singular_position(system_, point_.time, nominal_.constant());
    if (singular.empty()) fail(what, at.failure());
    throw Failure(Exit::simulation_failed,
                  fmt::format("{} at t = {:.6g} s: {}. {}", what, point_.time, at.failure(), singular),
                  "Linearize at a state beside the singular position (--at, or initial values).");
  }

  /// The independent coordinates, and the nominal state closed to round-off.
  void choose(const MinimalCoordinates* given) {
    varied_->set(offsets_);
    const SystemView& view = varied_->view();
    nominal_ = point_.state;
    choice_ = given != nullptr ? *given : choose_coordinates(view, point_.time, nominal_);
    const std::size_t n = choice_.positions() + choice_.velocities() + choice_.states();
    refuse_too_many(n);
    ClosedStates closed(view, point_.time, choice_, nominal_);
    CanonicalState exact;
    if (!closed.place(std::vector<double>(n), exact)) fail("the state cannot be closed", closed.failure());
    nominal_ = std::move(exact);
  }

  void describe() {
    const SystemView& view = system_.view();
    const std::vector<Coordinate> all = coordinates_of(view);
    const std::vector<double> positions = position_values(view, nominal_);
    out_.choice = choice_;
    out_.nominal = nominal_;
    out_.positions = choice_.positions();
    out_.velocities = choice_.velocities();
    const auto own_name = [&](const std::string& coordinate) {
      const auto channel = std::ranges::find(channels_, coordinate, &Channel::name);
      return channel == channels_.end() ? std::string() : channel->own_name;
    };
    for (const std::size_t c : choice_.position.independent) {
      out_.states.push_back({all[c].position, std::string(all[c].position_unit), {}, own_name(all[c].position)});
      out_.values.push_back(positions[c]);
    }
    for (const std::size_t c : choice_.velocity.independent) {
      out_.states.push_back({all[c].velocity, std::string(all[c].velocity_unit), {}, own_name(all[c].velocity)});
      const auto position = std::find(choice_.position.independent.begin(), choice_.position.independent.end(), c);
      out_.position_of_velocity.push_back(static_cast<std::size_t>(position - choice_.position.independent.begin()));
      const double v = c < view.nv_tree ? nominal_.v[c] : nominal_.etadot[c - view.nv_tree];
      out_.values.push_back(v);
    }
    const std::vector<Channel> names = first_order_states(view);
    for (const std::size_t c : choice_.state.independent) {
      out_.states.push_back(names[c]);
      out_.values.push_back(nominal_.x[c]);
    }
    acting_ = acting_at(varied_->view(), point_.time, nominal_);
    out_.acting.assign(out_.states.size(), 0.0);
    for (std::size_t i = 0; i < out_.velocities; ++i)
      out_.acting[out_.positions + i] = acting_.accelerations[choice_.velocity.independent[i]];
    out_.scales = state_scales(view, choice_, nominal_, acting_);
    for (const std::size_t c : choice_.position.dependent) out_.dependent.push_back(all[c].position);
    for (const InputField& input : request_.inputs) out_.inputs.push_back({input.name, std::string(input.unit)});
    for (const std::size_t o : outputs_) out_.outputs.push_back(channels_[o]);
    const Index n = static_cast<Index>(out_.states.size()), m = static_cast<Index>(out_.inputs.size()),
                p = static_cast<Index>(outputs_.size());
    out_.A = {MatrixXd::Zero(n, n), MatrixXd::Zero(n, n)};
    out_.B = {MatrixXd::Zero(n, m), MatrixXd::Zero(n, m)};
    out_.C = {MatrixXd::Zero(p, n), MatrixXd::Zero(p, n)};
    out_.D = {MatrixXd::Zero(p, m), MatrixXd::Zero(p, m)};
  }

  void differentiate_states() {
    const std::unique_ptr<Probe> at = probe(offsets_);
    const std::size_t n = out_.states.size();
    std::vector<double> deviation(n), row(at->size());
    if (!at->evaluate(deviation, row)) fail("the solver fails", at->failure());
    out_.warning = at->check();
    out_.rates.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
    for (std::size_t k = out_.positions; k < n; ++k)
      out_.largest_acceleration = std::max(out_.largest_acceleration, std::abs(row[k]));
    out_.output_values.assign(row.begin() + static_cast<std::ptrdiff_t>(at->first_output()), row.end());
    std::size_t k = 0;
    const Curve along = [&](double h, std::span<double> out) {
      deviation[k] = h;
      const bool done = at->evaluate(deviation, out);
      deviation[k] = 0;
      return done;
    };
    const auto step = [&] { return 0.125 * out_.scales[k]; };
    std::vector<double> enough(n < few_states ? 0 : row.size());
    const std::vector<double> changes = enough.empty() ? enough : changes_beside(*at, row);
    // What acts, and what a deviation of the size of its state makes of any rate: they may cancel at the point.
    double terms = 0, first = 1;  // first: part of the step to begin with
    for (const double a : out_.acting) terms = std::max(terms, a);
    for (k = 0; k < n; ++k) {
      if (k == out_.positions) {  // what positions make of the accelerations tells the rates of the velocities
        doubt_cancelled(k);
        out_.scales = state_scales(varied_->view(), choice_, nominal_, acting_, own_rates());
      }
      if (k == out_.positions || k == out_.positions + out_.velocities) first = 1;
      for (std::size_t i = 0; i < enough.size(); ++i) enough[i] = share_of_felt * changes[i] / out_.scales[k];
      const Derivative d = differentiate_from(first, row.size(), step(), along, enough);
      if (!d.found) fail_beside(out_.states[k].name, *at);
      for (std::size_t i = 0; i < n; ++i) terms = std::max(terms, out_.scales[k] * std::abs(d.value[i]));
      keep(*at, d, static_cast<Index>(k), out_.A, out_.C);
    }
    doubt_cancelled(n);
    for (k = 0; finds_kinks_ && k < n; ++k)
      if (const Kink found = kink(row, terms, n, step(), along, slopes(k)); found.part > 0)
        out_.kinks.push_back({out_.states[k].name, found.part, found.grows});
    out_.evaluations += at->evaluations();
    for (std::size_t i = 0; i < out_.velocities; ++i) {
      const auto a = static_cast<Index>(out_.positions + i);
      double felt = 0;
      for (k = 0; k < n; ++k) felt = std::max(felt, out_.scales[k] * std::abs(out_.A.value(a, static_cast<Index>(k))));
      const double size = acceleration_size(acting_.accelerations[choice_.velocity.independent[i]], felt);
      const double rate = std::abs(out_.rates[out_.positions + i]);
      if (rate > 0) out_.unbalanced = std::max(out_.unbalanced, rate / std::max(size, least_divisor));
    }
  }

  /// The derivative by one of many states. Its neighbour's series held from a step on that tells where this one's does:
  /// in a long chain at thousandths of what is large for a single joint. first: part of the step to begin with, which
  /// is set anew for the next state. Where that leaves errors, all steps are looked at.
  static Derivative differentiate_from(double& first, std::size_t size, double step, const Curve& along,
                                       std::span<const double> enough) {
    constexpr double from_last = 4;  // three levels, as a series needs that holds
    Derivative d = differentiate(size, first * step, along, enough);
    if (!d.is_good && first < 1) d = differentiate(size, step, along, enough);
    first = d.is_good && !enough.empty() ? std::min(1.0, from_last * d.last_step / step) : 1;
    return d;
  }

  /// The derivatives of all rates by a state, where they are found.
  std::span<const double> slopes(std::size_t k) const {
    return {out_.A.value.col(static_cast<Index>(k)).data(), out_.states.size()};
  }

  /// How much each number of a row would change, by what it does in a small one, in a large deviation of all states at
  /// once; the signs are those of three patterns. Zeros where the solver fails.
  std::vector<double> changes_beside(Probe& at, const std::vector<double>& row) const {
    constexpr double small = 1e-3;
    constexpr std::size_t patterns = 3;
    std::vector<double> deviation(out_.states.size()), there(row.size()), felt(row.size());
    try {
      for (std::size_t look = 0; look < patterns; ++look) {
        for (std::size_t k = 0; k < deviation.size(); ++k)
          deviation[k] = (std::popcount(k & look) % 2 == 0 ? small : -small) * out_.scales[k];
        if (!at.evaluate(deviation, there)) continue;
        for (std::size_t i = 0; i < row.size(); ++i) felt[i] = std::max(felt[i], std::abs(there[i] - row[i]) / small);
      }
    } catch (const Failure&) {  // beside a singular position, which each state shows by itself
    }
    return felt;
  }

  /// Derivatives by the first states have at least the rounding of what acts, which may cancel in the accelerations.
  void doubt_cancelled(std::size_t columns) {
    constexpr double roundings = 4 * std::numeric_limits<double>::epsilon();
    for (std::size_t i = 0; i < out_.velocities; ++i)
      for (std::size_t k = 0; k < columns; ++k) {
        double& error = out_.A.error(static_cast<Index>(out_.positions + i), static_cast<Index>(k));
        error = std::max(error, roundings * out_.acting[out_.positions + i] / out_.scales[k]);
      }
  }

  /// Of each independent velocity, the rate of the oscillation that its own position alone makes, 1/s; 0 if unknown.
  std::vector<double> own_rates() const {
    std::vector<double> rates(out_.velocities);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const auto a = static_cast<Index>(out_.positions + i), q = static_cast<Index>(out_.position_of_velocity[i]);
      const double stiffness = std::abs(out_.A.value(a, q));
      if (stiffness > factor_of_error * out_.A.error(a, q)) rates[i] = std::sqrt(stiffness);
    }
    return rates;
  }

  void differentiate_input(std::size_t k) {
    const std::vector<double> still(out_.states.size());
    std::vector<double> offsets = offsets_;
    std::unique_ptr<Probe> at = probe(offsets);
    std::string why;
    const Curve along = [&](double h, std::span<double> out) {
      offsets[places_[k]] = offsets_[places_[k]] + h;
      at.reset();
      at = probe(offsets);
      const bool done = at->evaluate(still, out);
      out_.evaluations += 1;
      why = at->failure();
      return done;
    };
    const Derivative d = differentiate(at->size(), input_step(system_.view(), acting_, request_.inputs[k]), along);
    if (!d.found) fail(fmt::format("no derivative by {} can be found", request_.inputs[k].name), why);
    keep(*at, d, static_cast<Index>(k), out_.B, out_.D);
  }

  /// One column of A and C, or of B and D, from the derivative of a probe's row.
  void keep(const Probe& at, const Derivative& d, Index column, Linearization::Matrix& rates,
            Linearization::Matrix& outputs) const {
    const std::size_t n = out_.states.size();
    for (std::size_t i = 0; i < n; ++i) {
      rates.value(static_cast<Index>(i), column) = d.value[i];
      rates.error(static_cast<Index>(i), column) = d.error[i];
    }
    for (const ChartRates::Entry& e : at.chart().transport())
      for (std::size_t i = 0; i < out_.positions; ++i)
        if (choice_.position.independent[i] == e.row)
          rates.value(static_cast<Index>(i), column) -= e.value * d.value[at.first_delta() + e.column];
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      outputs.value(static_cast<Index>(o), column) = d.value[at.first_output() + o];
      outputs.error(static_cast<Index>(o), column) = d.error[at.first_output() + o];
    }
  }

  const System& system_;
  const SolverMaker& make_;
  const OperatingPoint& point_;
  const LinearRequest& request_;
  std::vector<Channel> channels_;
  std::vector<std::size_t> outputs_;
  std::vector<InputField> fields_;   ///< that differ from the model, then the other inputs
  std::vector<double> offsets_;      ///< of these at the point
  std::vector<std::size_t> places_;  ///< of the inputs among the fields
  std::unique_ptr<VariedView> varied_;
  MinimalCoordinates choice_;
  CanonicalState nominal_;
  Acting acting_;
  bool finds_kinks_ = false;
  Linearization out_;
};

}  // namespace

std::vector<Channel> output_channels(const System& system) {
  const RowMaker rows(system, output_columns);
  return {rows.channels().begin() + 1, rows.channels().end()};
}

void refuse_too_many(std::size_t states) {
  if (states <= most_states) return;
  throw Failure(Exit::bad_input,
                fmt::format("the linear model would have {} states; dense matrices are made up to {}: beyond that "
                            "their eigenvalues take too long",
                            states, most_states),
                "Linearize a part of the model, or fix joints that do not matter.");
}

std::size_t count_linear_states(const System& system) {
  const MinimalCoordinates choice =
      choose_coordinates(system.view(), system.start_time(), CanonicalState(system.initial_state()));
  return choice.positions() + choice.velocities() + choice.states();
}

Linearization linearize(const System& system, const SolverMaker& make, const OperatingPoint& point,
                        const LinearRequest& request) {
  refuse_unilateral_rows(system.view(), "a linear model");
  return Linearizer(system, make, point, request).go();
}

Linearization linearize_in(const MinimalCoordinates& choice, const System& system, const SolverMaker& make,
                           const OperatingPoint& point, const LinearRequest& request) {
  return Linearizer(system, make, point, request).go(&choice);
}

}  // namespace polyform::host::linearization
