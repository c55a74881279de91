#include "apps/session/example_project.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::apps {

namespace fs = std::filesystem;
using host::Exit;
using host::Failure;
using host::show;

namespace {

/// A manifest has room for 63 characters.
constexpr std::size_t longest_name = 48;

/// Words of C++ that a name could be; the generated code has functions and files of that name.
constexpr std::array reserved{"alignas",       "alignof",     "and",          "asm",
                              "auto",          "bitand",      "bitor",        "bool",
                              "break",         "case",        "catch",        "char",
                              "class",         "compl",       "concept",      "const",
                              "consteval",     "constexpr",   "constinit",    "continue",
                              "decltype",      "default",     "delete",       "do",
                              "double",        "else",        "enum",         "explicit",
                              "export",        "extern",      "false",        "float",
                              "for",           "friend",      "goto",         "if",
                              "inline",        "int",         "long",         "main",
                              "mutable",       "namespace",   "new",          "noexcept",
                              "not",           "nullptr",     "operator",     "or",
                              "plugin",        "polyform",    "private",      "protected",
                              "public",        "register",    "requires",     "return",
                              "short",         "signed",      "sizeof",       "static",
                              "std",           "struct",      "switch",       "template",
                              "test",          "this",        "throw",        "true",
                              "try",           "typedef",     "typeid",       "typename",
                              "union",         "unsigned",    "using",        "virtual",
                              "void",          "volatile",    "while",        "xor",
                              "and-eq",        "char16-t",    "char32-t",     "char8-t",
                              "co-await",      "co-return",   "co-yield",     "const-cast",
                              "dynamic-cast",  "not-eq",      "or-eq",        "reinterpret-cast",
                              "static-assert", "static-cast", "thread-local", "wchar-t",
                              "xor-eq",        "assert",      "errno",        "linux",
                              "unix"};  // the last are macros

/// Types of the SDK, which the class of a project would hide.
constexpr std::string_view types_of_sdk =
    " Ability Attachments BodyData BodyIndex BodyInertia BodyMotion ClosingConstraints ConstraintBatch"
    " ConversionSink Exporter Finding ForeignFile ImporterType Treatment"
    " ConstraintInstances ConstraintOutput ConstraintSet ConstraintType Correction DependentRows Diagnostic"
    " Device DeviceAddress DeviceDescription DeviceFunction DeviceLaunch DeviceRegistrar DeviceSink DeviceTrouble"
    " DeviceType DeviceWorld DiagnosticSink DiscreteDescription DiscreteElement DiscreteState DiscreteValues"
    " DiscreteVariable"
    " ElementInstances ElementInstance ElementRows ElementType Equations EquationValues FieldSink FieldSpec FieldType"
    " FieldValue FirstOrderSystem FlexibleBatch FlexibleBodyType FlexibleData FlexibleInput FlexibleInstance"
    " FlexibleLinks FlexibleOutput FlexibleSet ForceBatch ForceInstances ForceInput ForceOutput ForceSet ForceType"
    " Formulation GivenCoordinates HingedTree HingeSweep Inertia InitialStates Integrator IntegratorType JointBatch"
    " JointConstraint JointCoordinateSolver JointData JointDefinition JointFailure JointHints JointIndex"
    " JointInstance JointKernel JointLoads JointMotion JointMotions JointObserver JointPlacement JointShape"
    " JointState JointType Later LoopClosure LoopColumns LoopLayout LoopProjection LoopRightSides Marker"
    " MarkerMotion Mat3 Matrix3 ModeShapes ModuleBatch ModuleInstances ModuleInput ModuleOutput ModuleRows ModuleSet"
    " ModuleType MultiplierMatrix Multipliers Observation OutputInput OutputSource PlacedState PluginManifest"
    " Pose Primitive Quat Quaternion Recursion Registrar RheonomicJoints RheonomicKernel Run SecondOrderSystem"
    " Sentence Severity Size Solver Spatial SpatialVector StateKind StateView Status StepByStep StepSettings"
    " Strided Structure Subsystem"
    " SweepRefinement Symmetric3 SystemView TimeFunction Transfer TreeKinematics TreeMotion TreeSweep"
    " ClosingErrors ElementGroups FrameRows JointDynamics JointLanes JointNewton LoopAccelerations"
    " LoopContradiction ModuleLoads ModuleMass ModuleVariables PairedRows"
    " TypeDescriptor Variable Vec3 Vector3 ";

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; }

std::string snake_case(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::string pascal_case(std::string_view name) {
  std::string out;
  bool begins = true;
  for (const char c : name) {
    if (c != '-') out += begins && is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '-';
  }
  return out;
}

std::string read_all(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in && !in.eof())
    throw Failure(Exit::simulation_failed, fmt::format("{} cannot be read", file.string()),
                  "Is the installation complete?");
  return text;
}

void write_all(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw Failure(Exit::simulation_failed, fmt::format("{} cannot be written", file.string()),
                  "Is the disk full, or the folder not yours to write to?");
}

/// Makes the folder; what is in it already is never overwritten.
void make_empty_folder(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (fs::exists(status) && (!fs::is_directory(status) || !fs::is_empty(directory, error) || error))
    throw Failure(Exit::bad_input,
                  fmt::format("{} is there already and is not an empty folder", show(directory.string())),
                  "Nothing was written. Give another place with --directory, or move it away.");
  fs::create_directories(directory, error);
  if (error)
    throw Failure(Exit::bad_input,
                  fmt::format("the folder {} cannot be made ({})", show(directory.string()), error.message()),
                  "Give a place that you may write to with --directory.");
}

/// A text of all projects with the name of this one.
std::string with_project_name(std::string text, std::string_view name) {
  constexpr std::string_view mark = "@PROJECT@";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + name.size()))
    text.replace(at, mark.size(), name);
  return text;
}

}  // namespace

std::vector<ExampleProject> example_projects(const fs::path& folder) {
  std::vector<ExampleProject> found;
  std::error_code error;
  for (fs::directory_iterator next(folder, error), end; !error && next != end; next.increment(error)) {
    const std::string name = next->path().filename().string();
    const std::size_t hyphen = name.find('-');
    if (hyphen != std::string::npos && next->is_directory(error))
      found.push_back({next->path(), name.substr(0, hyphen), name.substr(hyphen + 1)});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
  return found;
}

std::string objection_to_name(std::string_view name) {
  if (name.empty() || !is_lower(name.front())) return "a name begins with a lower-case letter";
  if (name.size() > longest_name) return fmt::format("a name has at most {} characters", longest_name);
  if (!std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; }))
    return "a name has lower-case letters, digits and hyphens only";
  if (name.back() == '-' || name.find("--") != std::string_view::npos)
    return "hyphens stand one by one between other characters";
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    return "this word means something else in the generated project";
  if (types_of_sdk.find(fmt::format(" {} ", pascal_case(name))) != std::string_view::npos)
    return fmt::format("the SDK has a type {} already", pascal_case(name));
  return {};
}

std::string renamed(std::string_view text, const ExampleProject& example, std::string_view name) {
  const std::string full = example.stem + "-" + example.kind;
  const std::array<std::pair<std::string, std::string>, 3> spellings{
      {{full, std::string(name)}, {snake_case(full), snake_case(name)}, {pascal_case(full), pascal_case(name)}}};
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const auto found = std::find_if(spellings.begin(), spellings.end(),
                                    [&](const auto& spelling) { return rest.starts_with(spelling.first); });
    const std::size_t after = i + example.stem.size();
    if (found != spellings.end()) {
      out += found->second;
      i += found->first.size();
    } else if (rest.starts_with(example.stem) && (i == 0 || !is_word(text[i - 1])) &&
               (after >= text.size() || !is_word(text[after]))) {
      out += name;
      i = after;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::vector<std::string> write_project(const ExampleProject& example, std::string_view name,
                                       const fs::path& directory) {
  make_empty_folder(directory);
  std::vector<std::string> written;
  // What all projects have: licence, files that git ignores, tests on a server.
  const fs::path common = example.folder.parent_path() / "common";
  std::error_code error;
  for (const fs::path& folder : {example.folder, common})
    for (fs::recursive_directory_iterator next(folder, error), end; !error && next != end; next.increment(error)) {
      if (!next->is_regular_file(error)) continue;
      const std::string text = read_all(next->path());
      const fs::path place = next->path().lexically_relative(folder);
      written.push_back(folder == common ? place.string() : renamed(place.string(), example, name));
      fs::create_directories((directory / written.back()).parent_path(), error);
      write_all(directory / written.back(),
                folder == common ? with_project_name(text, name) : renamed(text, example, name));
    }
  if (error || written.empty())
    throw Failure(Exit::simulation_failed, fmt::format("{} cannot be read", example.folder.string()),
                  "Is the installation complete?");
  std::sort(written.begin(), written.end());
  return written;
}

}  // namespace polyform::apps
