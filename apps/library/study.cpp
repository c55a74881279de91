#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "apps/library/internal.hpp"
#include "apps/session/process_arguments.hpp"
#include "apps/session/study_request.hpp"
#include "apps/session/temporary_folder.hpp"
#include "framework/workbench/studies/run_cases.hpp"

namespace polyform::library {

namespace {

apps::StudyArguments study_arguments(const StudyRequest& request, const std::string& file, const ReadOptions& model) {
  apps::StudyArguments arguments;
  arguments.file = file;
  arguments.lenient = model.lenient;
  arguments.cases = {arguments_of(request.run), request.run.solver.name, typed(request.run.solver.options),
                     model.lenient};
  arguments.cases.import_options = model.import_options;
  arguments.cases.compile = request.compile;
  arguments.cases.device = request.device;
  arguments.isolate = request.isolate;
  arguments.vary = request.vary;
  arguments.quantities = request.quantities;
  arguments.method = request.method;
  if (request.samples) arguments.samples = *request.samples;
  if (request.seed) arguments.seed = *request.seed;
  return arguments;
}

/// What a study cannot honour is refused by its name.
void check_study(const StudyRequest& request) {
  if (request.run.watch.progress)
    refuse("progress: a study has no time of its own to tell", "Leave it out; stop is asked.");
  if (!request.run.output.empty()) refuse("output: a study returns its table and writes no file", "Leave it out.");
  if (!request.run.columns.empty()) refuse("columns: a study has those of its quantities alone", "Leave it out.");
  if (request.workers > 4096) refuse(fmt::format("workers: expected at most 4096, found {}", request.workers));
  check_time_limit(request.time_limit);
}

/// The error with the name of the model in place of that of the file that its data was written to.
Error told_of_model(const Error& error, const std::string& written, const std::string& model) {
  std::vector<Message> messages = error.messages();
  for (Message& m : messages)
    for (std::string* const text : {&m.text, &m.remedy, &m.file})
      for (std::size_t at = text->find(written); at != std::string::npos; at = text->find(written, at + model.size()))
        text->replace(at, written.size(), model);
  return {error.kind(), std::move(messages), error.thrown()};
}

StudyTable table_of(const host::StudyTable& table) {
  StudyTable out{table.factors, table.quantities, table.units, {}};
  for (const host::CaseRow& row : table.rows) out.cases.push_back({row.values, row.quantities, row.done, row.reason});
  return out;
}

}  // namespace

StudyTable Model::study(const StudyRequest& request, std::vector<Message>* said) const {
  std::string file = parts_->file;
  StudyTable made;
  try {
    made = calling(said, [&] {
      check_study(request);
      if (!parts_->functions.empty())
        refuse("a study reads its model anew for each case, and functions of the program are no part of a model",
               "Vary the functions in a loop of the program.");
      const bool is_started = !parts_->options.state.empty() || parts_->options.start_time;
      if (is_started || !request.run.state.empty() || request.run.start_time)
        refuse("a study starts each case from the model's own state, at t = 0", "Leave out state and start_time.");
      // A model that is not a file is written to one.
      std::unique_ptr<apps::TemporaryFolder> folder;
      if (parts_->text) {
        folder = std::make_unique<apps::TemporaryFolder>();
        file = folder->file("model.yaml");
        std::ofstream(file, std::ios::binary) << *parts_->text;
      }
      const apps::StudyRequest study = apps::request_of(study_arguments(request, file, parts_->options));
      apps::StudyCases cases(parts_->plugins, study.model, study.design, study.quantities, study.cases);
      apps::warn_of_what_is_left_out(cases);
      host::StudyTable table = apps::empty_table(study, cases);
      std::vector<std::size_t> numbers(study.design.cases());
      for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k;
      const std::size_t workers =
          request.workers > 0 ? request.workers : std::max<std::size_t>(1, std::thread::hardware_concurrency());
      const host::CaseLimits limits = cases.share_out({request.time_limit, apps::memory_limit_of({}, workers), workers,
                                                       request.isolate.value_or(cases.wants_isolation())},
                                                      numbers.size());
      Interruption interruption(request.run.watch);
      const auto take = [&](std::vector<host::CaseOutcome> outcomes) {
        for (host::CaseOutcome& outcome : outcomes) table.rows.push_back(apps::row_of(study, std::move(outcome)));
        interruption.look();
      };
      const host::GroupWork work = [&](std::span<const std::size_t> group, const host::CaseReport& report) {
        cases.run(group, &interruption.flag(), report);
      };
      const bool all = host::run_cases(numbers, work, take, limits, &interruption.flag());
      if (!all) throw host::Failure(host::Exit::interrupted, "the study was stopped");
      table.sort();
      return table_of(table);
    });
  } catch (const Error& error) {
    if (!parts_->text) throw;
    throw told_of_model(error, file, parts_->file);
  }
  // What the file says of the model has been said when the model was made.
  if (said != nullptr && parts_->text) std::erase_if(*said, [&](const Message& m) { return m.file == file; });
  return made;
}

}  // namespace polyform::library
