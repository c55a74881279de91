#include "framework/workbench/conformance/checklist.hpp"

#include <limits>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline conformance {

std::string_view name_of(Verdict verdict) noexcept {
  constexpr std::string_view names[] = {"passed", "failed", "unsupported"};
  return names[static_cast<std::size_t>(verdict)];
}

double Measure::infinite() { return std::numeric_limits<double>::infinity(); }

Claim Checklist::decide(std::string_view name, double tolerance, std::string_view remedy,
                        const std::function<void(Measure&)>& body) const {
  Measure measure(tolerance, &sink_);
  Claim claim{kind_, type_, std::string(name), Verdict::passed, 0, tolerance, {}, {}, {}};
  try {
    body(measure);
    if (measure.seen() == 0) throw Undecided("nothing was found to measure");
    claim.finding = measure.remark();
  } catch (const Undecided& problem) {
    if (measure.good()) claim.verdict = Verdict::unsupported;
    claim.finding = problem.why();
  } catch (const Failure& problem) {
    claim.verdict = Verdict::failed;
    claim.finding = problem.message();
    claim.model = measure.current_model();
    claim.remedy = problem.remedy();
  }
  claim.measured = measure.worst();
  if (!measure.good()) {
    claim.verdict = Verdict::failed;
    claim.finding = measure.where();
    claim.model = measure.model();
  }
  if (claim.verdict == Verdict::failed && claim.remedy.empty()) claim.remedy = remedy;
  return claim;
}

void Checklist::claim(std::string_view name, double tolerance, std::string_view remedy,
                      const std::function<void(Measure&)>& body) {
  if (sink_.begin(name)) sink_.add(decide(name, tolerance, remedy, body));
}

bool Checklist::prepare(std::string_view name, std::string_view remedy, const std::function<void(Measure&)>& body,
                        std::string_view need) {
  const bool wanted = sink_.begin(name);
  Claim claim = decide(name, 0, remedy, [&](Measure& m) {
    body(m);
    m.see(0, "");
  });
  if (claim.verdict == Verdict::unsupported && !need.empty()) {
    claim.verdict = Verdict::failed;
    claim.remedy = need;
  }
  if (wanted) sink_.add(claim);
  return claim.verdict == Verdict::passed;
}

void Checklist::unsupported(std::string_view name, std::string why) {
  if (!sink_.begin(name)) return;
  sink_.add({kind_, type_, std::string(name), Verdict::unsupported, 0, 0, std::move(why), {}, {}});
}

}  // namespace polyform::host::conformance
