#include "framework/workbench/linearization/stability_verdict.hpp"

#include "framework/workbench/linearization/known_digits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

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

/// Errors of more than this part of a rate leave a range of times in which a disturbance doubles; a range whose end is
/// so many times its beginning has none.
constexpr double one_digit = 0.1, no_end = 100;

/// A positive number with the digits that its error leaves, four at most.
std::string known_digits(double value, double error) {
  constexpr int most = 4;
  int digits = 1;
  while (digits < most && error * std::pow(10, digits) <= value) ++digits;
  return fmt::format("{:.{}g}", value, digits);
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

/// Errors of this part of an eigenvalue are rounding, which hides growth by e for a million million radians.
constexpr double told_by_nothing = 1e-12;

/// States that A couples, in whatever way: modes of different parts know nothing of each other.
class Parts {
 public:
  explicit Parts(const Linearization& linear) : linear_(linear), part_(linear.states.size()) {
    std::iota(part_.begin(), part_.end(), std::size_t{0});
    const Linearization::Matrix& A = linear.A;
    for (std::size_t i = 0; i < part_.size(); ++i)
      for (std::size_t j = 0; j < part_.size(); ++j) {
        const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
        if (std::abs(A.value(r, c)) > A.error(r, c)) part_[root(i)] = root(j);
      }
  }

  /// The parts in which something is seen to die out: the trace of A is the sum of all real parts, and has digits where
  /// single ones have none.
  std::vector<char> damped(const Modes& modes) {
    std::vector<char> out(part_.size());
    std::vector<double> trace(part_.size()), error(part_.size());
    for (std::size_t i = 0; i < part_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      const double rate = linear_.A.value(k, k);
      trace[root(i)] += rate;
      error[root(i)] += linear_.A.error(k, k) + known_part * std::abs(rate);
    }
    for (std::size_t i = 0; i < part_.size(); ++i) out[i] = std::abs(trace[i]) > error[i];
    for (const Mode& mode : modes.all)
      if (mode.trend == Mode::Trend::decaying)
        for (const std::size_t part : of(mode)) out[part] = true;
    return out;
  }
  /// Those in which a mode moves.
  std::vector<std::size_t> of(const Mode& mode) {
    constexpr double notable = 1e-6;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < part_.size() && mode.shape.size() > 0; ++i)
      if (std::abs(mode.shape[static_cast<Eigen::Index>(i)]) > notable * linear_.scales[i]) out.push_back(root(i));
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  std::size_t root(std::size_t i) {
    while (part_[i] != i) i = part_[i] = part_[part_[i]];
    return i;
  }

  const Linearization& linear_;
  std::vector<std::size_t> part_;  ///< another state of the same part; itself at its end
};

/// Whether no other eigenvalue is within errors of a mode's, its own conjugate included.
bool is_alone(const Mode& mode, const Modes& modes, Parts& parts) {
  const std::vector<std::size_t> own = parts.of(mode);
  return std::ranges::none_of(modes.all, [&](const Mode& other) {
    if (other.kind == Mode::Kind::rigid) return false;
    const double doubt = factor_of_error * (mode.error + other.error);
    const std::complex<double> e = mode.eigenvalue, f = other.eigenvalue;
    const bool meets = &other != &mode && std::abs(e - f) <= doubt,
               meets_conjugate = (&other != &mode || e.imag() > 0) && std::abs(e - std::conj(f)) <= doubt;
    if (!meets && !meets_conjugate) return false;
    const std::vector<std::size_t> its = parts.of(other);
    return std::ranges::any_of(its, [&](std::size_t part) { return std::ranges::binary_search(own, part); });
  });
}

/// The mode of which it is known least whether it grows or dies out. Where nothing is seen to die out, eigenvalues lie
/// in pairs λ and −λ̄ if energy is conserved, or if the motion can run backwards. Then one that is alone lies on the
/// axis, and if energy is conserved, that is taken of those that meet others too: they part only where a motion of
/// positive and one of negative energy meet. Efforts without potential may part any that meet. Nothing if it is known
/// of all.
const Mode* least_decided(const Linearization& linear, const Modes& modes, const ModeQuestions& ask) {
  const Mode* found = nullptr;
  std::optional<Parts> parts;
  std::optional<bool> conserves;
  std::vector<char> damped;
  for (const Mode& mode : modes.all) {
    if (mode.kind == Mode::Kind::rigid || mode.trend != Mode::Trend::neutral) continue;
    if (mode.error <= told_by_nothing * std::abs(mode.eigenvalue)) continue;
    if (found != nullptr && mode.error <= found->error) continue;
    if (!parts) damped = parts.emplace(linear).damped(modes);
    bool is_known = std::ranges::none_of(parts->of(mode), [&](std::size_t part) { return damped[part] != 0; });
    if (is_known && !is_alone(mode, modes, *parts)) {
      if (!conserves) conserves = ask.conserves();
      is_known = *conserves;
    }
    if (!is_known && !ask.drifts(mode)) found = &mode;
  }
  return found;
}

/// Judges the disturbances of all states but the unfelt ones, to which `unfelt` eigenvalues zero belong.
void judge_felt(const Linearization& linear, const Modes& modes, std::size_t unfelt, const ModeQuestions& ask,
                Stability& out) {
  const auto moves = [](const Mode& m) { return m.kind != Mode::Kind::rigid; };
  if (modes.any(Mode::Trend::growing)) {
    double rate = 0, error = 0, other = 0;
    for (const Mode& m : modes.all)
      if (m.trend == Mode::Trend::growing && m.eigenvalue.real() > rate) rate = m.eigenvalue.real(), error = m.error;
    for (const Mode& m : modes.all)
      if (moves(m)) other = std::max(other, m.eigenvalue.real() + m.error);
    out.verdict = Outlook::unstable;
    out.text = growth_text(rate, error);
    if (modes.zero_eigenvalues > unfelt && modes.rigid_within > std::max(rate, other))
      out.text += fmt::format(", or sooner: what counts as rigid may grow by up to {:.1e} 1/s", modes.rigid_within);
    else if (other > rate + error)
      out.text += fmt::format(", or sooner: another motion may grow by up to {:.1e} 1/s", other);
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
    if (m.defective) (ask.drifts(m) ? drift : defective) = &m;
  }
  if (const double lost = lost_below(modes); lost > 0) {
    out.verdict = Outlook::none;
    out.text = fmt::format(
        "no verdict: motions slower than {:.2g} rad/s are lost in the rounding of A, so that it is not known whether they "
        "are restored and die out",
        lost);
    return;
  }
  if (const Mode* const mode = least_decided(linear, modes, ask); mode != nullptr) {
    out.verdict = Outlook::none;
    out.text = fmt::format(
        "no verdict: nothing is seen to grow, but it cannot be told whether the {} of {} rad/s dies out: its real "
        "part is {:.2g} 1/s (within ±{:.1e} 1/s)",
        mode->kind == Mode::Kind::oscillating ? "oscillation" : "motion",
        known_digits(std::abs(mode->eigenvalue), mode->error), mode->eigenvalue.real(), mode->error);
    return;
  }
  const bool is_rigid = modes.zero_eigenvalues > unfelt;
  out.verdict = Outlook::neutral;
  if (defective != nullptr)
    out.text = fmt::format("neutral, but an oscillation of {:.4g} rad/s is defective: it grows in proportion to time",
                           std::abs(defective->eigenvalue));
  else if (drift != nullptr)
    out.text = fmt::format(
        "neutral: a push lets it drift on at constant speed (the defective oscillation of {:.4g} rad/s is that drift, "
        "seen in turning axes), and nothing else grows",
        std::abs(drift->eigenvalue));
  else if (is_rigid)
    out.text = "neutral: some motions are not restored (rigid modes), none grows exponentially";
  else if (undamped)
    out.text = undamped_text;
  else {
    out.verdict = Outlook::stable;
    out.text = std::none_of(modes.all.begin(), modes.all.end(), moves) ? "nothing can move" : stable_text;
  }
  // What counts as rigid may move as fast as that.
  const bool is_loose = is_rigid && modes.rigid_within > told_from;
  if (is_loose) uncertain = std::max(uncertain, modes.rigid_within);
  if (is_loose || (undamped && uncertain > told_from * slowest))
    out.text += fmt::format(" (to within {:.1e} 1/s)", uncertain);
}

}  // namespace

std::string growth_text(double rate, double error) {
  const double time = std::numbers::ln2 / rate, least = std::numbers::ln2 / (rate + error),
               most = std::numbers::ln2 / (rate - error);
  if (error <= one_digit * rate)
    return fmt::format("unstable: a disturbance doubles in {} s", known_digits(time, time * error / rate));
  if (most > no_end * least) return fmt::format("unstable: a disturbance doubles, in {:.2g} s or later", least);
  return fmt::format("unstable: a disturbance doubles in {:.2g} to {:.2g} s", least, most);
}

void judge_modes(const Linearization& linear, const ModeQuestions& ask, Stability& out) {
  const std::vector<std::string_view> unfelt = unfelt_states(linear);
  judge_felt(linear, out.modes, unfelt.size(), ask, out);
  if (!unfelt.empty() && out.verdict != Outlook::none)
    out.text += fmt::format("; apart from {}, which nothing feels: {} what was added up", fmt::join(unfelt, ", "),
                            unfelt.size() == 1 ? "it keeps" : "they keep");
}

void judge_multipliers(Stability& out) {
  const Floquet& f = *out.floquet;
  double growth = 0, error = 0, decay = 0;
  bool neutral = f.ones > 0;
  const Multiplier *defective = nullptr, *undecided = nullptr;
  for (const Multiplier& m : f.multipliers) {
    if (m.trend == Mode::Trend::growing && m.growth(f.period) > growth) {
      growth = m.growth(f.period);
      error = m.error / (std::abs(m.value) * f.period);
    }
    if (m.trend == Mode::Trend::decaying) decay = std::min(decay, m.growth(f.period));
    neutral = neutral || m.trend == Mode::Trend::neutral;
    if (!m.one && m.trend == Mode::Trend::neutral && m.defective) defective = &m;
    // One that may be 1 is that of a motion which comes back, as one along the motion itself does.
    if (!m.one && m.trend == Mode::Trend::neutral && std::abs(m.value - 1.0) > m.error &&
        (undecided == nullptr || m.error > undecided->error))
      undecided = &m;
  }
  if (growth == 0 && decay < 0 && undecided != nullptr) {
    out.verdict = Outlook::none;
    out.text = fmt::format(
        "no verdict: nothing is seen to grow, but it cannot be told whether the deviation with the multiplier {:.4g} "
        "{:+.4g}i dies out: its modulus is 1 {:+.2g} (within ±{:.1e})",
        undecided->value.real(), undecided->value.imag(), std::abs(undecided->value) - 1, undecided->error);
    return;
  }
  out.verdict = growth > 0 ? Outlook::unstable : neutral ? Outlook::neutral : Outlook::stable;
  if (growth > 0)
    out.text = growth_text(growth, error);
  else if (defective != nullptr)
    out.text =
        fmt::format("neutral, but the multiplier {:.4g} {:+.4g}i is defective: disturbances grow in proportion to time",
                    defective->value.real(), defective->value.imag());
  else if (f.ones > 0)
    out.text = "neutral: some deviations come back as they were after each period, none grows exponentially";
  else if (neutral)
    out.text = "neutral: some deviations keep their size from period to period, none grows";
  else
    out.text = stable_text;
}

}  // namespace polyform::host::linearization
