#include "framework/host/reading/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "framework/host/reading/model_reader.hpp"
#include "framework/host/reading/parameters.hpp"
#include "framework/host/reading/source.hpp"

namespace polyform::host::inline reading {

namespace {

constexpr std::size_t no_subsystem = static_cast<std::size_t>(-1);
/// The most placements of a model, inner ones counted each time: with parts within parts their number grows by powers.
constexpr std::size_t most_placements = 100'000, most_levels = 100;
constexpr std::array<std::string_view, 6> lists{"bodies", "joints", "forces", "constraints", "modules", "subsystems"};

std::vector<Value>& section(Sections& s, std::string_view key) {
  return key == "bodies"        ? s.bodies
         : key == "joints"      ? s.joints
         : key == "forces"      ? s.forces
         : key == "constraints" ? s.constraints
         : key == "modules"     ? s.modules
                                : s.subsystems;
}

}  // namespace

void Parts::read(MapReader& model, const Scope& scope, Sections& sections) {
  const auto parts = model.find("parts"), places = model.find("place");
  if (parts && is_list(*parts, "parts")) define_list(values_.emplace_back(*parts), parts_);
  if (places && is_list(*places, "placements")) {
    std::vector<Part*> around;
    place_list(values_.emplace_back(*places), &scope, around, no_subsystem, sections);
  }
  warn_of_unplaced(parts_);
}

void Parts::include(MapReader& model, Scope& scope, Sections& sections) {
  const auto files = model.find("include");
  if (!files) return;
  const Value& list = values_.emplace_back(*files);
  if (list.node().kind != Node::Kind::list) return include_file(list, scope, sections);
  for (std::size_t i = 0; i < list.node().items.size(); ++i)
    include_file(values_.emplace_back(list.item(i)), scope, sections);
}

/// Takes the content of the file as part of the model: names have no prefix, and nothing is placed.
void Parts::include_file(const Value& name, Scope& of_model, Sections& sections) {
  Part file{nullptr, nullptr, {}, &name};
  const std::size_t files = reading_.size();
  file.node = read_file(name, file, "the included file");
  if (file.node == nullptr) {
    unread_ = true;
    return;
  }
  Scope& scope = scopes_.emplace_back();
  scope.outer = &of_model;
  scope.in_other_file = true;
  scope.placed_at = name.model_place();
  const Value& root = values_.emplace_back(*file.node, Path{}, *file.report, &scope);
  MapReader& its = maps_.emplace_back(root);
  if (its.is_map()) {
    for (const std::string_view known : {"polyform", "name"}) its.find(known);
    if (const auto parameters = its.find("parameters")) take_defaults(*parameters, of_model);
    include(its, of_model, sections);
    add_items(its, sections);
    if (const auto signals = its.find("signals"); signals && is_list(*signals, "signals"))
      sections.signals.push_back(&values_.emplace_back(*signals));
    const auto parts = its.find("parts");
    if (parts && is_list(*parts, "parts")) define_list(values_.emplace_back(*parts), parts_);
    its.finish();
  }
  reading_.resize(files);
}

/// Takes the parameters of an included file that the model, or a file that includes it, does not define.
void Parts::take_defaults(const Value& parameters, Scope& of_model) {
  if (parameters.node().kind != Node::Kind::map) return parameters.unexpected("a map of names and numbers");
  for (const Node::Entry& e : parameters.node().entries) {
    const Value value = parameters.entry(e);
    const auto known = of_model.parameters.find(e.key);
    if (known == of_model.parameters.end()) {
      if (!is_parameter_name(e.key, value, true)) continue;
      const std::optional<double> number = read_number(value);
      if (!number) continue;
      of_model.parameters[e.key] = *number;
      defaults_[e.key] = {reading_.back(),
                          fmt::format("{}:{}:{}", value.report().file_name(), e.place.line, e.place.column)};
      continue;
    }
    const auto given = defaults_.find(e.key);
    if (given == defaults_.end() || std::ranges::find(reading_, given->second.file) != reading_.end()) continue;
    const std::optional<double> number = read_number(value);
    if (number && *number != known->second)
      value.error(fmt::format("the parameter {} has the value {:.6g} here and {:.6g} in another included file ({})",
                              e.key, *number, known->second, given->second.place),
                  "Define it in the model's own 'parameters', or give one of the two another name.");
  }
}

void Parts::warn_of_unplaced(const Defined& parts) {
  for (const auto& [name, part] : parts) {
    if (part.placed)
      warn_of_unplaced(part.parts);
    else
      part.item->warning(fmt::format("the part {} is placed nowhere and not read", show(name)),
                         "Place it under 'place', or remove it.");
  }
}

void Parts::define_list(const Value& list, Defined& into) {
  for (std::size_t i = 0; i < list.node().items.size(); ++i) define(values_.emplace_back(list.item(i)), into);
}

void Parts::define(const Value& item, Defined& into) {
  if (item.node().kind != Node::Kind::map) return item.unexpected("a map of 'key: value' entries");
  MapReader& map = maps_.emplace_back(item);
  const auto name_value = map.require("name", "every part has one");
  const std::optional<std::string> name = name_value ? read_name(*name_value) : std::nullopt;
  Part part{&item.node(), &item.report(), item.path().text(), &item};
  part.other_file = item.scope() != nullptr && item.scope()->in_other_file;
  const std::size_t files = reading_.size();
  if (const auto file = map.find("file")) {
    for (const Node::Entry& e : item.node().entries)
      if (e.key != "name" && e.key != "file") map.forbid(e.key, "the part is that of the file");
    part.node = read_file(*file, part, "the part's file");
  }
  if (part.node != nullptr) define_within(item, part);
  reading_.resize(files);
  if (!name) return;
  if (!into.emplace(*name, std::move(part)).second)
    name_value->error(fmt::format("the name {} is taken by another part", show(*name)), "Give each its own name.");
}

/// Reads the parts that a part, or its file, defines for itself.
void Parts::define_within(const Value& item, Part& part) {
  const Value& root = part.other_file ? values_.emplace_back(*part.node, Path{}, *part.report) : item;
  if (root.node().kind != Node::Kind::map) return;  // it is reported where the part is placed
  const auto list = maps_.emplace_back(root).find("parts");
  if (list && is_list(*list, "parts")) define_list(values_.emplace_back(*list), part.parts);
}

/// The map of a part in a file of its own.
const Node* Parts::read_file(const Value& value, Part& part, std::string_view what) {
  const std::optional<std::string> name = read_text(value, "the name of a file");
  if (!name) return nullptr;
  const std::string path = named_path(*name, value.report(), file_);
  std::error_code ignored;  // a path that leads back to a folder is another name of the same file
  const std::string same = std::filesystem::weakly_canonical(path, ignored).string();
  if (std::ranges::find(reading_, same) != reading_.end()) {
    value.error(fmt::format("{} {} holds itself", what, show(path)),
                "A file cannot hold itself, not within others either: name another one.");
    return nullptr;
  }
  OtherFile& file = files_.emplace_back();
  file.name = path;
  file.report = std::make_unique<Report>(diagnostics_, file.name);
  const auto parsed = parsed_.find(same);
  std::optional<std::string> text = parsed != parsed_.end() ? std::string() : read_source(path, *file.report);
  if (!text) {
    files_.pop_back();  // an error is reported once, where the file is named
    value.error(fmt::format("{} {} cannot be read", what, show(path)),
                std::string(place_of_named(value.report(), file_)));
    return nullptr;
  }
  reading_.push_back(same);
  file.text = std::move(*text);
  const DocumentKind kind{"part", "A part is a map with 'bodies', 'joints' and so on."};
  const Node* root = parsed != parsed_.end() ? parsed->second : file.document.parse(file.text, *file.report, kind);
  part.report = file.report.get();
  part.other_file = true;
  part.path.clear();
  return root;
}

/// The part of that name: the nearest of those around the placement, from inside out, else one of the model.
Parts::Part* Parts::find(const Value& name, const std::string& which, const std::vector<Part*>& around) {
  std::vector<std::string_view> known;
  const auto look = [&](Defined& parts) -> Part* {
    for (const auto& [other, part] : parts) known.push_back(other);
    const auto found = parts.find(which);
    return found == parts.end() ? nullptr : &found->second;
  };
  for (std::size_t k = around.size(); k-- > 0;)
    if (Part* const found = look(around[k]->parts)) return found;
  if (Part* const found = look(parts_)) return found;
  name.error(fmt::format("there is no part {}", show(which)),
             did_you_mean(which, known) + "Parts are those under 'parts'.");
  return nullptr;
}

void Parts::place_list(const Value& list, const Scope* outer, std::vector<Part*>& around, std::size_t subsystem,
                       Sections& sections) {
  std::unordered_map<std::string, std::size_t> unnamed;
  for (std::size_t i = 0; i < list.node().items.size(); ++i)
    place(values_.emplace_back(list.item(i)), outer, around, subsystem, unnamed, sections);
}

/// Reports the first placement that is too much for the memory.
bool Parts::is_too_much(const Value& item, std::size_t depth, const Sections& sections) {
  if (stopped_) return true;
  constexpr std::size_t item_bytes = 4096;  // between reading and the first step an item takes at least this
  if (depth >= most_levels)
    item.error(fmt::format("parts are placed within each other more than {} levels deep", most_levels),
               "No model needs that; place some of them side by side.");
  else if (++placements_ > most_placements)
    item.error(fmt::format("more than {} parts are placed, inner ones counted each time", most_placements),
               "Place fewer, or use chains.");
  else if (sections.bodies.size() + sections.joints.size() > items_in_memory(item_bytes))
    item.error("the placed parts have more bodies and joints than this computer can hold", "Place fewer.");
  else
    return false;
  return stopped_ = true;
}

void Parts::place(const Value& item, const Scope* outer, std::vector<Part*>& around, std::size_t subsystem,
                  std::unordered_map<std::string, std::size_t>& unnamed, Sections& sections) {
  MapReader& map = maps_.emplace_back(item);
  const bool unread_before = std::exchange(unread_, true);  // until all is well
  if (!map.is_map()) return;
  const auto part_name = map.require("part", "the name of the part that is placed");
  const auto name_value = map.find("name"), position = map.find("position"), orientation = map.find("orientation"),
             parameters = map.find("parameters");
  map.finish();
  const std::optional<std::string> which = part_name ? read_text(*part_name, "the name of a part") : std::nullopt;
  if (!which) return;
  Part* const found = find(*part_name, *which, around);
  if (found == nullptr) return;
  Part& part = *found;
  part.placed = true;
  if (part.node == nullptr) return;  // it has been reported
  if (std::ranges::find(around, &part) != around.end())
    return part_name->error(fmt::format("the part {} is placed within itself", show(*which)), "Remove this placement.");
  if (is_too_much(item, around.size(), sections)) return;
  std::optional<std::string> name = name_value ? read_name(*name_value) : std::nullopt;
  if (name_value && !name) return;
  if (!name) name = fmt::format("{}{}[{}]", outer->prefix, *which, unnamed[*which]++);
  Scope& scope = scopes_.emplace_back();
  scope.prefix = *name + ".";
  scope.outer = outer;
  scope.in_other_file = part.other_file || outer->in_other_file;
  scope.placed_at = item.model_place();
  if (const auto [known, is_new] = prefixes_.emplace(scope.prefix, item.place()); !is_new)
    return item.error(fmt::format("the name {} is taken by another placement{}", show(*name), in_line(known->second)),
                      "Give each its own name.");
  Pose own;
  if (position) own.position = read_vector3(*position, "m").value_or(Vec3{});
  if (orientation) own.orientation = read_orientation(*orientation).value_or(Quat{});
  scope.pose = own;
  if (!outer->is_model)
    scope.pose = {normalized(outer->pose.orientation * own.orientation),
                  outer->pose.position + rotation_matrix(outer->pose.orientation) * own.position};
  scope.path = fmt::format("{} (line {}, column {}) {}", *name, item.place().line, item.place().column, part.path);
  while (scope.path.ends_with(' ')) scope.path.pop_back();
  const Value& root = values_.emplace_back(*part.node, Path{nullptr, scope.path, Path::no_index}, *part.report, &scope);
  MapReader& its = maps_.emplace_back(root);
  if (!its.is_map()) return;
  unread_ = unread_before;
  for (const std::string_view read : {"name", "file", "parts"}) its.find(read);
  read_parameters(its, parameters, scope);
  const auto is_subsystem = its.find("subsystem");
  const bool told = is_subsystem && read_boolean(*is_subsystem).value_or(false);
  if (told) {
    subsystems_.push_back({*name, item.path().text(), item.model_place(), {}, subsystem});
    subsystem = subsystems_.size() - 1;
  }
  const std::size_t first = sections.bodies.size();
  add_items(its, sections);
  for (std::size_t b = first; b < sections.bodies.size() && subsystem != no_subsystem; ++b)
    subsystems_[subsystem].bodies.push_back(b);
  const auto inner = its.find("place");
  its.finish();
  if (!inner || !is_list(*inner, "placements")) return;
  around.push_back(&part);
  place_list(values_.emplace_back(*inner), &scope, around, subsystem, sections);
  around.pop_back();
}

/// Reads the parameters that the part declares: their defaults, overlaid by the given values.
void Parts::read_parameters(MapReader& part, const std::optional<Value>& given, Scope& scope) {
  std::vector<std::string_view> known;
  if (const auto declared = part.find("parameters")) read_parameter_map(*declared, scope, &known);
  if (!given) return;
  if (given->node().kind != Node::Kind::map) return given->unexpected("a map of names and numbers");
  for (const Node::Entry& e : given->node().entries) {
    const Value value = given->entry(e);
    if (std::ranges::find(known, e.key) == known.end()) {
      value.error(
          fmt::format("the part has no parameter {}", show(e.key)),
          fmt::format("{}Its parameters: {}.", did_you_mean(e.key, known), known.empty() ? "none" : listing(known)));
      continue;
    }
    if (const std::optional<double> number = read_number(value)) scope.parameters[e.key] = *number;
  }
}

void Parts::add_items(MapReader& part, Sections& sections) {
  for (const std::string_view key : lists) {
    const auto found = part.find(key);
    if (!found || !is_list(*found, key)) continue;
    const Value& list = values_.emplace_back(*found);
    for (std::size_t i = 0; i < list.node().items.size(); ++i) section(sections, key).push_back(list.item(i));
  }
}

void Parts::finish() {
  for (OtherFile& file : files_) file.report->finish();
}

bool Parts::failed() const {
  return std::ranges::any_of(files_, [](const OtherFile& f) { return f.report->errors() > 0; });
}

bool Parts::only_missing_plugins() const {
  return std::ranges::all_of(
      files_, [](const OtherFile& f) { return f.report->errors() == 0 || f.report->only_missing_plugins(); });
}

}  // namespace polyform::host::reading
