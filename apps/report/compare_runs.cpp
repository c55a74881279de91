#include "apps/report/report.hpp"
#include "framework/workbench/comparison/comparison.hpp"

namespace polyform::apps {

std::optional<host::ResultComparison> compare_runs(const std::vector<ReportRun>& runs, const host::System* system) {
  std::vector<const ReportRun*> compared;
  for (const ReportRun& run : runs)
    if (run.compared) compared.push_back(&run);
  if (compared.size() < 2) return {};
  std::vector<host::Results> results;
  for (const ReportRun* run : compared) results.push_back(run->file.read_all());
  std::vector<host::ComparedResult> all;
  for (std::size_t k = 0; k < results.size(); ++k)
    all.push_back({&results[k], compared[k]->reactions, compared[k]->kernels});
  std::optional<host::ComparedSystem> known;
  if (system) {
    const host::TraceLayout layout(*system);
    known = {layout.reach(), layout.acting(), open_joints(*system, results.front())};
  }
  return host::compare(all, known, host::default_agreement);
}

}  // namespace polyform::apps
