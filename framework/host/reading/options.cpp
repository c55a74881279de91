// Options of a formulation or an integrator: the same declaration and the same reading as the fields of elements.
#include <fmt/format.h>

#include <exception>

#include "framework/host/reading/field_reader.hpp"
#include "framework/host/reading/reader.hpp"

namespace polyform::host::inline reading {

namespace {

Names names_of(const Description& model) {
  Names names;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    names.bodies.add(model.bodies[i].name, static_cast<std::int32_t>(i));
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    names.joints.add(model.joints[i].name, static_cast<std::int32_t>(i));
  return names;
}

bool refers_to_names(const FieldSpec& spec) { return makes_markers(spec.type) || names_joints(spec.type); }

/// Reads options one by one: those of the model file with their places, typed ones without.
class OptionReader {
 public:
  OptionReader(Strided<const FieldSpec> specs, const OptionOwner& owner, Description& storage, Diagnostics& diagnostics,
               const OptionPlaces& places)
      : specs_(specs),
        owner_(owner),
        places_(places),
        names_(std::any_of(specs.begin(), specs.end(), refers_to_names) ? names_of(storage) : Names{}),
        fields_(names_, storage),
        in_file_(diagnostics, places.file),
        typed_(diagnostics, {}) {
    scope_.is_model = scope_.in_option = true;
    scope_.parameters = storage.parameters;
  }

  void read(const std::vector<std::pair<std::string, std::string>>& given, std::vector<FieldValue>& out) {
    const Node nothing;
    for (std::size_t i = 0; i < specs_.size(); ++i)
      out[i] = fields_.default_value(specs_[i], Value(nothing, options_, typed_));
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto& key = given[i].first;
      const auto& text = given[i].second;
      const bool in_file = i < places_.places.size();
      const Path path = in_file ? Path{&file_options_, key, Path::no_index} : typed_path(key);
      const OptionPlace place = in_file ? places_.places[i] : OptionPlace{};
      Report& report = in_file ? in_file_ : typed_;
      const auto spec = std::find_if(specs_.begin(), specs_.end(), [&](const FieldSpec& s) { return s.name == key; });
      if (spec == specs_.end())
        report_unknown(key, place.name, path, report);
      else if (const auto value = read_value(*spec, text, place.value, path, report))
        out[static_cast<std::size_t>(spec - specs_.begin())] = *value;
    }
    for (const FieldSpec& spec : specs_)
      if (spec.required &&
          std::none_of(given.begin(), given.end(), [&](const auto& g) { return g.first == spec.name; }))
        typed_.error({}, options_,
                     fmt::format("{} '{}' needs option '{}': {}", owner_.kind, owner_.name, spec.name, spec.meaning),
                     fmt::format("Give {} {}=…, {}.", owner_.flag, spec.name, expectation(spec)));
  }
  void fail(std::string_view why) { typed_.error({}, {}, fmt::format("the options cannot be read: {}", why)); }
  void finish() {
    in_file_.finish();
    typed_.finish();
  }

 private:
  void report_unknown(const std::string& key, Place place, const Path& path, Report& report) const {
    std::vector<std::string_view> known;
    for (const FieldSpec& spec : specs_) known.push_back(spec.name);
    const std::string remedy = known.empty()
                                   ? fmt::format("'{}' has no options.", owner_.name)
                                   : fmt::format("{}Its options: {}.", did_you_mean(key, known), listing(known));
    report.error(place, path, fmt::format("{} '{}' has no option {}", owner_.kind, owner_.name, show(key)), remedy);
  }

  /// As it was typed: `--option key`.
  Path typed_path(const std::string& key) {
    return {nullptr, typed_paths_.emplace_back(fmt::format("{} {}", owner_.flag, key)), Path::no_index};
  }

  std::optional<FieldValue> read_value(const FieldSpec& spec, const std::string& text, Place place, const Path& path,
                                       Report& report) {
    Diagnostics syntax;
    Report syntax_report(syntax, {});
    Document document;
    Node nothing;
    nothing.place = place;
    const Node* parsed = text.empty() ? &nothing : document.parse(text, syntax_report);
    if (!parsed) {
      syntax_report.finish();
      report.error(place, path, fmt::format("{} is no value: {}", show(text), syntax.all().front().message),
                   fmt::format("Give {}.", expectation(spec)));
      return std::nullopt;
    }
    document.put_at(place);  // a place in the option's text means nothing to the user
    return fields_.value(Value(*parsed, path, report, &scope_), spec);
  }

  Strided<const FieldSpec> specs_;
  const OptionOwner& owner_;
  const OptionPlaces& places_;
  const Names names_;
  FieldReader fields_;
  Scope scope_;
  Report in_file_, typed_;
  std::deque<std::string> typed_paths_;
  const Path options_{nullptr, owner_.flag, Path::no_index}, group_{nullptr, owner_.group, Path::no_index},
      member_{&group_, owner_.member, Path::no_index},
      file_options_{owner_.member.empty() ? &group_ : &member_, "options", Path::no_index};
};

}  // namespace

std::vector<FieldValue> read_options(Strided<const FieldSpec> specs,
                                     const std::vector<std::pair<std::string, std::string>>& given,
                                     const OptionOwner& owner, Description& storage, Diagnostics& diagnostics,
                                     const OptionPlaces& places) {
  OptionReader reader(specs, owner, storage, diagnostics, places);
  std::vector<FieldValue> out(specs.size());
  try {
    reader.read(given, out);
  } catch (const std::exception& e) {
    reader.fail(e.what());
  }
  reader.finish();
  return out;
}

}  // namespace polyform::host::reading
