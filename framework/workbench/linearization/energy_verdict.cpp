#include "framework/workbench/linearization/energy_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "framework/workbench/linearization/functions_of_time.hpp"
#include "framework/workbench/linearization/stability_verdict.hpp"
#include "framework/workbench/linearization/steady_fields.hpp"
#include "framework/workbench/linearization/steady_motion.hpp"
#include "framework/workbench/linearization/tree_energy.hpp"
#include "polyform/mechanics/force_set.hpp"

namespace polyform::host::inline linearization {
namespace {

/// Of the own diagonal: a matrix is positive definite if it is so without this part, ten times what differences of
/// forces leave; and it counts as symmetric up to the second part.
constexpr double margin = 1e-6, symmetric = 1e-9;

/// Whether nothing that acts changes with time, as far as evaluations at later times tell.
bool is_constant(const System& system, PointModel& model) {
  Accelerations rates;
  CanonicalState closed;
  if (std::isfinite(model.next_knot()) || !model.sine_periods().empty()) return false;
  if (!model.evaluate(model.time(), model.nominal(), closed, rates)) return false;
  const MotionFields fields(model.view(), model.nominal(), rates.xdot);
  if (fields.size() > 0) return false;
  const std::optional<SteadyMotion> rest = find_steady_motion(model, fields, nullptr);
  if (!rest) return false;
  const double duration = system.description().simulation.duration.value_or(10);
  std::vector<double> times = later_times(model.view(), model.time(), duration);
  for (const double share : later_shares) times.push_back(share * duration);
  std::ranges::sort(times);
  return look_along(model, fields, rest->rates, times).constant;
}

/// All forces of a system at irregular deviations of all its coordinates at once, or of all velocities: signs alone
/// would let many differences of two coordinates vanish.
class Forces {
 public:
  explicit Forces(const PointModel& model)
      : model_(model),
        tree_(model.view()),
        forces_(model.view()),
        wrenches_(model.view().frames()),
        efforts_(model.view().nv),
        rates_(model.view().states) {}

  std::size_t size() const { return 6 * wrenches_.size() + efforts_.size(); }
  bool good() const { return forces_.good(); }

  void at(bool moves, double phase, double h, std::span<double> out) {
    const SystemView& view = model_.view();
    CanonicalState state = model_.nominal();
    std::vector<double> deviation(view.nv_tree);
    for (std::size_t k = 0; k < deviation.size(); ++k) {
      deviation[k] = h * model_.coordinate(k).scale * (moves ? rate() : 1) * irregular(phase, k);
    }
    if (moves)
      std::ranges::copy(deviation, state.v.begin());
    else
      displace(view, model_.nominal(), deviation, state);
    tree_.evaluate(state.q.data(), state.v.data(), state.eta.data(), state.etadot.data());
    std::ranges::fill(wrenches_, Spatial{});
    forces_.follow(state.discrete);
    forces_.evaluate(model_.time(), tree_.frames(), state.q, state.v, state.x, wrenches_, efforts_, rates_);
    std::size_t next = 0;
    for (const Spatial& w : wrenches_)
      for (std::size_t k = 0; k < 6; ++k) out[next++] = w[k];
    std::ranges::copy(efforts_, out.begin() + static_cast<std::ptrdiff_t>(next));
  }

 private:
  double rate() const { return model_.acting().rate > 0 ? model_.acting().rate : 1; }

  const PointModel& model_;
  TreeKinematics tree_;
  ForceSet forces_;
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_, rates_;
};

/// Whether each force has one derivative, the same from above and below, along some deviations of all coordinates and
/// of all velocities.
bool is_smooth(const PointModel& model) {
  constexpr std::size_t directions = 3;  // each finds all but what it is blind to by chance
  constexpr double step = 0.125, small = 1e-3;
  constexpr double shows = 1e-6;  // a change that is less of a load is its rounding
  Forces forces(model);
  if (!forces.good()) return false;
  const std::size_t n = forces.size();
  std::vector<double> middle(n), there(n), sizes(n);
  for (const bool moves : {false, true})
    for (const double phase : std::span(phases).first(directions)) {
      forces.at(moves, phase, 0, middle);
      forces.at(moves, phase, small, there);
      for (std::size_t k = 0; k < n; ++k) {
        sizes[k] = std::max(std::abs(there[k] - middle[k]) / small, shows * std::abs(middle[k]));
        if (!(sizes[k] > 0)) sizes[k] = 1;
        middle[k] /= sizes[k];
      }
      const Curve along = [&](double h, std::span<double> out) {
        forces.at(moves, phase, h, out);
        for (std::size_t k = 0; k < n; ++k) out[k] /= sizes[k];
        return std::ranges::all_of(out, [](double x) { return std::isfinite(x); });
      };
      if (!along(step, there) || kink(middle, 1, n, step, along).part > 0) return false;
    }
  return true;
}

/// The fastest growth of a tree whose damping takes energy alone, 1/s.
struct Growth {
  double rate = 0, error = 0;
};

/// Between two rates by halving, of λ² M + λ G + K less a part of its diagonal.
double largest_singular(TreeEnergy& energy, double fast, double part) {
  constexpr int most_doublings = 60, halvings = 60;
  const auto is_positive = [&](double rate) {
    return energy.is_positive({.of_K = 1, .of_G = rate, .of_M = rate * rate}, part);
  };
  double below = 0, above = fast;
  for (int k = 0; !is_positive(above); ++k, above *= 2) {
    if (k == most_doublings) return std::numeric_limits<double>::infinity();
    below = above;
  }
  for (int k = 0; k < halvings; ++k) {
    const double middle = below > 0 ? std::sqrt(below * above) : 0.5 * above;
    (is_positive(middle) ? above : below) = middle;
  }
  return 0.5 * (below + above);
}

std::optional<Growth> fastest_growth(TreeEnergy& energy) {
  constexpr double few_digits = 0.1;
  const double fast = energy.fastest(), damping = energy.most_damping();
  if (!(fast > 0)) return std::nullopt;
  const bool only_takes = energy.has_no_damping() || energy.is_positive({.of_G = 1, .of_M = margin * damping}, 0);
  if (!only_takes || energy.asymmetry_of_G() > symmetric) return std::nullopt;
  const double most = largest_singular(energy, fast, margin), least = largest_singular(energy, fast, -margin);
  const Growth out{0.5 * (most + least), 0.5 * (most - least)};
  if (!(least > margin * fast) || !(out.error < few_digits * out.rate)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<Stability> judge_by_energy(const System& system, const SolverMaker& make, const Equilibrium& found) {
  if (!found.balanced || !found.driven.empty() || !found.lasting.lasts || !found.kept.empty()) return std::nullopt;
  if (!TreeEnergy::covers(system.view())) return std::nullopt;
  const OperatingPoint& point = found.point;
  if (std::ranges::any_of(point.state.v, [](double v) { return v != 0; })) return std::nullopt;
  const MinimalCoordinates choice = choose_coordinates(system.view(), point.time, point.state);
  const Linearization frame = frame_of(system.view(), point.time, point.state, choice);
  PointModel model(system, make, point, frame);
  if (!sampled_signals(model.view()).empty()) return std::nullopt;
  TreeEnergy energy(model.view());
  if (!energy.linearize(point.time, model.nominal()) || energy.asymmetry_of_K() > symmetric) return std::nullopt;
  Stability out;
  out.modes_of = ModesOf::motion;
  const bool has_no_damping = energy.has_no_damping();
  const bool is_minimum = energy.is_positive({.of_K = 1}, margin);
  if (is_minimum && !has_no_damping && energy.is_positive({.of_G = 1}, margin)) {
    out.verdict = Outlook::stable;
    out.text = stable_text;
    out.why = "the energy of position has a strict minimum there, and every motion is damped";
  } else if (is_minimum && has_no_damping) {
    out.verdict = Outlook::neutral;
    out.text = undamped_text;
    out.why = "the energy of position has a strict minimum there, and nothing takes energy from small motions";
  } else if (const std::optional<Growth> growth = is_minimum ? std::nullopt : fastest_growth(energy)) {
    out.verdict = Outlook::unstable;
    out.text = growth_text(growth->rate, growth->error);
    out.why = "the energy of position falls on one side";
  } else {
    return std::nullopt;
  }
  if (!is_constant(system, model) || !is_smooth(model)) return std::nullopt;
  return out;
}

}  // namespace polyform::host::linearization
