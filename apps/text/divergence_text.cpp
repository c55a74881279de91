#include "apps/text/divergence_text.hpp"

#include <fmt/format.h>

#include <numbers>

namespace polyform::apps {

std::string divergence_text(const host::Divergence& d) {
  using Cause = host::Divergence::Cause;
  if (d.at_start) {
    const std::string text = "Nothing is integrated before that, so the integration is no cause. ";
    if (d.cause == Cause::round_off)
      return text + "Round-off comes as far: no\nsign of a wrong solver; give a larger --tolerance.";
    return text + fmt::format(
                      "One of them is wrong there,\n{} or {}; or what is asked is not unique, or so "
                      "ill-conditioned that round-off comes as far. polyform evaluate\nMODEL --solver all "
                      "shows what each gives.",
                      d.solver, d.peer);
  }
  std::string text = fmt::format(
      "At finer settings (half of step or output interval, a tenth of the tolerances, bounded steps) {} moves away "
      "from itself\n"
      "by {:.1e} until then, {} by {:.1e}; with speeds and gravity larger by {:.0e} {} does by {:.3g} times\n"
      "that difference",
      d.solver, d.integration_error, d.peer, d.peer_error, d.perturbation, d.solver, d.amplification);
  if (d.rate > 0)
    text += fmt::format(", which over {:.3g} s grows at {:.3g} 1/s, tenfold every {:.3g} s", d.duration, d.rate,
                        std::numbers::ln10 / d.rate);
  text += fmt::format(".\nAt those finer settings the two are {:.1e} apart, {:.2g} of what they were. ", d.finer_apart,
                      d.apart > 0 ? d.finer_apart / d.apart : 1);
  switch (d.cause) {
    case Cause::solver:
      return text +
             "Neither solver's own error explains\nthe disagreement: one of them is wrong here, or the motion is not "
             "unique.";
    case Cause::chaos:
      return text +
             "This is chaos: the small errors of\nintegration grow exponentially. It is no sign of a wrong solver; "
             "compare over a shorter --duration.";
    case Cause::round_off:
      return text + "Round-off alone comes\nas far: no sign of a wrong solver; give a larger --tolerance.";
    case Cause::integration:
      return text +
             "The integration is no finer than the\ndisagreement: give a smaller --rtol, --atol or --step. It is no "
             "sign of a wrong solver.";
    case Cause::unknown:
      break;
  }
  if (!d.refined())
    return text +
           "Finer settings change neither,\nso it cannot be told whether a solver is wrong. Give other settings.";
  return text +
         "So it cannot be told whether a\nsolver is wrong: their own errors are as large as the disagreement, but "
         "finer settings do not lessen it. Give a\nmuch smaller --rtol and --atol or --step, or a shorter --duration.";
}

}  // namespace polyform::apps
