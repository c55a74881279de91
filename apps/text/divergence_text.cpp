#include "apps/text/divergence_text.hpp"

#include <fmt/format.h>

#include <numbers>

namespace polyform::apps {

std::string divergence_text(const host::Divergence& d) {
  using Cause = host::Divergence::Cause;
  if (d.at_start) {
    const std::string text = "Nothing has been integrated at that time, so the integration is not the cause. ";
    if (d.cause == Cause::round_off)
      return text +
             "Round-off makes differences of this size. It is no sign of a wrong solver. Give a larger --tolerance.";
    return text + fmt::format(
                      "Either {} or {} is wrong there; or the model does not determine the result; or it is so "
                      "ill-conditioned that round-off makes the difference. polyform evaluate MODEL --solver "
                      "all shows what each solver gives.",
                      d.solver, d.peer);
  }
  std::string text = fmt::format(
      "Two solvers ran again with finer settings: half the step or output interval, a tenth of the tolerances, bounded "
      "steps. {} then differs from its first run by {:.1e} until that time, {} by {:.1e}. With speeds and gravity larger "
      "by {:.0e}, {} differs by {:.3g} times that change",
      d.solver, d.integration_error, d.peer, d.peer_error, d.perturbation, d.solver, d.amplification);
  if (d.rate > 0)
    text += fmt::format(": over {:.3g} s a difference grows at {:.3g} 1/s, tenfold every {:.3g} s", d.duration, d.rate,
                        std::numbers::ln10 / d.rate);
  text += fmt::format(". With the finer settings the two solvers are {:.1e} apart, {:.2g} of what they were. ",
                      d.finer_apart, d.apart > 0 ? d.finer_apart / d.apart : 1);
  switch (d.cause) {
    case Cause::solver:
      return text +
             "Neither solver's own error explains the disagreement: one of them is wrong here, or the motion is "
             "not unique.";
    case Cause::chaos:
      return text +
             "This is chaos: small errors of the integration grow exponentially. It is no sign of a wrong "
             "solver. Compare over a shorter --duration.";
    case Cause::round_off:
      return text +
             "Round-off alone makes differences of this size. It is no sign of a wrong solver. Give a larger "
             "--tolerance.";
    case Cause::integration:
      return text +
             "The errors of the integration are as large as the disagreement. It is no sign of a wrong solver. "
             "Give a smaller --rtol, --atol or --step.";
    case Cause::unknown: break;
  }
  if (!d.refined())
    return text +
           "Finer settings change neither solver, so it cannot be told whether one is wrong. Give other settings.";
  return text +
         "It cannot be told whether a solver is wrong: their own errors are as large as the disagreement, and "
         "finer settings do not make it smaller. Give a much smaller --rtol and --atol or --step, or a shorter "
         "--duration.";
}

}  // namespace polyform::apps
