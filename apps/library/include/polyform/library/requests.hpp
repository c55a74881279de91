// What a model may be asked for. What is left open is as the model says, else as the command has it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "polyform/library/error.hpp"

namespace polyform::library {

/// Names and values of options of a solver or an integrator, as they would be typed.
using Options = std::vector<std::pair<std::string, std::string>>;

/// A formulation; "": the model's, else the preferred one that can run the model.
struct SolverRequest {
  std::string name = {};
  Options options = {};
};

/// How the program takes part in work that may take long. Both may be empty; they are called in the thread of the call.
struct Watch {
  std::function<void(double time)> progress = {};  ///< told the time after each step, s
  std::function<bool()> stop = {};                 ///< asked after each step; the run ends where it is true
};

struct RunRequest {
  SolverRequest solver = {};
  /// A row of results, or what `polyform equilibrium --output` wrote, from which the model starts; "": its own state.
  std::string state = {};
  std::optional<double> start_time = {};  ///< what the clock shows at the start, and the row of the file, s
  std::optional<double> duration = {}, step = {}, max_step = {};  ///< s
  std::optional<double> relative_tolerance = {}, absolute_tolerance = {};
  std::optional<double> output_interval = {};  ///< s
  std::string integrator = {};
  Options integrator_options = {};
  /// Groups and names of columns as for the command: "joints,bodies", "tip.*"; "": its default.
  std::string columns = {};
  std::string euler_angles = "zyx";
  std::string output = {};  ///< a file (.csv, .h5) that takes the rows too; "": none
  Watch watch = {};
};

/// How a model becomes an FMU; see `polyform export --help`.
struct FmuRequest {
  RunRequest run = {};                   ///< its output and progress are refused, stop is not asked
  int version = 2;                       ///< of the standard FMI: 2 or 3
  std::string kind = "cs";               ///< cs (co-simulation) or me (model exchange)
  std::vector<std::string> inputs = {};  ///< patterns as of `polyform export --inputs`; none: all that the model gives
};

/// How an equilibrium is searched; see `polyform equilibrium --help`.
struct EquilibriumRequest {
  SolverRequest solver = {};
  bool steady = false;
  std::vector<std::string> trim = {};  ///< fields that are free to balance
  std::vector<std::string> hold = {};  ///< coordinates that keep their initial positions
};

struct LinearizeRequest {
  SolverRequest solver = {};
  std::string at = "initial";  ///< initial, equilibrium, or a time in s
  std::vector<std::string> inputs = {}, outputs = {};
  std::vector<std::string> multi_blade = {};  ///< a rotor each: hub=blade,blade,blade
  std::optional<double> floquet = {};         ///< a period, s
  std::string states = "independent";         ///< or body
  std::string euler_angles = "zyx";
  bool steady = false;  ///< with trim and hold: of at = "equilibrium"
  std::vector<std::string> trim = {}, hold = {};
  Watch watch = {};
  std::size_t instants = 0;  ///< of a period; none: at the point alone
};

struct CompareRequest {
  std::vector<std::string> solvers = {};  ///< none: all that can run the model
  /// Its solver and options are refused; each solver writes NAME.<solver>.csv for the output NAME.csv.
  RunRequest run = {};
  std::optional<double> tolerance = {};
  std::size_t jobs = 1;     ///< solvers at a time
  double time_limit = 600;  ///< of one solver, s; 0: none
};

struct StudyRequest {
  std::vector<std::string> vary = {};        ///< PATH=VALUES each, as of `polyform study --vary`
  std::vector<std::string> quantities = {};  ///< NAME=EXPRESSION each
  std::string method = {};                   ///< grid, lhs, sobol or random
  std::optional<std::size_t> samples = {}, seed = {};
  RunRequest run = {};               ///< its columns, output and progress are refused; stop is asked after each case
  std::size_t workers = 0;           ///< cases at a time; 0: one per processor
  double time_limit = 600;           ///< of one case, s; 0: none
  std::optional<bool> isolate = {};  ///< a process for each case; none: where plugins do not come with polyform
  bool compile = false;              ///< the solver is compiled for the model
  std::string device = {};           ///< by name, or "auto"; empty: none
};

}  // namespace polyform::library
