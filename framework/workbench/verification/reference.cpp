#include "framework/workbench/verification/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <span>

#include "framework/host/reading/source.hpp"
#include "framework/host/reading/value.hpp"
#include "framework/host/registry/search_path.hpp"

namespace polyform::host::inline verification {

namespace fs = std::filesystem;

namespace {

constexpr const char* format_remedy = "The format is told in README.md beside the references that come with Polyform.";

bool is_list(const Value& value) {
  const bool good = value.node().kind == Node::Kind::list;
  if (!good) value.unexpected("a list");
  return good;
}

/// Nothing after a report. Only the first item that is not a number is reported: the others are probably wrong
/// likewise.
std::optional<std::vector<double>> read_list(const Value& value) {
  if (!is_list(value)) return std::nullopt;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < value.node().items.size(); ++i) {
    const std::optional<double> number = read_number(value.item(i));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

constexpr std::array<std::string_view, 4> start_groups{"linear", "angular", "modal", "joint"};
constexpr std::array<std::string_view, 13> channel_groups{
    "position",       "orientation", "velocity", "angular_velocity", "modal",      "modal_velocity", "joint",
    "joint_velocity", "force",       "moment",   "energy",           "constraint", "module"};

/// Reads positive numbers by group; reports any other.
Tolerances read_tolerances(MapReader& map, std::span<const std::string_view> groups) {
  Tolerances tolerances;
  for (const std::string_view group : groups)
    if (const auto value = map.find(group)) {
      const std::optional<double> x = read_number(*value);
      if (x && !(*x > 0)) value->unexpected("a number greater than 0");
      tolerances[std::string(group)] = x.value_or(1);
    }
  return tolerances;
}

/// Reads the numbers that each body or joint gives for some of these quantities.
void read_objects(const Value& objects, std::initializer_list<std::pair<std::string_view, KnownByName*>> quantities) {
  const MapReader all(objects);
  for (const Node::Entry& e : objects.node().entries) {
    const Value object = objects.entry(e);
    MapReader map(object);
    for (const auto& [key, known] : quantities)
      if (const auto value = map.find(key))
        (*known)[e.key] = {read_list(*value).value_or(std::vector<double>{}), value->place()};
    if (map.is_map()) map.finish();
  }
}

ReferenceStart read_start(const Value& in) {
  ReferenceStart start;
  MapReader map(in);
  if (const auto bodies = map.find("bodies"))
    read_objects(*bodies, {{"linear", &start.linear}, {"angular", &start.angular}, {"modal", &start.modal}});
  if (const auto joints = map.find("joints")) read_objects(*joints, {{"acceleration", &start.joint}});
  if (const auto tolerance = map.require("tolerance", "the largest errors of accelerations, by group")) {
    MapReader groups(*tolerance);
    start.tolerance = read_tolerances(groups, start_groups);
    if (groups.is_map()) groups.finish();
    const KnownByName* known[] = {&start.linear, &start.angular, &start.modal, &start.joint};
    for (std::size_t k = 0; k < start_groups.size(); ++k)
      if (!known[k]->empty() && !start.tolerance.contains(std::string(start_groups[k])))
        groups.report_missing(start_groups[k], "accelerations of that group are given", "Add its tolerance here.");
  }
  if (map.is_map()) map.finish();
  return start;
}

void read_times(const Value& value, Reference& out) {
  const std::optional<std::vector<double>> times = read_list(value);
  if (!times) return;
  out.times = *times;
  if (out.times.empty() || std::ranges::adjacent_find(out.times, std::greater_equal<>()) != out.times.end())
    value.error("the times do not rise", "Give at least one, each later than the one before.");
}

/// Reads the tolerances that replace the others after certain times.
void read_later(const Value& list, Reference& out) {
  if (!is_list(list)) return;
  for (std::size_t i = 0; i < list.node().items.size(); ++i) {
    const Value item = list.item(i);
    MapReader map(item);
    const auto time = map.require("time", "after which the tolerances hold, s");
    out.tolerance_after.emplace_back(time ? read_number(*time).value_or(0) : 0, read_tolerances(map, channel_groups));
    if (map.is_map()) map.finish();
  }
}

void read_rows(const Value& channels, MapReader& map, Reference& out) {
  if (const auto times = map.require("times", "of the rows of 'channels', s")) read_times(*times, out);
  const auto tolerance = map.require("tolerance", "the largest errors, by group of channels");
  std::optional<MapReader> groups;
  if (tolerance) {
    groups.emplace(*tolerance);
    out.tolerance = read_tolerances(*groups, channel_groups);
    if (groups->is_map()) groups->finish();
  }
  const MapReader all(channels);
  for (const Node::Entry& e : channels.node().entries) {
    const Value value = channels.entry(e);
    const std::optional<std::vector<double>> values = read_list(value);
    out.channels.push_back({e.key, values.value_or(std::vector<double>{}), e.place});
    if (values && values->size() != out.times.size() && !out.times.empty())
      value.error(fmt::format("found {} values for {} times", values->size(), out.times.size()), "Give one per time.");
    if (const std::string group = group_of(e.key); groups && !out.tolerance.contains(group))
      value.error(fmt::format("there is no tolerance for its group, '{}'", group), "Add it under 'tolerance'.");
  }
  if (const auto later = map.find("tolerance_after")) read_later(*later, out);
}

void read_root(const Value& root, Reference& out) {
  MapReader map(root);
  if (!map.is_map()) return;
  if (const auto model = map.require("model", "the model file, relative to this one"))
    out.model =
        (fs::path(out.file).parent_path() / read_text(*model, "a file").value_or("")).lexically_normal().string();
  if (const auto source = map.require("source", "where the values come from"))
    out.source = read_text(*source, "a sentence").value_or("");
  if (const auto set = map.find("set")) {
    const std::string text = set->node().text;
    if (text != "short" && text != "long") set->unexpected("short or long");
    out.slow = text == "long";
  }
  const auto channels = map.find("channels"), start = map.find("evaluate");
  if (channels) {
    read_rows(*channels, map, out);
  } else {
    for (const char* key : {"times", "tolerance", "tolerance_after"}) map.forbid(key, "there are no 'channels'");
  }
  if (start) out.start = read_start(*start);
  const bool no_start = !out.start || (out.start->linear.empty() && out.start->angular.empty() &&
                                       out.start->modal.empty() && out.start->joint.empty());
  if ((channels || start) && out.channels.empty() && no_start)
    (channels ? *channels : *start).error("it is empty: nothing is to be checked", format_remedy);
  if (!channels && !start) root.error("neither 'channels' nor 'evaluate': nothing is to be checked", format_remedy);
  map.find("notes");
  map.finish();
}

}  // namespace

std::string group_of(const std::string& channel) {
  if (channel.starts_with("energy.")) return "energy";
  if (channel.starts_with("constraint.") || channel.starts_with("correction.")) return "constraint";
  const std::string component = channel.substr(channel.rfind('.') + 1);
  const std::string last = component.substr(0, component.find('['));
  if (last == "eta") return "modal";
  if (last == "etadot") return "modal_velocity";
  if (last == "q") return "joint";
  if (last == "v") return "joint_velocity";
  constexpr std::string_view axes = "xyz";
  const auto is = [&](std::string_view letter) {
    return last.size() == letter.size() + 1 && last.starts_with(letter) && axes.find(last.back()) != axes.npos;
  };
  if (is("")) return "position";
  if (is("q") || last == "qw") return "orientation";
  if (is("v")) return "velocity";
  if (is("w")) return "angular_velocity";
  if (is("f")) return "force";
  if (is("m")) return "moment";
  return "module";
}

double tolerance_at(const Reference& reference, const std::string& group, double time) {
  double value = reference.tolerance.at(group);
  for (const auto& [after, tolerances] : reference.tolerance_after)
    if (const auto other = tolerances.find(group); time > after && other != tolerances.end()) value = other->second;
  return value;
}

std::optional<Reference> read_reference(const std::string& file, Diagnostics& diagnostics) {
  Reference out;
  out.name = fs::path(file).stem().string();
  out.file = file;
  Report report(diagnostics, out.file);
  Document document;
  if (const std::optional<std::string> text = read_source(file, report))
    if (const Node* root = document.parse(*text, report, {"reference", format_remedy}))
      read_root(Value(*root, {}, report), out);
  report.finish();
  if (report.errors() > 0) return std::nullopt;
  return out;
}

std::vector<std::string> reference_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator next(folder, error), end; !error && next != end; next.increment(error))
    if (next->path().extension() == ".json") files.push_back(next->path().string());
  if (error || files.empty())
    throw Failure(Exit::bad_input, fmt::format("there are no references in {}", folder),
                  "Give a folder with reference files, NAME.json, by --references.");
  std::sort(files.begin(), files.end());
  return files;
}

std::string shipped_references() { return (installed_data_folder() / "models/references").string(); }

}  // namespace polyform::host::verification
