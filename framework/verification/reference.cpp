#include "framework/verification/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "framework/diagnostics.hpp"
#include "framework/registry/search_path.hpp"

namespace polyform::host {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Failure(Exit::bad_input, fmt::format("{}: {}", file, why),
                "The format of references is told in README.md beside those that come with Polyform.");
}

using Lists = std::map<std::string, std::vector<double>>;

/// The lists of one quantity of all bodies or joints that give it.
Lists lists_of(const Json& objects, const char* quantity) {
  Lists lists;
  for (const auto& [name, object] : objects.items())
    if (object.contains(quantity)) lists[name] = object.at(quantity).get<std::vector<double>>();
  return lists;
}

/// Tolerances are positive numbers.
Tolerances read_tolerances(const std::string& file, const Json& in) {
  const Tolerances tolerances = in.get<Tolerances>();
  for (const auto& [group, value] : tolerances)
    if (!(value > 0)) refuse(file, fmt::format("the tolerance of {} is not positive", group));
  return tolerances;
}

ReferenceStart read_start(const std::string& file, const Json& in) {
  const Json bodies = in.value("bodies", Json::object()), joints = in.value("joints", Json::object());
  ReferenceStart start{lists_of(bodies, "linear"), lists_of(bodies, "angular"), lists_of(bodies, "modal"),
                       lists_of(joints, "acceleration"), read_tolerances(file, in.at("tolerance"))};
  const std::pair<const char*, const Lists*> given[] = {
      {"linear", &start.linear}, {"angular", &start.angular}, {"modal", &start.modal}, {"joint", &start.joint}};
  for (const auto& [group, lists] : given)
    if (!lists->empty() && !start.tolerance.contains(group))
      refuse(file, fmt::format("no tolerance for \"{}\" under evaluate", group));
  return start;
}

void check_keys(const std::string& file, const Json& in) {
  constexpr std::string_view known[] = {"model",     "source",          "set",      "times", "channels",
                                        "tolerance", "tolerance_after", "evaluate", "notes"};
  for (const auto& [key, value] : in.items())
    if (std::find(std::begin(known), std::end(known), key) == std::end(known))
      refuse(file, fmt::format("unknown key \"{}\"", key));
}

void read_rows(const std::string& file, const Json& in, Reference& out) {
  out.times = in.at("times").get<std::vector<double>>();
  out.tolerance = read_tolerances(file, in.at("tolerance"));
  for (const auto& [name, values] : in.at("channels").items()) {
    out.channels.push_back({name, values.get<std::vector<double>>()});
    if (out.channels.back().values.size() != out.times.size())
      refuse(file, fmt::format("channel {} has {} values for {} times", name, out.channels.back().values.size(),
                               out.times.size()));
  }
  if (!std::is_sorted(out.times.begin(), out.times.end()) || out.times.empty())
    refuse(file, "times must be given in rising order");
  for (Json later : in.value("tolerance_after", Json::array())) {
    const double time = later.at("time");
    later.erase("time");
    out.tolerance_after.emplace_back(time, read_tolerances(file, later));
  }
}

}  // namespace

double tolerance_at(const Reference& reference, const std::string& group, double time) {
  const auto found = reference.tolerance.find(group);
  if (found == reference.tolerance.end()) refuse(reference.name, fmt::format("no tolerance for \"{}\"", group));
  double value = found->second;
  for (const auto& [after, tolerances] : reference.tolerance_after)
    if (const auto other = tolerances.find(group); time > after && other != tolerances.end()) value = other->second;
  return value;
}

Reference read_reference(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw Failure(Exit::bad_input, fmt::format("cannot read the reference {}", file));
  try {
    const Json in = Json::parse(stream);
    check_keys(file, in);
    Reference out;
    out.name = fs::path(file).stem().string();
    out.model = (fs::path(file).parent_path() / in.at("model").get<std::string>()).lexically_normal().string();
    out.source = in.at("source").get<std::string>();
    const std::string set = in.value("set", "short");
    if (set != "short" && set != "long") refuse(file, "set: expected short or long");
    out.slow = set == "long";
    if (in.contains("channels")) read_rows(file, in, out);
    if (in.contains("evaluate")) out.start = read_start(file, in.at("evaluate"));
    if (out.channels.empty() && !out.start) refuse(file, "neither channels nor evaluate: nothing is to be checked");
    return out;
  } catch (const Json::exception& problem) {
    refuse(file, problem.what());
  }
}

std::vector<Reference> read_references(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator next(folder, error), end; !error && next != end; next.increment(error))
    if (next->path().extension() == ".json") files.push_back(next->path().string());
  if (error || files.empty())
    throw Failure(Exit::bad_input, fmt::format("there are no references in {}", folder),
                  "Give a folder with reference files, NAME.json, by --references.");
  std::sort(files.begin(), files.end());
  std::vector<Reference> references;
  for (const std::string& file : files) references.push_back(read_reference(file));
  return references;
}

std::string shipped_references() {
  return (installed_plugin_folder() / "../../../share/polyform/models/references").lexically_normal().string();
}

}  // namespace polyform::host
