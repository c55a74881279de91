// XML whose reader gives an account of it: every element and attribute is marked by its treatment, and those without a
// mark are told as not honoured.
//
// pugixml parses, because it keeps the place of everything in the text, accepts what the parsers of these formats'
// own tools accept (undeclared prefixes, any encoding in comments), expands no entity that a file declares, and needs
// no stack that grows with the nesting.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ledger.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform::importers {

class XmlFile;

/// An element of a file. An empty one stands for one that is not there.
class Element {
 public:
  Element() = default;
  Element(pugi::xml_node node, XmlFile& file) : node_(node), file_(&file) {}

  explicit operator bool() const noexcept { return static_cast<bool>(node_); }
  std::string_view tag() const noexcept { return node_.name(); }
  Place place() const;
  Reporter& report() const;
  pugi::xml_node node() const noexcept { return node_; }
  XmlFile& file() const noexcept { return *file_; }

  /// The first child of that tag, marked as honoured; an empty one if there is none.
  Element child(const char* tag) const;
  /// All children of that tag, or of any tag; if a tag is given, they are marked as honoured.
  std::vector<Element> children(const char* tag) const;
  /// All children; none is marked.
  std::vector<Element> all() const;

  bool has(const char* attribute) const { return static_cast<bool>(node_.attribute(attribute)); }
  /// The value of an attribute, which is marked as honoured.
  std::optional<std::string> text(const char* attribute) const;
  /// The text within the element, without blanks around it.
  std::string content() const;
  Place place_of(const char* attribute) const;
  /// Numbers of an attribute, marked as honoured; nothing if it is not there. Nothing, after a report, if it holds
  /// something else than numbers, not as many as asked for (count 0: any), or one that is not finite.
  std::optional<std::vector<double>> numbers(const char* attribute, std::size_t count) const;
  std::optional<double> number(const char* attribute) const;
  double number(const char* attribute, double otherwise) const { return number(attribute).value_or(otherwise); }
  std::optional<Vec3> vector(const char* attribute) const;
  /// One of these words, marked as honoured; nothing if it is not there, or after a report if it holds another one.
  std::optional<std::string> word(const char* attribute, std::initializer_list<std::string_view> known) const;
  bool truth(const char* attribute, bool otherwise) const;
  /// The same for the text within the element.
  std::optional<std::vector<double>> content_numbers(std::size_t count) const;
  std::optional<double> content_number() const;

  /// Marks the treatment of the element, and of an attribute: this overrides earlier marks.
  void mark(Treatment, std::string_view remark = {}) const;
  void mark(const char* attribute, Treatment, std::string_view remark = {}) const;
  /// The element is not honoured, and its attributes and all within it belong to that.
  void drop(std::string_view remark) const;
  /// Marks the element, its attributes and all within it.
  void mark_all(Treatment, std::string_view remark = {}) const;

 private:
  pugi::xml_node node_;
  XmlFile* file_ = nullptr;
};

/// One parsed file; owns its text.
class XmlFile {
 public:
  /// Levels of nesting that are read.
  static constexpr int most_levels = 200;

  XmlFile(std::string bytes, std::string_view name, DiagnosticSink& sink);
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;

  /// The outermost element; empty after a report.
  Element root();
  Reporter& report() noexcept { return report_; }
  const std::string& name() const noexcept { return name_; }
  Place place(std::ptrdiff_t offset) const;
  Place place(const char* in_text) const;
  void mark(const void* object, Treatment, std::string_view remark);
  bool is_marked(const void* object) const { return marks_.contains(object); }
  /// Calls for every value of an attribute, and for every text within an element, without blanks around it.
  void each_value(const std::function<void(std::string_view)>&) const;
  /// Writes the treatment of everything to the ledger. remark: added if the file is one that another includes.
  void settle(Ledger&, std::string_view remark = {}) const;

 private:
  struct Mark {
    Treatment treatment = Treatment::honoured;
    std::string remark;
  };
  bool check_depth();
  bool has_one_root();
  void settle_attributes(Ledger&, pugi::xml_node, const std::string& path, bool within, std::string_view remark) const;

  std::string name_, text_;
  Reporter report_;
  pugi::xml_document document_;
  bool good_ = false;
  std::vector<std::ptrdiff_t> lines_;  ///< where each begins
  std::unordered_map<const void*, Mark> marks_;
};

/// Numbers between blanks; nothing if the text holds something else, or a number that is not finite.
std::optional<std::vector<double>> numbers_in(std::string_view text);
/// Text in quotes for a message, cut if it is long, without bytes that are no printable ASCII.
std::string in_quotes(std::string_view text);
/// The tag of the outermost element of what may be XML; empty if it is none.
std::string_view root_tag(std::string_view bytes) noexcept;

}  // namespace polyform::importers
