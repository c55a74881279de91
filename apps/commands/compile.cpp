// polyform compile MODEL: the solver of one model as a plugin of its own, compiled by the compiler of this machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/command.hpp"
#include "apps/session/compiled_cases.hpp"
#include "apps/session/session.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/session/study_case.hpp"
#include "apps/session/study_request.hpp"
#include "apps/text/compiled_text.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/results/file_roles.hpp"
#include "framework/host/results/output_file.hpp"

namespace polyform::apps {

namespace {

namespace fs = std::filesystem;
using host::Exit;
using host::Failure;

struct CompileArguments {
  ModelArguments model;
  std::string output, solver;
  std::vector<std::string> options, vary;
  bool source = false, json = false;
};

/// A copy of a file in the place of another, of a link in that of the file which it leads to: whole, or not there.
void copy_whole(const fs::path& from, fs::path to) {
  std::error_code problem;
  if (fs::is_symlink(to, problem)) to = fs::weakly_canonical(to, problem);
  const fs::path beside = to.string() + ".new";
  fs::copy_file(from, beside, fs::copy_options::overwrite_existing, problem);
  if (!problem) fs::rename(beside, to, problem);
  if (!problem) return;
  std::error_code ignored;
  fs::remove(beside, ignored);
  throw Failure(Exit::bad_input, fmt::format("--output {}: cannot be written: {}", to.string(), problem.message()));
}

void report(const CompileArguments& arguments, const host::CompiledModelPlugin& plugin) {
  const fs::path file = arguments.output.empty() ? plugin.made().file : fs::path(arguments.output);
  if (!arguments.output.empty()) copy_whole(plugin.made().file, file);
  const std::string_view name = plugin.formulation().name();
  if (arguments.json) {
    Json object = compiled_json(plugin);
    object["file"] = file.string();
    print_json(object);
    return;
  }
  fmt::print(output(), "{}\n", compiled_text(plugin, file.string()));
  fmt::print(output(), "\nNext:\n  polyform run {} \\\n    --plugin-path {} \\\n    --solver {}\n",
             arguments.model.file, file.string(), name);
}

/// With the values of --vary left open, as of a study over them.
Exit compile_varied(const CompileArguments& arguments) {
  StudyArguments as_study;
  as_study.file = arguments.model.file;
  as_study.plugin_paths = arguments.model.plugin_paths;
  as_study.lenient = arguments.model.lenient;
  as_study.vary = arguments.vary;
  as_study.cases.set = arguments.model.set;
  as_study.cases.import_options = arguments.model.import_options;
  as_study.cases.solver = arguments.solver;
  as_study.cases.options = arguments.options;
  as_study.cases.compile = true;
  const StudyRequest request = request_of(as_study);
  Session session(arguments.model.plugin_paths);
  const StudyCases cases(session.plugins(), request.model, request.design, request.quantities, request.cases);
  if (cases.compiled() == nullptr) throw Failure(Exit::simulation_failed, cases.why_not_compiled());
  report(arguments, cases.compiled()->plugin());
  return Exit::done;
}

Exit compile_model(const CompileArguments& arguments) {
  host::FileRoles roles;
  roles.read("the model", arguments.model.file);
  roles.read_files("the plugin", arguments.model.plugin_paths);
  std::optional<host::WrittenFile> claim;
  if (!arguments.output.empty()) {
    roles.write("--output", arguments.output);
    const host::OutputFile can_be_written(arguments.output, "--output");  // and vanishes again; refuses a device
    claim.emplace("--output", arguments.output);
  }
  if (!arguments.vary.empty()) {
    if (arguments.source)
      throw Failure(Exit::bad_input, "--source shows the source of the model as it is written, but --vary was given",
                    "Leave out one of them; the source of a compiled model is kept beside it.");
    return compile_varied(arguments);
  }
  Session session(arguments.model.plugin_paths);
  const auto system = session.load(arguments.model);
  const SolverChoice choice = choose_solver(session.catalog(), *system, arguments.solver, arguments.options);
  session.crash_report().set_work(fmt::format("solver {}", choice.formulation->name()));
  const host::SolverPointer solver = compile(choice, system->view());
  require_source(*solver, choice, *system, session.catalog());
  std::vector<double> y(solver->state_size());
  if (solver->encode(system->initial_state(), y) != Status::ok)
    throw Failure(Exit::simulation_failed, std::string(solver->failure()));
  if (arguments.source) {
    const std::string& file = arguments.model.file;
    fmt::print(output(), "{}",
               host::source_of(*solver, choice.formulation->name(),
                               {host::compiled_name(file), host::compiled_meaning(file), {}}));
    return Exit::done;
  }
  const CompiledCases::Variant only{&choice, solver.get()};
  const CompiledCases compiled(arguments.model.file, std::span(&only, 1));
  report(arguments, compiled.plugin());
  return Exit::done;
}

}  // namespace

void add_compile(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("compile", "Compile the solver of one model: a plugin that solves it sooner");
  const auto arguments = std::make_shared<CompileArguments>();
  add_model(*sub, arguments->model);
  sub->add_option("-o,--output", arguments->output,
                  "Where the plugin goes [polyform/compiled in XDG_CACHE_HOME or ~/.cache, where it is kept]")
      ->type_name("FILE.so");
  add_solver(*sub, arguments->solver);
  add_solver_options(*sub, arguments->options);
  sub->add_option("--vary", arguments->vary,
                  "Values that stay open, as of polyform study: the plugin solves all variants of the model that "
                  "differ in them; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUES");
  sub->add_flag("--source", arguments->source, "Print the C++ source in place of compiling it");
  sub->add_flag("--json", arguments->json, "Print one JSON object");
  sub->footer(
      "The recursion over the tree is written out for the bodies of the model: numbers are put in, zeros left out.\n"
      "What the lanes of a study carry can be compiled: rigid bodies with joints that do not depend on time, closed\n"
      "loops, and forces without discrete states: a latch has such, dry friction and clutches have none.\n"
      "The compiler is g++, clang++ or c++, or what POLYFORM_CXX names. The plugin is kept; a model that is compiled\n"
      "again with the same compiler and polyform is there at once.\n"
      "Examples:\n"
      "  polyform compile arm.yaml -o arm.so\n"
      "  polyform run arm.yaml --plugin-path arm.so --solver compiled-arm\n"
      "  polyform compare arm.yaml --plugin-path arm.so\n"
      "  polyform compile arm.yaml --vary bodies.hand.mass=1,3 -o arm.so\n"
      "  polyform compile arm.yaml --source");
  sub->final_callback([&action, arguments] { action = [arguments] { return compile_model(*arguments); }; });
}

}  // namespace polyform::apps
