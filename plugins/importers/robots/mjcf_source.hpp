// The files of an MJCF model: with what they include, their classes of defaults and the settings of their compiler.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mechanism.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

/// The settings of <compiler> that count here.
struct MjcfCompiler {
  bool degrees = true;
  std::string euler_sequence = "xyz", mesh_folder;
  enum class FromGeoms { no, always, where_missing } from_geoms = FromGeoms::where_missing;
  double bound_mass = 0, bound_inertia = 0, total_mass = -1;
  bool balance = false, strip_path = false, discard_visual = false, exact_meshes = false, global = false;
  bool auto_limits = true;
  double first_group = 0, last_group = 5;
};

class MjcfSource {
 public:
  MjcfSource(const ForeignFile&, DiagnosticSink&, Ledger&);

  /// Reads the files, classes and settings; false after a report.
  bool open();
  Reporter& report() { return files_.front().report(); }
  const MjcfCompiler& compiler() const { return compiler_; }
  Element root() { return root_; }
  std::string folder() const;
  /// The children, with those of included files in place of <include>; none is marked.
  std::vector<Element> children(const Element&);
  /// All sections of that tag; marked.
  std::vector<Element> sections(const char* tag);
  std::size_t errors();  ///< of all files
  void settle();
  /// Tells the host of these files and of all that they name.
  void tell_named(ConversionSink&) const;

  /// The element that has the attribute of an element: itself, else a default of its class, or of the class around that
  /// one; empty if none has it. Marks it as honoured when it is read. tag: of its defaults.
  Element who_says(const Element&, const char* tag, const char* attribute, const std::string& childclass);
  /// The defaults with one of these tags that an element's class has, in the order in which they count: those of the
  /// outermost class first.
  std::vector<Element> defaults_of(const Element&, std::span<const std::string_view> tags);
  /// The orientation of an element in any of the five ways, by itself or by its class.
  Mat3 orientation(const Element&, const char* tag, const std::string& childclass);
  double angle(double x) const;

 private:
  struct Class {
    std::string outer;
    std::vector<Element> elements;
  };
  void read_defaults(const Element&, const std::string& outer);
  void read_compiler();
  bool include(const Element&, std::vector<Element>& into);
  /// "a.xml includes b.xml includes a.xml", where a file that includes this path is itself included by it; else "".
  std::string circle_through(const XmlFile& from, const std::string& path) const;
  std::vector<Element> levels(const Element&, std::span<const std::string_view> tags, const std::string& childclass);
  std::optional<Mat3> orientation_at(const Element&);

  std::string name_;
  DiagnosticSink& sink_;
  Ledger& ledger_;
  std::deque<XmlFile> files_;
  std::map<std::string, std::vector<Element>> included_;  ///< by the file and the place of the <include>
  std::map<const XmlFile*, const XmlFile*> included_by_;
  Element root_;
  MjcfCompiler compiler_;
  std::set<std::string> asset_folders_;  ///< as the compiler names them
  std::map<std::string, Class> classes_;
  std::size_t bytes_ = 0;
  std::set<std::pair<const void*, std::string>> unknown_classes_;  ///< told; of no element: inherited ones
};

}  // namespace polyform::importers
