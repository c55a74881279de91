#include "framework/host/reading/reader.hpp"

#include <fmt/format.h>

#include <deque>
#include <exception>
#include <filesystem>
#include <new>

#include "framework/host/reading/body_group_names.hpp"
#include "framework/host/reading/model_reader.hpp"
#include "framework/host/reading/parameters.hpp"
#include "framework/host/reading/source.hpp"
#include "framework/printable.hpp"

namespace polyform::host::inline reading {

bool is_list(const Value& value, std::string_view what) {
  if (value.node().kind == Node::Kind::list) return true;
  value.unexpected(fmt::format("a list of {}", what), value.node().kind == Node::Kind::nothing
                                                          ? "Write [] for none, or remove the key."
                                                          : "Begin each item with '- '.");
  return false;
}

void report_missing_type(const Value& type, std::string_view name, std::string_view kind,
                         const std::vector<std::string_view>& known) {
  std::string remedy = did_you_mean(name, known);
  if (known.empty()) {
    remedy += fmt::format("No {} types are loaded at all: ", kind);
  } else {
    remedy += fmt::format("Known {} types: {}. If a plugin offers it: ", kind, listing(known));
  }
  remedy += "see 'polyform plugins' for what is loaded, and check --plugin-path and POLYFORM_PLUGIN_PATH.";
  type.report().missing_plugin(type.place(), type.path(),
                               fmt::format("no loaded plugin offers {} type {}", kind, show(name)), remedy);
}

namespace {

void read_format(MapReader& map) {
  const auto value = map.require("polyform", "the version of the format, which is 1");
  const std::optional<std::int64_t> version = value ? read_integer(*value) : std::nullopt;
  if (version && *version != 1)
    value->error(fmt::format("the file has format {}, this program reads format 1", *version),
                 "Write 'polyform: 1', or use a program that reads that format.");
}

/// The items of a list of the model, which map and list outlive; unread is set where the key holds no list.
std::vector<Value> items_of(std::deque<Value>& kept, MapReader& map, std::string_view key, bool& unread) {
  std::vector<Value> items;
  const std::optional<Value> found = map.find(key);
  if (!found) return items;
  if (!is_list(*found, key)) {
    unread = true;
    return items;
  }
  const Value& list = kept.emplace_back(*found);
  for (std::size_t i = 0; i < list.node().items.size(); ++i) items.push_back(list.item(i));
  return items;
}

void read_bodies_and_joints(Reading& r, MapReader& map, const Parts& parts, const Sections& sections, bool unread) {
  std::optional<Value> chains = map.find("chains");
  if (chains && !is_list(*chains, "chains")) {
    unread = true;
    chains.reset();
  }
  const std::vector<ChainHead> heads = collect_names(r, sections.bodies, sections.joints, chains ? &*chains : nullptr);
  for (std::size_t i = 0; i < sections.bodies.size(); ++i) {
    MapReader entries(sections.bodies[i]);
    const std::size_t known = r.doubtful.size();
    read_body_entries(r, entries, r.model.bodies[i], false);
    if (r.doubtful.size() > known) r.doubtful.back().first_body = i;
    place_in_ground(sections.bodies[i].scope(), r.model.bodies[i]);
  }
  for (std::size_t i = 0; i < sections.joints.size(); ++i) {
    MapReader entries(sections.joints[i]);
    read_joint_entries(r, entries, r.model.joints[i], false);
    JointItem& joint = r.model.joints[i];
    const bool in_list = !is_ground(joint.base) && at(joint.base) < sections.bodies.size();
    const Scope* const base = in_list ? sections.bodies[at(joint.base)].scope() : nullptr;
    if (Unturned unturned = place_in_ground(sections.joints[i], joint, base, r.model); !unturned.empty())
      r.unturned[joint_index(i)] = std::move(unturned);
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (parts.numbers(heads[i].name))
      chains->item(i).error(
          fmt::format("the name {} is taken by a part whose placements are numbered", show(heads[i].name)),
          "Name the chain otherwise, or the placements one by one.");
    read_chain(r, chains->item(i), heads[i]);
  }
  if (r.model.bodies.empty() && heads.empty() && sections.modules.empty() && !unread && !parts.unread())
    map.value().error("the model has no bodies", "Add them under 'bodies', as 'chains', or in placed parts.");
}

void read_root(Reading& r, const Value& root, Scope& scope, Parts& parts) {
  MapReader map(root);
  if (!map.is_map()) return;
  read_format(map);
  if (const auto parameters = map.find("parameters")) read_parameter_map(*parameters, scope);
  Sections included;
  parts.include(map, scope, included);
  r.model.parameters.insert(scope.parameters.begin(), scope.parameters.end());
  r.model.name = printable(std::filesystem::path(r.model.file).stem().string());
  if (const auto name = map.find("name")) {
    r.model.name = read_text(*name, "the name of the model").value_or("");
    is_printable(*name, r.model.name);
  }
  if (const auto lenient = map.find("lenient"))
    r.model.lenient = read_boolean(*lenient).value_or(false) || r.model.lenient;
  if (const auto gravity = map.find("gravity")) r.model.gravity = read_vector3(*gravity, "m/s²").value_or(Vec3{});
  std::deque<Value> kept;
  bool unread = false, unread_elements = false;
  Sections sections;
  sections.bodies = items_of(kept, map, "bodies", unread);
  sections.joints = items_of(kept, map, "joints", unread);
  sections.forces = items_of(kept, map, "forces", unread_elements);
  sections.constraints = items_of(kept, map, "constraints", unread_elements);
  sections.modules = items_of(kept, map, "modules", unread_elements);
  sections.subsystems = items_of(kept, map, "subsystems", unread_elements);
  sections.append(included);
  parts.read(map, scope, sections);
  std::optional<Value> signals = map.find("signals");
  if (signals && !is_list(*signals, "signals")) signals.reset();
  if (signals) r.formulas.define_signals(*signals);
  for (const Value* const list : sections.signals) r.formulas.define_signals(*list);
  if (!signals && !sections.signals.empty()) signals = *sections.signals.front();
  read_bodies_and_joints(r, map, parts, sections, unread);
  if (const auto ground = map.find("ground")) read_ground(*ground, r.model);
  read_forces(r, sections.forces);
  const std::optional<Value> groups = map.find("groups");
  const BodyGroupNames group_names(r, groups ? &*groups : nullptr);
  if (const auto contacts = map.find("contacts")) read_contacts(r, group_names, *contacts);
  warn_of_repeated_contacts(r);
  read_constraints(r, sections.constraints);
  read_modules_and_subsystems(r, sections.modules, sections.subsystems, parts.subsystems());
  r.formulas.finish_signals();
  follow_formulas(r, signals ? &*signals : nullptr);
  if (const auto simulation = map.find("simulation")) read_simulation(*simulation, r.model.simulation);
  if (const auto solver = map.find("solver")) read_solver(*solver, r.model.solver);
  judge_inertias(r.model, r.doubtful, r.report);
  map.finish();
}

/// Runs `read` and turns what it throws into a report.
template <class Read>
void guarded(Report& report, Read read) {
  try {
    read();
  } catch (const std::bad_alloc&) {
    report.error({}, {}, "there is not enough memory for this model", "Lower the number of bodies.");
  } catch (const Failure& failure) {
    report.error({}, {}, failure.message(), failure.remedy());
  } catch (const std::exception& e) {
    report.error({}, {}, fmt::format("the model cannot be read: {}", e.what()));
  }
}

/// The model in the document whose root `root_of` gives, or nullptr after a report.
template <class RootOf>
Description read_from(RootOf root_of, const std::string& file, const Catalog& catalog, Diagnostics& diagnostics,
                      bool& missing_plugin, const ReadingOptions& options) {
  Description model;
  model.file = file;
  model.lenient = options.lenient;
  Report report(diagnostics, file);
  Scope scope;
  scope.is_model = true;
  Parts parts(file, diagnostics, options.parsed);
  guarded(report, [&] {
    const Node* const root = root_of(report);
    if (root == nullptr) return;
    Reading reading{catalog, report, model, {}};
    read_root(reading, Value(*root, {}, report, &scope), scope, parts);
  });
  report.finish();
  parts.finish();
  missing_plugin = (report.errors() == 0 || report.only_missing_plugins()) && parts.only_missing_plugins() &&
                   (report.errors() > 0 || parts.failed());
  return model;
}

}  // namespace

Description read_model_tree(const Node& root, const std::string& file, const Catalog& catalog, Diagnostics& diagnostics,
                            bool& missing_plugin, const ReadingOptions& options) {
  return read_from([&](Report&) { return &root; }, file, catalog, diagnostics, missing_plugin, options);
}

Description read_model_text(std::string_view text, const std::string& file, const Catalog& catalog,
                            Diagnostics& diagnostics, bool& missing_plugin, const ReadingOptions& options) {
  Document document;
  return read_from([&](Report& report) { return document.parse(text, report); }, file, catalog, diagnostics,
                   missing_plugin, options);
}

std::optional<ModelText> read_model_source(const std::string& file, const Catalog& catalog, Diagnostics& diagnostics,
                                           bool& missing_plugin, const ImportOptions& options) {
  missing_plugin = false;
  std::optional<std::string> text;
  Report report(diagnostics, file);
  guarded(report, [&] { text = read_source(file, report); });
  if (text && importer_for(catalog, file, *text) == nullptr && looks_like_xml(*text)) {
    report.missing_plugin({1, 1}, {}, "this is an XML file, and no loaded plugin reads its format",
                          "See 'polyform plugins' for what is loaded; model files are YAML.");
    missing_plugin = true;
    text.reset();
  }
  report.finish();
  if (!text) return std::nullopt;
  const ImporterType* const importer = importer_for(catalog, file, *text);
  if (importer == nullptr) {
    for (const auto& [name, value] : options)
      if (name != "strict")
        diagnostics.report({.message = fmt::format(
                                "--import-option {}={}: this is a model file, which no importer reads", name, value),
                            .remedy = "Leave the option out.",
                            .file = file});
    if (diagnostics.failed()) return std::nullopt;
    return ModelText{std::move(*text), file};
  }
  std::optional<Conversion> got = import_model(*importer, file, *text, options, diagnostics);
  if (!got) return std::nullopt;
  if (const std::string losses = summary_of_losses(*got); !losses.empty())
    diagnostics.report({.severity = Severity::warning,
                        .message = "not honoured of this file: " + losses,
                        .remedy = "polyform import FILE tells what became of everything in it.",
                        .file = file});
  return ModelText{std::move(got->text), file + " (as imported)"};
}

Description read_model(const std::string& file, const Catalog& catalog, Diagnostics& diagnostics, bool& missing_plugin,
                       const ReadingOptions& options) {
  const std::optional<ModelText> source =
      read_model_source(file, catalog, diagnostics, missing_plugin, options.import_options);
  if (source) {
    Description model = read_model_text(source->text, source->name, catalog, diagnostics, missing_plugin, options);
    model.file = file;
    return model;
  }
  Description model;
  model.file = file;
  return model;
}

}  // namespace polyform::host::inline reading
