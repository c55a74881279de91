#include "framework/comparison/comparison.hpp"

#include "framework/simulation/solver_selection.hpp"

namespace polyform::host {

namespace {

/// Runs one contender, its poses into the record.
Standing run_one(const System& system, const Contender& contender, const RunSettings& settings,
                 const RunControl& control, const SinkMaker& make_sink, PoseRecord& poses) {
  Standing standing;
  standing.solver = contender.formulation->name();
  SolverPointer solver;
  try {
    solver = compile(*contender.formulation, system.view(), contender.options);
  } catch (const Failure& refused) {
    standing.reason = refused.message();
    return standing;
  }
  const std::unique_ptr<RowSink> results = make_sink(standing.solver);
  std::vector<RowSink*> sinks{&poses};
  if (results) sinks.push_back(results.get());
  standing.run = simulate(system, *solver, settings, sinks, control);
  standing.reason = standing.run->failure;
  return standing;
}

}  // namespace

std::vector<Standing> compare(const System& system, std::span<const Contender> contenders, const RunSettings& settings,
                              const RunControl& control, const SinkMaker& make_sink) {
  const std::size_t bodies = system.view().bodies.size();
  std::vector<Standing> standings;
  std::vector<std::unique_ptr<PoseRecord>> finished;
  std::vector<std::size_t> owners;
  for (const Contender& contender : contenders) {
    auto poses = std::make_unique<PoseRecord>(bodies);
    standings.push_back(run_one(system, contender, settings, control, make_sink, *poses));
    const std::optional<RunRecord>& run = standings.back().run;
    if (!run || run->end == End::failed) continue;
    owners.push_back(standings.size() - 1);
    finished.push_back(std::move(poses));
    if (run->end == End::interrupted) break;
  }
  if (finished.size() < 2) return standings;
  std::vector<PoseRecord*> records;
  for (const auto& record : finished) records.push_back(record.get());
  const std::vector<Deviation> all = deviations(records, bodies);
  for (std::size_t k = 0; k < owners.size(); ++k) standings[owners[k]].deviation = all[k];
  return standings;
}

}  // namespace polyform::host
