#include "framework/workbench/linearization/stability_verdict.hpp"

#include "framework/workbench/linearization/known_digits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace polyform::host::inline linearization {
namespace {

/// First-order states on which nothing depends, such as the angle of a motor. Each has its own eigenvalue of zero.
std::vector<std::string_view> unfelt_states(const Linearization& linear) {
  std::vector<std::string_view> names;
  for (std::size_t i = linear.positions + linear.velocities; i < linear.states.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto& A = linear.A;
    if ((A.value.col(column).array().abs() <= A.error.col(column).array()).all())
      names.push_back(linear.states[i].name);
  }
  return names;
}

std::string growth_text(double rate) {
  return fmt::format("unstable: a disturbance doubles in {:.4g} s", std::numbers::ln2 / rate);
}

/// Of the slowest mode that is known to move: what may be as fast is no rest.
constexpr double told_apart = 0.1;

/// The rate below which nothing is known of motions, if it is no small part of that of the slowest mode that is known;
/// else 0. rad/s.
double lost_below(const Modes& modes) {
  double lost = modes.rigid_within, slowest = std::numeric_limits<double>::infinity();
  for (const Mode& m : modes.all) {
    if (m.kind == Mode::Kind::rigid) continue;
    const double rate = std::abs(m.eigenvalue);
    if (rate > 10 * m.error) slowest = std::min(slowest, rate);
    if (m.trend == Mode::Trend::neutral && 2 * m.error > rate) lost = std::max(lost, m.error);
  }
  return lost > told_apart * slowest ? lost : 0;
}

/// Judges the disturbances of all states but the unfelt ones, to which `unfelt` eigenvalues zero belong.
void judge_felt(const Modes& modes, std::size_t unfelt, const std::function<bool(const Mode&)>& drifts,
                Stability& out) {
  const auto moves = [](const Mode& m) { return m.kind != Mode::Kind::rigid; };
  if (modes.any(Mode::Trend::growing)) {
    double rate = 0;
    for (const Mode& m : modes.all)
      if (m.trend == Mode::Trend::growing) rate = std::max(rate, m.eigenvalue.real());
    out.verdict = Outlook::unstable;
    out.text = growth_text(rate);
    return;
  }
  const Mode *defective = nullptr, *drift = nullptr;
  // Part of the slowest oscillation, and of 1/s, which is growth by e in more than ten days.
  constexpr double told_from = 1e-6;
  double uncertain = 0, slowest = 1;
  bool undamped = false;
  for (const Mode& m : modes.all) {
    if (!moves(m) || m.trend != Mode::Trend::neutral) continue;
    undamped = true;
    uncertain = std::max(uncertain, uncertainty(m.error, std::abs(m.eigenvalue)));
    slowest = std::min(slowest, std::abs(m.eigenvalue));
    if (m.defective) (drifts(m) ? drift : defective) = &m;
  }
  if (const double lost = lost_below(modes); lost > 0) {
    out.verdict = Outlook::none;
    out.text = fmt::format(
        "no verdict: motions slower than {:.2g} rad/s are lost in the rounding of A, so that it is not known whether they "
        "are restored and die out",
        lost);
    return;
  }
  out.verdict = Outlook::neutral;
  if (defective != nullptr)
    out.text = fmt::format("neutral, but an oscillation of {:.4g} rad/s is defective: it grows in proportion to time",
                           std::abs(defective->eigenvalue));
  else if (drift != nullptr)
    out.text = fmt::format(
        "neutral: a push lets it drift on at constant speed (the defective oscillation of {:.4g} rad/s is that drift, "
        "seen in turning axes), and nothing else grows",
        std::abs(drift->eigenvalue));
  else if (modes.zero_eigenvalues > unfelt)
    out.text = "neutral: some motions are not restored (rigid modes), none grows exponentially";
  else if (undamped)
    out.text = "neutral: some oscillations are not damped, none grows";
  else {
    out.verdict = Outlook::stable;
    out.text = std::none_of(modes.all.begin(), modes.all.end(), moves)
                   ? "nothing can move"
                   : "asymptotically stable: every disturbance dies out";
  }
  if (undamped && uncertain > told_from * slowest) out.text += fmt::format(" (to within {:.1e} 1/s)", uncertain);
}

}  // namespace

void judge_modes(const Linearization& linear, const std::function<bool(const Mode&)>& drifts, Stability& out) {
  const std::vector<std::string_view> unfelt = unfelt_states(linear);
  judge_felt(out.modes, unfelt.size(), drifts, out);
  if (!unfelt.empty() && out.verdict != Outlook::none)
    out.text += fmt::format("; apart from {}, which nothing feels: {} what was added up", fmt::join(unfelt, ", "),
                            unfelt.size() == 1 ? "it keeps" : "they keep");
}

void judge_multipliers(Stability& out) {
  const Floquet& f = *out.floquet;
  double growth = 0, decay = 0;
  bool neutral = f.ones > 0;
  const Multiplier* defective = nullptr;
  for (const Multiplier& m : f.multipliers) {
    if (m.trend == Mode::Trend::growing) growth = std::max(growth, m.growth(f.period));
    if (m.trend == Mode::Trend::decaying) decay = std::min(decay, m.growth(f.period));
    neutral = neutral || m.trend == Mode::Trend::neutral;
    if (!m.one && m.trend == Mode::Trend::neutral && m.defective) defective = &m;
  }
  out.verdict = growth > 0 ? Outlook::unstable : neutral ? Outlook::neutral : Outlook::stable;
  if (growth > 0)
    out.text = growth_text(growth);
  else if (defective != nullptr)
    out.text =
        fmt::format("neutral, but the multiplier {:.4g} {:+.4g}i is defective: disturbances grow in proportion to time",
                    defective->value.real(), defective->value.imag());
  else if (f.ones > 0)
    out.text = "neutral: some deviations come back as they were after each period, none grows exponentially";
  else if (neutral)
    out.text = "neutral: some deviations keep their size from period to period, none grows";
  else
    out.text = "asymptotically stable: every disturbance dies out";
}

}  // namespace polyform::host::linearization
