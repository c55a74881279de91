#include "apps/text/sweep_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/text/comparison_text.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "apps/text/wrapping.hpp"

namespace polyform::apps {

using host::HeatEnd;

std::vector<std::string> sweep_texts(host::SweepOf what, const host::Sweep& sweep) {
  const std::string setting =
      fmt::format("{} {:.3g}", what == host::SweepOf::step ? "step" : "tolerance", sweep.reference_value);
  std::vector<std::string> texts;
  const std::vector<std::string>& solvers = sweep.reference_solvers;
  if (solvers.empty())
    texts.push_back(fmt::format("No solver came to the end at {}: there is no reference.", setting));
  else
    texts.push_back(fmt::format("Errors are the largest over bodies and rows, against {} at {}.",
                                solvers.size() == 1
                                    ? solvers.front()
                                    : fmt::format("the consensus of {} solvers ({}), {}", solvers.size(),
                                                  fmt::join(solvers, ", "), counted(sweep.votes.count(), "vote")),
                                setting));
  if (solvers.size() == 1)
    texts.push_back(fmt::format(
        "That is what {} itself comes to when it is finer: the errors say how it converges, not that it is right.",
        solvers.front()));
  for (const host::Dropout& dropout : sweep.dropouts)
    texts.push_back(
        fmt::format("{} is not part of the reference: {}", dropout.solver, status_text(dropout, dropout.solver)));
  if (std::ranges::any_of(sweep.points, &host::SweepPoint::is_reference))
    texts.push_back(fmt::format(
        "There is no room for a finer reference: the runs at {} are the reference, and have no error.", setting));
  if (!sweep.apart_position && !sweep.apart_angle) return texts;
  const double position = sweep.apart_position ? sweep.apart_position->value : 0;
  const double angle = sweep.apart_angle ? sweep.apart_angle->value : 0;
  texts.push_back(fmt::format("The reference solvers are {:.1e} m and {:.1e} rad apart: no error is known better.",
                              position, angle));
  // Bodies that do not move, or do not turn, have no error but rounding in any run: then the other kind of error tells.
  constexpr double rounding = 10;  // times what the reference solvers are apart
  const auto is_below = [](const auto& error, double least) { return error && error->value < least; };
  const auto tells = [&](auto kind, double least) {
    return std::ranges::any_of(
        sweep.points, [&](const host::SweepPoint& p) { return p.*kind && (p.*kind)->value > rounding * least; });
  };
  const bool of_positions = tells(&host::SweepPoint::position, position),
             of_angles = tells(&host::SweepPoint::angle, angle), of_none = !of_positions && !of_angles;
  const auto below = static_cast<std::size_t>(std::ranges::count_if(sweep.points, [&](const host::SweepPoint& p) {
    return ((of_positions || of_none) && is_below(p.position, position)) ||
           ((of_angles || of_none) && is_below(p.angle, angle));
  }));
  if (below > 0)
    texts.push_back(
        fmt::format("Warning: {} with an error below that, which says nothing of {}. Compare the solvers "
                    "without --sweep, or take larger values.",
                    counted(below, "run"), below == 1 ? "it" : "them"));
  return texts;
}

void print_sweep(const host::System& system, const host::RunSettings& settings, host::SweepOf what,
                 const host::Sweep& sweep) {
  const char* name = what == host::SweepOf::step ? "step" : "tolerance";
  fmt::print(output(), "{}: bodies {}; {} s with {}\n\n", system.description().name, system.bodies().size(),
             settings.duration, settings.integrator.name());
  fmt::print(output(), "{:<12} {:>9} {:>7} {:>8} {:>8} {:>10} {:>11} {:>7}\n", "", "", "", "evalu-", "wall", "position",
             "angle", "");
  fmt::print(output(), "{:<12} {:>9} {:>7} {:>8} {:>8} {:>10} {:>11} {:>7}\n", "solver", name, "steps", "ations",
             "time", "error", "error", "drift");
  Reasons reasons;
  for (const host::SweepPoint& p : sweep.points) {
    if (p.how != HeatEnd::How::done) {
      const std::string value = p.value > 0 ? fmt::format("{:.3g}", p.value) : "";
      fmt::print(
          output(), "{}\n",
          wrapped_lines(fmt::format("{:<12} {:>9} {}", p.solver, value,
                                    reasons.once(p, p.solver, value.empty() ? p.solver : p.solver + " at " + value)),
                        23));
      continue;
    }
    const auto error = [&](const auto& d, const char* unit) {
      return d ? fmt::format("{:.1e} {}", d->value, unit) : p.is_reference ? "reference" : "-";
    };
    fmt::print(output(), "{:<12} {:>9.3g} {:>7} {:>8} {:>8} {:>10} {:>11} {:>7.1e}\n", p.solver, p.value, p.run->steps,
               p.run->evaluations, duration_text(p.run->wall_seconds), error(p.position, "m"), error(p.angle, "rad"),
               p.run->energy_drift);
  }
  fmt::print(output(), "\n");
  for (const std::string& text : sweep_texts(what, sweep)) print_paragraphs(text);
}

}  // namespace polyform::apps
