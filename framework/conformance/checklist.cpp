#include "framework/conformance/checklist.hpp"

#include <limits>

#include "framework/diagnostics.hpp"

namespace polyform::host {

std::string_view name_of(Verdict verdict) noexcept {
  constexpr std::string_view names[] = {"passed", "failed", "unsupported"};
  return names[static_cast<std::size_t>(verdict)];
}

double Measure::infinite() { return std::numeric_limits<double>::infinity(); }

void Checklist::claim(std::string_view name, double tolerance, std::string_view remedy,
                      const std::function<void(Measure&)>& body) {
  sink_.begin(name);
  Measure measure(tolerance);
  Claim claim{kind_, type_, std::string(name), Verdict::passed, 0, tolerance, {}, {}, {}};
  try {
    body(measure);
    if (measure.seen() == 0) throw Undecided("nothing was found to measure");
  } catch (const Undecided& problem) {
    if (measure.good()) claim.verdict = Verdict::unsupported;
    claim.finding = problem.why();
  } catch (const Failure& problem) {
    claim.verdict = Verdict::failed;
    claim.finding = problem.message();
  }
  claim.measured = measure.worst();
  if (!measure.good()) {
    claim.verdict = Verdict::failed;
    claim.finding = measure.where();
    claim.model = measure.model();
  }
  if (claim.verdict == Verdict::failed) claim.remedy = remedy;
  sink_.add(claim);
}

void Checklist::unsupported(std::string_view name, std::string why) {
  sink_.add({kind_, type_, std::string(name), Verdict::unsupported, 0, 0, std::move(why), {}, {}});
}

}  // namespace polyform::host
