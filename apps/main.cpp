// The polyform command: reads the command line, runs the subcommand, turns every failure into a message and an exit
// code.
#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <sstream>

#include "apps/command.hpp"
#include "apps/commands/guide.hpp"
#include "apps/text/help_format.hpp"
#include "apps/text/terminal.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/simulation/placed_failure.hpp"
#include "framework/supervision.hpp"
#include "polyform/contract/plugin.hpp"

namespace polyform::apps {

namespace {

using host::Exit;

const CLI::App& deepest(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : deepest(*chosen.front());
}

std::string help_hint(const CLI::App& app) {
  const CLI::App& place = deepest(app);
  return "See polyform " + (&place == &app ? "" : place.get_name() + " ") + "--help.";
}

/// All one could have typed in place of a wrong word: options where it starts with a dash, else subcommands.
std::vector<std::string> known_words(const CLI::App& app, bool options) {
  std::vector<std::string> words;
  if (options)
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  else
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      words.push_back(command->get_name());
  return words;
}

Exit wrong_word(const CLI::App& app, const std::string& text) {
  const bool option = text.front() == '-';
  const std::string word = option ? text.substr(0, text.find('=')) : text;
  const CLI::App& place = option ? deepest(app) : app;
  const std::vector<std::string> words = known_words(place, option);
  const std::vector<std::string_view> known(words.begin(), words.end());
  const bool argument = !option && !app.get_subcommands().empty();
  const std::string message = option     ? "unknown option " + host::show(word)
                              : argument ? "one argument too many: " + host::show(word)
                                         : "unknown command " + host::show(word);
  print(Severity::error, message, (argument ? std::string() : host::did_you_mean(word, known)) + help_hint(app));
  return Exit::bad_input;
}

Exit refuse(const CLI::App& app, const CLI::ParseError& problem) {
  const std::vector<std::string> unknown = app.remaining(true);
  for (const std::string& word : unknown)
    if (word.size() > 1 && word.front() == '-') return wrong_word(app, word);
  if (!unknown.empty() && !unknown.front().empty()) return wrong_word(app, unknown.front());
  print(Severity::error, problem.what(), help_hint(app));
  return Exit::bad_input;
}

Exit command(int argc, char** argv) {
  CLI::App app{"Multibody dynamics with formulations as plugins: one model, many derivations of mechanics."};
  app.name("polyform");
  app.formatter(std::make_shared<HelpFormat>());  // for the commands too
  app.set_version_flag("--version", fmt::format("polyform {} (SDK {}.{})", POLYFORM_VERSION, sdk_major, sdk_minor),
                       "Print the versions of the program and of the contract with its plugins");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(0, 1);
  app.footer(guide);
  Action action;
  add_run(app, action);
  add_resume(app, action);
  add_evaluate(app, action);
  add_linearize(app, action);
  add_equilibrium(app, action);
  add_compare(app, action);
  add_study(app, action);
  add_compile(app, action);
  add_report(app, action);
  add_view(app, action);
  add_verify(app, action);
  add_check(app, action);
  add_import(app, action);
  add_export(app, action);
  add_plugins(app, action);
  add_new(app, action);
  add_conform(app, action);
  add_schema(app, action);
  add_help(app, action);
  add_completion(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) return refuse(app, problem);
    std::ostringstream help;
    app.exit(problem, help, help);
    fmt::print(output(), "{}", help.str());
    return Exit::done;
  }
  if (action) return action();
  std::cerr << app.help();
  return Exit::bad_input;
}

}  // namespace

static int output_failed() {
  if (::fcntl(::fileno(output()), F_GETFD) < 0)  // a descriptor of polyform, which no plugin may close
    print(Severity::error, "the results could not be written: a plugin closed the descriptor of the output stream",
          host::remedies::close_own_alone);
  else
    print(Severity::error, "the results could not be written to the output stream",
          "Is the disk full, or the pipe closed?");
  return static_cast<int>(Exit::simulation_failed);
}

/// Runs the command; no exception leaves it.
static int guarded(int argc, char** argv) {
  try {
    const Exit code = command(argc, argv);
    if (!host::output_is_taken()) return output_failed();
    return static_cast<int>(code);
  } catch (const host::PlacedFailure& failure) {
    print(failure.diagnostic());
    return static_cast<int>(failure.code());
  } catch (const host::Failure& failure) {
    if (failure.message() != already_said) print(Severity::error, failure.message(), failure.remedy());
    return static_cast<int>(failure.code());
  } catch (const std::bad_alloc&) {
    print(Severity::error, "memory ran out",
          "Use a smaller model, a machine with more memory, or a higher --memory-limit where there is one.");
    return static_cast<int>(Exit::simulation_failed);
  } catch (const std::exception& problem) {
    if (std::ferror(output()) != 0) return output_failed();  // printing says so by an exception
    print(Severity::error, std::string("unexpected failure: ") + problem.what(), host::remedies::report_defect);
    return static_cast<int>(Exit::simulation_failed);
  } catch (...) {
    print(Severity::error, "unexpected failure of a type unknown here",
          "This is a defect of a plugin; please report it with the model.");
    return static_cast<int>(Exit::simulation_failed);
  }
}

}  // namespace polyform::apps

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of writing, as a full disk is
  polyform::host::take_output();
  return polyform::host::supervise([&] { return polyform::apps::guarded(argc, argv); });
}
