#include "apps/report/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/session/result_file.hpp"
#include "apps/text/comparison_text.hpp"
#include "apps/text/deviation_table.hpp"
#include "apps/text/sweep_text.hpp"
#include "apps/text/votes_text.hpp"
#include "framework/diagnostics.hpp"

namespace polyform::apps {

using host::HeatEnd;
using host::Standing;

namespace {

class TwoSinks final : public host::RowSink {
 public:
  TwoSinks(std::unique_ptr<host::RowSink> a, std::unique_ptr<host::RowSink> b) : a_(std::move(a)), b_(std::move(b)) {}
  void work(double work) override {
    a_->work(work);
    b_->work(work);
  }
  void row(double time, const Observation& now) override {
    a_->row(time, now);
    b_->row(time, now);
  }
  void finish(const host::RunRecord& run) override {
    a_->finish(run);
    b_->finish(run);
  }

 private:
  std::unique_ptr<host::RowSink> a_, b_;
};

ReportTable cost_table(const std::vector<Standing>& standings) {
  ReportTable table{"Cost and quality of each solver",
                    {{"solver", ""},
                     {"wall time", "s"},
                     {"per evaluation", "µs"},
                     {"evaluations", ""},
                     {"steps", ""},
                     {"states", ""},
                     {"energy drift", ""},
                     {"constraint violation", "m or rad"},
                     {"status", ""}},
                    {},
                    {}};
  Reasons reasons;
  for (const Standing& s : standings) {
    const std::string status = s.how == HeatEnd::How::done ? "done" : reasons.once(s, s.solver, s.solver);
    if (s.run)
      table.rows.push_back({s.solver, s.run->wall_seconds, 1e6 * s.run->seconds_per_evaluation, s.run->evaluations,
                            s.run->steps, s.run->state_size, s.run->energy_drift, s.run->constraint_violation, status});
    else
      table.rows.push_back({s.solver, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, status});
  }
  if (std::string note = drift_note(standings); !note.empty()) table.notes.push_back(std::move(note));
  return table;
}

ReportTable sweep_table(host::SweepOf what, const host::Sweep& sweep) {
  ReportTable table{"Work and precision, run by run",
                    {{"solver", ""},
                     {what == host::SweepOf::step ? "step" : "tolerance", what == host::SweepOf::step ? "s" : ""},
                     {"wall time", "s"},
                     {"evaluations", ""},
                     {"steps", ""},
                     {"position error", "m"},
                     {"angle error", "rad"},
                     {"energy drift", ""},
                     {"status", ""}},
                    {},
                    {}};
  const auto error = [](const auto& d) { return d ? Json(d->value) : Json(); };
  Reasons reasons;
  for (const host::SweepPoint& p : sweep.points)
    if (p.how == HeatEnd::How::done)
      table.rows.push_back({p.solver, p.value, p.run->wall_seconds, p.run->evaluations, p.run->steps, error(p.position),
                            error(p.angle), p.run->energy_drift, p.is_reference ? "done: the reference" : "done"});
    else
      table.rows.push_back(
          {p.solver, p.value > 0 ? Json(p.value) : Json(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
           reasons.once(p, p.solver, p.value > 0 ? fmt::format("{} at {:.3g}", p.solver, p.value) : p.solver)});
  table.notes = sweep_texts(what, sweep);
  return table;
}

}  // namespace

ComparisonReport::ComparisonReport(const std::string& path) : page_(open_report(path, "--report")) {}

std::string ComparisonReport::file_of(std::string_view solver) const {
  return folder_.file(fmt::format("{}.h5", solver));
}

std::unique_ptr<host::RowSink> ComparisonReport::sink(const host::System& system, const host::Columns& columns,
                                                      std::string_view solver, const host::RunSettings& settings,
                                                      std::unique_ptr<host::RowSink> other) const {
  auto own = open_result(system, file_of(solver), columns, solver, settings);
  if (!other) return own;
  return std::make_unique<TwoSinks>(std::move(own), std::move(other));
}

void ComparisonReport::add(const host::System& system, double tolerance, const host::Comparison& comparison) {
  for (const Standing& s : comparison.standings) {
    if (!std::filesystem::exists(file_of(s.solver))) continue;
    try {
      report_.runs.push_back({s.solver, host::ResultFile(file_of(s.solver)), s.deviation.has_value(), s.reactions,
                              s.run ? s.run->kernels : std::vector<std::string>()});
    } catch (const host::Failure&) {
      // The process of the solver ended before the file was complete; the table says how.
    }
  }
  ReportTable& costs = report_.tables.emplace_back(cost_table(comparison.standings));
  if (std::string note = uncompared_text(comparison); !note.empty()) costs.notes.push_back(std::move(note));
  report_.comparison = compare_runs(report_.runs, &system);
  std::vector<DeviationRow> rows;
  for (const Standing& s : comparison.standings)
    if (s.deviation) rows.push_back({s.solver, &*s.deviation});
  if (rows.empty()) return;
  ReportTable deviations = deviation_table("solver", rows);
  deviations.notes = agreement_texts(system, tolerance, comparison);
  report_.tables.push_back(std::move(deviations));
  if (!comparison.votes.shared().empty())
    report_.tables.push_back(vote_table("solvers", comparison.votes, names_of(comparison.standings)));
}

void ComparisonReport::add(host::SweepOf what, const host::Sweep& sweep) {
  report_.tables.push_back(sweep_table(what, sweep));
  report_.sweep.setting = what == host::SweepOf::step ? "step, s" : "tolerance";
  const auto value = [](const std::optional<host::Departure>& d) { return d ? std::optional(d->value) : std::nullopt; };
  report_.sweep.errors = {{"largest position error, m", value(sweep.apart_position).value_or(0)},
                          {"largest angle error, rad", value(sweep.apart_angle).value_or(0)}};
  for (const host::SweepPoint& p : sweep.points)
    if (p.how == HeatEnd::How::done && (p.position || p.angle))
      report_.sweep.points.push_back(
          {p.solver, p.value, p.run->wall_seconds, p.run->evaluations, {value(p.position), value(p.angle)}});
}

void ComparisonReport::write(const host::System& system) {
  report_.title = system.description().name;
  report_.system = &system;
  write_report(*page_, report_);
}

}  // namespace polyform::apps
