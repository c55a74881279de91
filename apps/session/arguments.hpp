// Arguments that several commands share: their declaration, and their meaning together with the model's defaults.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/columns/columns.hpp"
#include "framework/host/reading/description.hpp"
#include "framework/host/registry/catalog.hpp"
#include "framework/host/simulation/run_record.hpp"

namespace CLI {
class App;
}

namespace polyform::apps {

/// A finite number greater than 0, all of the text; nothing for any other text.
std::optional<double> positive_number(std::string_view text);
/// For CLI11: why the text is not such a number, or not one from `least` to `most`; "" if it is.
std::string check_positive(const std::string& text);
std::string check_limit(const std::string& text, double least, double most);

struct ModelArguments {
  std::string file;
  std::vector<std::string> plugin_paths;
  bool lenient = false;
  std::vector<std::string> import_options{};
  std::vector<std::string> set{};   ///< PATH=VALUE, over what the file says
  std::string state{};              ///< a file with the state that the model starts from; "": its own
  std::optional<double> at_time{};  ///< what the clock shows at the start, s
};
void add_plugin_path(CLI::App&, std::vector<std::string>& paths);
void add_model(CLI::App&, ModelArguments&);
void add_lenient(CLI::App&, bool& lenient);
/// --import-option, and --strict as one of them.
void add_import_options(CLI::App&, std::vector<std::string>&);
bool is_strict(const std::vector<std::string>& import_options);
void add_set(CLI::App&, std::vector<std::string>& values);
/// --state, of commands that start from a state.
void add_state(CLI::App&, std::string& file);
/// --at-time, of those that can start at a later time.
void add_at_time(CLI::App&, std::optional<double>& time);

/// --solver, and --solvers of commands that take several.
void add_solver(CLI::App&, std::string& name);
void add_solvers(CLI::App&, std::string& names);
/// Options of a solver as typed: key=value.
void add_solver_options(CLI::App&, std::vector<std::string>& options);
/// Splits key=value, given by `flag`. Failure (bad_input) if there is no '='.
std::vector<std::pair<std::string, std::string>> split_options(const char* flag, const std::vector<std::string>& typed);

struct RunArguments {
  std::optional<double> duration, step, max_step, relative_tolerance, absolute_tolerance, output_interval;
  std::string integrator, output, columns, euler_angles = "zyx";
  std::vector<std::string> integrator_options;
};
void add_run_arguments(CLI::App&, RunArguments&);
/// The same without --output.
void add_integration(CLI::App&, RunArguments&);
/// --euler-angles, as of host::body_angles().
void add_euler_angles(CLI::App&, std::string& text);

/// Command line over model over built-in defaults. Failure (bad_input) for an unknown integrator or too many rows.
host::RunSettings settle(const host::Catalog&, const RunArguments&, const host::Description&);

/// From a list such as "bodies,energy" or "tip.*,energy". Failure (bad_input), with a suggestion, for an unknown group;
/// "" is the default.
host::Columns columns_of(const RunArguments&);

}  // namespace polyform::apps
