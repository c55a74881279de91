#include "framework/host/simulation/result_sink.hpp"

#include "framework/host/evaluation/kernels_of.hpp"

namespace polyform::host::inline simulation {

ResultSink::ResultSink(const System& system, const Columns& columns, std::unique_ptr<ResultWriter> writer,
                       const RecordFields& known)
    : rows_(system, columns), writer_(std::move(writer)) {
  writer_->begin(rows_.channels(), known);
}

ResultSink::ResultSink(const System& system, const Columns& columns, std::unique_ptr<ResultWriter> writer,
                       const RecordFields& known, double until)
    : rows_(system, columns),
      writer_(std::move(writer)),
      earlier_rows_(writer_->go_on(rows_.channels(), known, until)) {}

RecordFields fields_of(const RunRecord& run) {
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  RecordFields fields{{"status", std::string(name_of(run.end))},
                      {"time", run.time},
                      {"state_size", count(run.state_size)},
                      {"steps", count(run.steps)},
                      {"rejected_steps", count(run.rejected_steps)},
                      {"evaluations", count(run.evaluations)},
                      {"wall_seconds", run.wall_seconds},
                      {"energy_drift", run.energy_drift},
                      {"conservative", std::string(run.conservative ? "yes" : "no")},
                      {"constraint_violation", run.constraint_violation},
                      {"correction_position", run.correction.position_residual},
                      {"correction_velocity", run.correction.velocity_residual},
                      {"correction_iterations", count(run.correction.iterations)},
                      {"imbalance", run.imbalance}};
  if (!run.kernels.empty()) fields.push_back({"kernels", joined_kernels(run.kernels)});
  for (const std::string& warning : run.warnings) fields.push_back({"warning", warning});
  if (!run.failure.empty()) fields.push_back({"failure", run.failure});
  return fields;
}

void ResultSink::finish(const RunRecord& run) { writer_->finish(fields_of(run)); }

}  // namespace polyform::host::simulation
