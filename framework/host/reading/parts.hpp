// Parts: bodies, joints and elements that are written once and placed many times.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "framework/host/reading/document.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/scope.hpp"
#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

/// The items of all sections: those of the model, then those of its placed parts in the order of the placements.
struct Sections {
  std::vector<Value> bodies, joints, forces, constraints, modules, subsystems;
  std::vector<const Value*> signals{};  ///< lists of included files

  void append(const Sections& more) {
    for (const auto list : {&Sections::bodies, &Sections::joints, &Sections::forces, &Sections::constraints,
                            &Sections::modules, &Sections::subsystems})
      (this->*list).insert((this->*list).end(), (more.*list).begin(), (more.*list).end());
    signals.insert(signals.end(), more.signals.begin(), more.signals.end());
  }
};

/// A placement that is a subsystem: it has the name of the placement, the bodies of its part, and the bodies of those
/// parts within it that are no subsystems.
struct PartSubsystem {
  std::string name, path;
  Place place;
  std::vector<std::size_t> bodies;                   ///< among those of Sections
  std::size_t outer = static_cast<std::size_t>(-1);  ///< among the subsystems of parts
};

/// Reads the lists `parts` and `place` of a model. What it gives stays valid as long as the object.
class Parts {
 public:
  /// file: of the model; see named_path() for how others are found.
  /// parsed: documents that stand for files.
  Parts(std::string file, Diagnostics& diagnostics, const ParsedFiles& parsed)
      : file_(std::move(file)), diagnostics_(diagnostics), parsed_(parsed) {}

  /// Defines the parts, and adds the items of all placements to the sections, which hold those of the model.
  /// scope: of the model.
  void read(MapReader& model, const Scope& scope, Sections&);
  /// The files under the key `include`: their lists are added to the sections, their parts to those of the model, their
  /// parameters to the scope of the model, which keeps those that it has. Before read().
  void include(MapReader& model, Scope& scope, Sections&);
  const std::vector<PartSubsystem>& subsystems() const { return subsystems_; }
  /// Whether placements without a name are numbered under this one, as a chain's bodies are.
  bool numbers(const std::string& name) const { return prefixes_.contains(name + "[0]."); }

  /// Whether the model places a part, or includes a file, that could not be read.
  bool unread() const { return unread_; }

  /// Hands on what other files have wrong. Call once, at the end.
  void finish();
  bool failed() const;
  bool only_missing_plugins() const;  ///< all that is wrong with the other files

 private:
  /// A part of the list, or what its file holds; without node where that cannot be read.
  struct Part {
    const Node* node;
    Report* report;
    std::string path;
    const Value* item;  ///< of the list
    bool placed = false, other_file = false;
    std::map<std::string, Part, std::less<>> parts{};  ///< that it defines for itself
  };
  using Defined = std::map<std::string, Part, std::less<>>;
  struct OtherFile {
    std::string text;
    Document document;
    std::unique_ptr<Report> report;
    std::string name;
  };
  void include_file(const Value& name, Scope& of_model, Sections&);
  void take_defaults(const Value& parameters, Scope& of_model);
  void define_list(const Value& list, Defined&);
  void define(const Value& item, Defined&);
  void define_within(const Value& item, Part&);
  const Node* read_file(const Value& name, Part&, std::string_view what);
  Part* find(const Value& name, const std::string& which, const std::vector<Part*>& around);
  static void warn_of_unplaced(const Defined&);
  void place_list(const Value& list, const Scope* outer, std::vector<Part*>& around, std::size_t subsystem, Sections&);
  bool is_too_much(const Value& item, std::size_t depth, const Sections&);
  void place(const Value& item, const Scope* outer, std::vector<Part*>& around, std::size_t subsystem,
             std::unordered_map<std::string, std::size_t>& unnamed, Sections&);
  void read_parameters(MapReader& part, const std::optional<Value>& given, Scope&);
  void add_items(MapReader& part, Sections&);

  std::string file_;
  Diagnostics& diagnostics_;
  const ParsedFiles& parsed_;
  Defined parts_;
  std::vector<std::string> reading_;  ///< files that are being read, each named in the one before
  /// A parameter that an included file has defined.
  struct Default {
    std::string file;   ///< as in reading_
    std::string place;  ///< for messages
  };
  std::map<std::string, Default, std::less<>> defaults_;
  std::deque<Scope> scopes_;
  std::deque<Value> values_;  ///< whose paths others point to
  std::deque<MapReader> maps_;
  std::deque<OtherFile> files_;
  std::vector<PartSubsystem> subsystems_;
  std::unordered_map<std::string, Place> prefixes_;
  std::size_t placements_ = 0;
  bool stopped_ = false;  ///< there is more than can be held
  bool unread_ = false;
};

}  // namespace polyform::host::reading
