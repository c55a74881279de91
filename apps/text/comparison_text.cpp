#include "apps/text/comparison_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/text/divergence_text.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "apps/text/votes_text.hpp"
#include "apps/text/wrapping.hpp"

namespace polyform::apps {

using host::HeatEnd;
using host::Quantity;
using host::Standing;

std::string own_reason(const HeatEnd& end, std::string_view solver) {
  const bool named = end.reason.starts_with(fmt::format("{} ", solver));
  return named ? end.reason.substr(solver.size() + 1) : end.reason;
}

std::string status_text(const HeatEnd& end, std::string_view solver) {
  switch (end.how) {
    case HeatEnd::How::done: return {};
    case HeatEnd::How::skipped: return "skipped: " + own_reason(end, solver);
    case HeatEnd::How::failed: return "failed: " + own_reason(end, solver);
    case HeatEnd::How::interrupted: break;
  }
  return end.run ? fmt::format("interrupted at t = {:.6g} s", end.run->time) : end.reason;
}

std::string Reasons::once(const HeatEnd& end, const std::string& solver, const std::string& place) {
  const std::string status = status_text(end, solver);
  constexpr std::size_t short_enough = 60;
  const auto [said, first] = said_.try_emplace(status, place);
  if (first || status.size() <= short_enough) return status;
  return fmt::format("{}: as {}", status.substr(0, status.find(':')), said->second);
}

std::string drift_note(const std::vector<Standing>& standings) {
  const bool open =
      std::any_of(standings.begin(), standings.end(), [](const Standing& s) { return s.run && !s.run->conservative; });
  return open ? open_drift : "";
}

std::string_view unit_of(Quantity quantity, bool length) {
  switch (quantity) {
    case Quantity::position: return " m";
    case Quantity::angle: return " rad";
    case Quantity::joint: return length ? " m" : " rad";
    case Quantity::force: return " N";
    case Quantity::moment: return " N m";
    case Quantity::acceleration: return " m/s^2";
    case Quantity::angular_acceleration: return " rad/s^2";
    case Quantity::joint_acceleration: return length ? " m/s^2" : " rad/s^2";
    case Quantity::modal:
    case Quantity::output: break;
  }
  return "";
}

std::string_view title_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::joint: return "joint coordinate";
    case Quantity::modal: return "modal coordinate";
    case Quantity::force: return "reaction force";
    case Quantity::moment: return "reaction moment";
    case Quantity::angular_acceleration: return "angular accel.";
    case Quantity::joint_acceleration: return "joint accel.";
    default: return name_of(quantity);
  }
}

namespace {

/// The first bytes of a text that are this many code points.
std::size_t bytes_of(std::string_view text, std::size_t points) {
  std::size_t k = 0;
  for (; k < text.size() && (points > 0 || (text[k] & 0xC0) == 0x80); ++k)
    if ((text[k] & 0xC0) != 0x80) --points;
  return k;
}

/// The name, without its middle if it is longer than this: a chain's name stands at the beginning, the number at the
/// end.
std::string shortened(std::string_view name, std::size_t most) {
  const auto length =
      static_cast<std::size_t>(std::count_if(name.begin(), name.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  if (length <= most) return std::string(name);
  const std::size_t head = (most - 1) / 2, tail = most - 2 - head;
  return fmt::format("{}..{}", name.substr(0, bytes_of(name, head)), name.substr(bytes_of(name, length - tail)));
}

/// A name at the beginning of a row; a long one has a line for itself.
std::string row_name(std::string_view name) {
  constexpr std::size_t width = 12;
  return name.size() <= width ? fmt::format("{:<{}}", name, width) : fmt::format("{}\n{:{}}", name, "", width);
}

void print_costs(const std::vector<Standing>& standings) {
  fmt::print(output(), "{:<12} {:>9} {:>10} {:>11} {:>8} {:>6} {:>8} {:>9}\n", "solver", "wall time", "evaluation",
             "evaluations", "steps", "states", "drift", "violation");
  Reasons reasons;
  for (const Standing& s : standings) {
    if (s.run)
      fmt::print(output(), "{} {:>9} {:>10} {:>11} {:>8} {:>6} {:>8.1e} {:>9.1e}\n", row_name(s.solver),
                 duration_text(s.run->wall_seconds), duration_text(s.run->seconds_per_evaluation), s.run->evaluations,
                 s.run->steps, s.run->state_size, s.run->energy_drift, s.run->constraint_violation);
    if (s.how != HeatEnd::How::done)
      fmt::print(output(), "{}\n",
                 wrapped_lines(
                     fmt::format("{} {}", row_name(s.run ? "" : s.solver), reasons.once(s, s.solver, s.solver)), 13));
  }
  if (const std::string note = drift_note(standings); !note.empty()) print_paragraphs(note);
  for (const std::string& text : warning_texts(standings)) print_paragraphs(text);
}

/// Three columns and those before them are 77 characters.
constexpr std::size_t in_a_row = 3;

void print_deviations(const std::vector<Standing>& standings, const host::Votes& votes,
                      std::span<const Quantity> shown) {
  constexpr std::size_t width = 19;
  if (shown.size() > in_a_row) {
    print_deviations(standings, votes, shown.first(in_a_row));
    return print_deviations(standings, votes, shown.subspan(in_a_row));
  }
  if (shown.empty()) return;
  fmt::print(output(), "{:<12} {:<4}", "solver", "vote");
  for (const Quantity q : shown) fmt::print(output(), " {:<{}}", title_of(q), width);
  for (std::size_t k = 0; k < standings.size(); ++k) {
    const Standing& s = standings[k];
    if (!s.deviation) continue;
    std::string values = fmt::format("\n{} {:>4}", row_name(s.solver), votes.of(k).value_or(0) + 1);
    std::string places = fmt::format("\n{:<17}", "");
    for (const Quantity q : shown) {
      const auto& d = (*s.deviation)[q];
      const std::string time = d ? fmt::format(" {:.4g} s", d->time) : "";
      values += fmt::format(" {:<{}}", d ? fmt::format("{:.1e}{}", d->value, unit_of(q, d->length)) : "-", width);
      places += fmt::format(" {:<{}}", d && d->value > 0 ? shortened(d->where, width - time.size()) + time : "", width);
    }
    fmt::print(output(), "{}{}", values, places);
  }
  fmt::print(output(), "\n");
}

void print_deviations(const std::vector<Standing>& standings, const host::Votes& votes) {
  std::vector<Quantity> present;
  for (const Quantity q : host::quantities)
    if (std::any_of(standings.begin(), standings.end(),
                    [&](const Standing& s) { return s.deviation && (*s.deviation)[q]; }))
      present.push_back(q);
  if (present.empty()) return;
  fmt::print(output(), "\nLargest deviation from the consensus (mean of two votes, median of more)\n");
  const auto accelerations = std::ranges::find(present, host::Family::acceleration, host::family_of);
  print_deviations(standings, votes, std::span<const Quantity>(present.begin(), accelerations));
  print_deviations(standings, votes, std::span<const Quantity>(accelerations, present.end()));
}

}  // namespace

std::string unresolved_text(const host::BoundedTwin& twin, double tolerance) {
  return fmt::format(
      "But this is no solution. With no step longer than {:.3g} s, in which no body passes more than its own size, {} "
      "differs from its first run by {:.1e} (relative), beyond the tolerance of {:g} from t = {:.6g} s on. All solvers "
      "step over something short. Give --max-step {:.1g} or less, or tighter tolerances; elements that switch can tell "
      "their events (the guide's chapter on events).",
      twin.max_step, twin.solver, twin.apart, tolerance, twin.time, twin.max_step);
}

std::vector<std::string> warning_texts(const std::vector<Standing>& standings) {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> all;
  for (const Standing& s : standings)
    if (s.run)
      for (const std::string& text : s.run->warnings) {
        auto known = std::ranges::find(all, text, [](const auto& entry) { return entry.first; });
        if (known == all.end()) known = all.insert(all.end(), {text, {}});
        known->second.push_back(s.solver);
      }
  std::vector<std::string> texts;
  for (const auto& [text, solvers] : all)
    texts.push_back(fmt::format("Warning ({}): {}.", fmt::join(solvers, ", "), text));
  return texts;
}

std::vector<std::string> names_of(const std::vector<Standing>& standings) {
  std::vector<std::string> names;
  for (const Standing& s : standings) names.push_back(s.solver);
  return names;
}

std::string uncompared_text(const host::Comparison& comparison) {
  const auto ran = [](const Standing& s) { return s.run && s.run->end != host::End::failed; };
  const auto only = std::ranges::find_if(comparison.standings, ran);
  if (std::ranges::count_if(comparison.standings, ran) != 1) return {};
  return fmt::format(
      "{} is the only solver that ran, so this says nothing about its correctness. polyform verify tests a solver "
      "against known answers.",
      only->solver);
}

std::string imbalance_text(const host::Comparison& comparison, double tolerance) {
  std::string who;
  for (const Standing& s : comparison.standings)
    if (s.run && s.run->imbalance > tolerance)
      who += fmt::format("{}{} ({:.1e}, {})", who.empty() ? "" : ", ", s.solver, s.run->imbalance, s.run->imbalance_of);
  if (who.empty()) return {};
  return fmt::format(
      "Accelerations do not meet the equations of motion within {:g} in: {}. The agreement of motions says nothing about "
      "these solvers here.",
      tolerance, who);
}

/// Of all runs, in the order of the first.
std::vector<std::string> open_contacts_of(const host::Comparison& comparison) {
  std::vector<std::string> all;
  for (const Standing& s : comparison.standings)
    for (const std::string& name : s.run ? s.run->open_contacts : std::vector<std::string>())
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  return all;
}

std::vector<std::string> agreement_texts(const host::System& system, double tolerance,
                                         const host::Comparison& comparison) {
  std::vector<std::string> texts;
  const auto compared = static_cast<std::size_t>(
      std::ranges::count_if(comparison.standings, [](const Standing& s) { return s.deviation.has_value(); }));
  if (compared == 0) return texts;
  if (const std::string open = open_reactions(system.count_constraints()); !open.empty())
    texts.push_back(fmt::format("Reactions {}; of these only the unique part is compared.", open));
  if (const std::string open = open_contacts(open_contacts_of(comparison)); !open.empty())
    texts.push_back(fmt::format("Forces of rigid contact are {}; they are not compared.", open));
  if (const std::vector<double>& at = comparison.at_events; !at.empty())
    texts.push_back(fmt::format(
        "At t = {:.9g} s{} a row stands at the instant of an event, before it in some runs and after it in others: of "
        "it the motion alone is compared.",
        at.front(), at.size() > 1 ? fmt::format(" and {} more time{}", at.size() - 1, plural(at.size() - 1)) : ""));
  if (const std::string missed = imbalance_text(comparison, tolerance); !missed.empty()) {
    texts.push_back(missed);
    if (!comparison.first) return texts;
  }
  if (!comparison.first) {
    texts.push_back(agreement_text(compared, comparison.votes, tolerance, comparison.until));
    if (comparison.bounded && !comparison.bounded->resolved)
      texts.push_back(unresolved_text(*comparison.bounded, tolerance));
    return texts;
  }
  const std::vector<std::string> names = names_of(comparison.standings);
  texts.push_back(parting_text(*comparison.first, comparison.sides, names, tolerance));
  // If integration or round-off is the cause, votes tell nothing.
  using Cause = host::Divergence::Cause;
  const Cause cause = comparison.divergence ? comparison.divergence->cause : Cause::unknown;
  if (cause == Cause::solver || cause == Cause::unknown)
    texts.push_back(sides_text(comparison.sides, comparison.votes, names));
  texts.push_back(
      comparison.divergence ? divergence_text(*comparison.divergence)
      : comparison.interrupted
          ? "Interrupted before the finer and the disturbed run ended, which tell chaos from a wrong solver: "
            "it cannot be told."
          : "The finer and the disturbed run, which tell chaos from a wrong solver, did not come to their end: "
            "it cannot be told.");
  return texts;
}

void print_comparison(const host::System& system, const host::RunSettings& settings, double tolerance,
                      const host::Comparison& comparison) {
  print_paragraphs(fmt::format("{}: bodies {}, degrees of freedom {}, loops {}; {} s with {}\n",
                               system.description().name, system.bodies().size(),
                               system.count_constraints().degrees_of_freedom, system.loops(), settings.duration,
                               describe(settings)));
  print_costs(comparison.standings);
  print_votes(comparison.votes, names_of(comparison.standings));
  print_deviations(comparison.standings, comparison.votes);
  const std::vector<std::string> texts = agreement_texts(system, tolerance, comparison);
  if (!texts.empty()) fmt::print(output(), "\n");
  for (const std::string& text : texts) print_paragraphs(text);
}

}  // namespace polyform::apps
