// A model that is ready to run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/library/function_force.hpp"
#include "polyform/library/requests.hpp"
#include "polyform/library/result.hpp"
#include "polyform/library/solver.hpp"
#include "polyform/library/value.hpp"

namespace polyform::library {

struct ReadOptions {
  bool lenient = false;                        ///< inertias that no body can have become warnings
  std::vector<std::string> plugin_paths = {};  ///< folders or files with plugins, searched first
  std::vector<FunctionForce> functions = {};   ///< further forces
  /// Options of the importer for a file of another program: KEY=VALUE, such as base=free.
  std::vector<std::string> import_options = {};
  /// Where the model starts in place of its own state: as of RunRequest.
  std::string state = {};
  std::optional<double> start_time = {};
};

/// A model in a format of another program.
struct Exported {
  std::string text;
  Value conversion;  ///< what became of everything in the model: what `polyform export --json` prints
};

/// A model as an FMU.
struct FmuFile {
  std::string bytes;  ///< the archive
  Value summary;      ///< what `polyform export --fmi --json` prints of it
};

/// A model that is read, checked and assembled. It never changes, so threads may share it; copies are the same model.
class POLYFORM_SHOWN Model {
 public:
  struct Parts;

  /// Throws Error: (bad_input) with all that is wrong in the file, each at its place; (no_plugin) if nothing but
  /// plugins is missing.
  static Model read(const std::string& file, const ReadOptions& = {});
  /// The same from text. file: its name in messages; paths of parts in other files are relative to it.
  static Model parse(std::string_view text, const std::string& file, const ReadOptions& = {});
  /// The same from data: the keys and values of a model file. Messages name paths in it.
  static Model build(const Value& document, const std::string& file, const ReadOptions& = {});
  /// The content of a model file as data; only its syntax is checked. For a file of another program: the model as which
  /// it is imported.
  static Value document(const std::string& file, const ReadOptions& = {});

  /// What became of everything in a file of another program: what `polyform import --json` prints. Nothing for a model
  /// file.
  static Value conversion(const std::string& file, const ReadOptions& = {});

  const std::string& name() const noexcept;
  std::vector<std::string> bodies() const;
  std::vector<std::string> joints() const;
  /// Formulations of the loaded plugins, and those that can run the model.
  std::vector<std::string> formulations() const;
  std::vector<std::string> solvers() const;
  /// The messages from the reading of the model, also those about refused plugins.
  const std::vector<Message>& messages() const noexcept;

  /// The same model, which starts from a state of a file and with the clock at a time (RunRequest).
  Model starting(const std::string& state, std::optional<double> start_time) const;

  /// The model in a format of another program: urdf, sdf, mjcf, or one of a further plugin; "": that of the ending of
  /// `file`, which is not written. strict: Error (bad_input) where the format cannot say something.
  Exported exported(const std::string& file, const std::string& format = {}, bool strict = false,
                    std::vector<Message>* said = nullptr) const;

  /// The model with a solver and an integrator as an FMU: `polyform export --fmi`. Error (bad_input) for a model with
  /// functions of the program, and where the request has something that an FMU has no place for.
  FmuFile fmu(const FmuRequest& = {}, std::vector<Message>* said = nullptr) const;

  Result run(const RunRequest& = {}) const;
  Solver solver(const SolverRequest& = {}) const;

  // Each gives what the command of that name prints with --json. `said` takes warnings.
  Value check() const;
  Value evaluate(const SolverRequest& = {}, std::vector<Message>* said = nullptr) const;
  Value equilibrium(const EquilibriumRequest& = {}, std::vector<Message>* said = nullptr) const;
  Value linearize(const LinearizeRequest& = {}, std::vector<Message>* said = nullptr) const;
  Value compare(const CompareRequest& = {}, std::vector<Message>* said = nullptr) const;
  StudyTable study(const StudyRequest&, std::vector<Message>* said = nullptr) const;

 private:
  explicit Model(std::shared_ptr<const Parts>);

  std::shared_ptr<const Parts> parts_;
};

/// The version of the library.
POLYFORM_SHOWN std::string version();

}  // namespace polyform::library
