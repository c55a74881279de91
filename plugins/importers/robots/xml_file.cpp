#include "xml_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace polyform::importers {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Tags from the outermost element's children on; a tag within one of the same tag counts once.
std::string extended(const std::string& path, std::string_view tag) {
  const std::size_t last = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  if (path.substr(last) == tag) return path;
  return path.empty() ? std::string(tag) : path + "/" + std::string(tag);
}

}  // namespace

std::optional<std::vector<double>> numbers_in(std::string_view text) {
  std::vector<double> all;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return all;
    if (*at == '+') ++at;
    double value = 0;
    const auto [after, problem] = std::from_chars(at, end, value);
    // A number too small for a double is zero to every tool of these formats.
    const bool tiny =
        problem == std::errc::result_out_of_range &&
        std::string_view(at, static_cast<std::size_t>(after - at)).find_first_of("eE") != std::string_view::npos &&
        std::string_view(at, static_cast<std::size_t>(after - at)).find("-", 1) != std::string_view::npos;
    if (problem != std::errc() && !tiny) return std::nullopt;
    if (!std::isfinite(value) || (after != end && !is_blank(*after))) return std::nullopt;
    all.push_back(value);
    at = after;
  }
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string out = "'";
  for (const char c : text.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > most ? "…'" : "'");
}

std::string_view root_tag(std::string_view bytes) noexcept {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  for (;;) {
    while (!bytes.empty() && is_blank(bytes.front())) bytes.remove_prefix(1);
    std::string_view ending;
    if (bytes.starts_with("<!--")) {
      ending = "-->";
    } else if (bytes.starts_with("<?")) {
      ending = "?>";
    } else if (bytes.starts_with("<!")) {
      ending = ">";
    } else {
      break;
    }
    const std::size_t end = bytes.find(ending);
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + ending.size());
  }
  if (!bytes.starts_with('<')) return {};
  bytes.remove_prefix(1);
  return bytes.substr(0, bytes.find_first_of(" \t\r\n/>"));
}

// Element.

Place Element::place() const { return file_->place(node_.offset_debug() - 1); }
Reporter& Element::report() const { return file_->report(); }

Element Element::child(const char* tag) const {
  const Element found(node_.child(tag), *file_);
  if (found && !file_->is_marked(found.node_.internal_object())) found.mark(Treatment::honoured);
  return found;
}

std::vector<Element> Element::children(const char* tag) const {
  std::vector<Element> found;
  for (const pugi::xml_node node : node_.children(tag)) {
    found.emplace_back(node, *file_);
    if (!file_->is_marked(node.internal_object())) found.back().mark(Treatment::honoured);
  }
  return found;
}

std::vector<Element> Element::all() const {
  std::vector<Element> found;
  for (const pugi::xml_node node : node_.children())
    if (node.type() == pugi::node_element) found.emplace_back(node, *file_);
  return found;
}

std::optional<std::string> Element::text(const char* attribute) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  if (!found) return std::nullopt;
  if (!file_->is_marked(found.internal_object())) mark(attribute, Treatment::honoured);
  return found.value();
}

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string Element::content() const { return std::string(trimmed(node_.child_value())); }

Place Element::place_of(const char* attribute) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  return found ? file_->place(found.name()) : place();
}

namespace {

std::optional<std::vector<double>> checked(const std::string& text, std::size_t count, const std::string& whose,
                                           Place place, Reporter& report) {
  std::optional<std::vector<double>> all = numbers_in(text);
  if (all && (count == 0 || all->size() == count)) return all;
  report.error(place, all ? fmt::format("{} holds {} number{}, expected {}", whose, all->size(),
                                        all->size() == 1 ? "" : "s", count)
                          : fmt::format("{} is {}, expected {}", whose, in_quotes(text),
                                        count == 1 ? "a finite number" : "finite numbers with blanks between them"));
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<double>> Element::numbers(const char* attribute, std::size_t count) const {
  const std::optional<std::string> given = text(attribute);
  if (!given) return std::nullopt;
  return checked(*given, count, fmt::format("`{}` of <{}>", attribute, tag()), place_of(attribute), report());
}

std::optional<double> Element::number(const char* attribute) const {
  const auto all = numbers(attribute, 1);
  return all ? std::optional(all->front()) : std::nullopt;
}

std::optional<Vec3> Element::vector(const char* attribute) const {
  const auto all = numbers(attribute, 3);
  return all ? std::optional(Vec3{(*all)[0], (*all)[1], (*all)[2]}) : std::nullopt;
}

std::optional<std::string> Element::word(const char* attribute, std::initializer_list<std::string_view> known) const {
  std::optional<std::string> given = text(attribute);
  if (!given || std::ranges::find(known, *given) != known.end()) return given;
  std::string all;
  for (const std::string_view word : known) all += fmt::format("{}{}", all.empty() ? "" : ", ", word);
  report().error(place_of(attribute),
                 fmt::format("`{}` of <{}> is {}, expected one of: {}", attribute, tag(), in_quotes(*given), all));
  return std::nullopt;
}

bool Element::truth(const char* attribute, bool otherwise) const {
  const std::optional<std::string> given = word(attribute, {"true", "false"});
  return given ? *given == "true" : otherwise;
}

std::optional<std::vector<double>> Element::content_numbers(std::size_t count) const {
  if (!node_) return std::nullopt;
  return checked(content(), count, fmt::format("<{}>", tag()), place(), report());
}

std::optional<double> Element::content_number() const {
  const auto all = content_numbers(1);
  return all ? std::optional(all->front()) : std::nullopt;
}

void Element::mark(Treatment treatment, std::string_view remark) const {
  if (node_) file_->mark(node_.internal_object(), treatment, remark);
}

void Element::mark(const char* attribute, Treatment treatment, std::string_view remark) const {
  if (const pugi::xml_attribute found = node_.attribute(attribute))
    file_->mark(found.internal_object(), treatment, remark);
}

void Element::mark_all(Treatment treatment, std::string_view remark) const {
  mark(treatment, remark);
  for (const pugi::xml_attribute a : node_.attributes()) file_->mark(a.internal_object(), treatment, remark);
  for (const Element& inner : all()) inner.mark_all(treatment, remark);
}

void Element::drop(std::string_view remark) const {
  mark_all(Treatment::kept_back);
  mark(Treatment::not_honoured, remark);
}

// XmlFile.

XmlFile::XmlFile(std::string bytes, std::string_view name, DiagnosticSink& sink)
    : name_(name), text_(std::move(bytes)), report_(sink, name) {
  lines_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(static_cast<std::ptrdiff_t>(i) + 1);
  if (const std::size_t zero = text_.find('\0'); zero != std::string::npos) {
    report_.error(place(static_cast<std::ptrdiff_t>(zero)), "the file holds a byte that is zero: it is no XML text",
                  "Check that this is the file that you mean.");
    return;
  }
  const pugi::xml_parse_result result =
      document_.load_buffer_inplace(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (result.status != pugi::status_ok) {
    report_.error(place(result.offset), fmt::format("the XML is malformed: {}", result.description()),
                  "A tag that does not close, or a file that is cut short, are usual causes.");
    return;
  }
  good_ = check_depth() && has_one_root();
}

/// The parser takes a second outermost element, which XML does not have; readers would pass it over.
bool XmlFile::has_one_root() {
  const pugi::xml_node first = document_.document_element();
  for (pugi::xml_node node = first.next_sibling(); node; node = node.next_sibling()) {
    if (node.type() != pugi::node_element) continue;
    report_.error(place(node.offset_debug() - 1),
                  fmt::format("the XML is malformed: <{}> stands behind the end of <{}>, which holds the whole file",
                              node.name(), first.name()),
                  "Put it within that element, or into a file of its own.");
    return false;
  }
  return true;
}

/// Whoever goes through the tree calls itself for each level.
bool XmlFile::check_depth() {
  int level = 0;
  for (pugi::xml_node node = document_.first_child(); node;) {
    if (node.first_child()) {
      if (++level > most_levels) {
        report_.error(place(node.offset_debug() - 1),
                      fmt::format("elements are nested deeper than {} levels", most_levels),
                      "Check what wrote this file.");
        return false;
      }
      node = node.first_child();
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --level;
    }
    node = node ? node.next_sibling() : node;
  }
  return true;
}

Element XmlFile::root() {
  if (!good_) return {};
  const Element found(document_.document_element(), *this);
  if (found)
    found.mark(Treatment::honoured);
  else
    report_.error({1, 1}, "the file has no element", "Check that this is the file that you mean.");
  return found;
}

Place XmlFile::place(std::ptrdiff_t offset) const {
  offset = std::max<std::ptrdiff_t>(offset, 0);
  const auto after = std::ranges::upper_bound(lines_, offset);
  return {static_cast<int>(after - lines_.begin()), static_cast<int>(offset - *(after - 1)) + 1};
}

Place XmlFile::place(const char* in_text) const { return place(in_text - text_.data()); }

void XmlFile::mark(const void* object, Treatment treatment, std::string_view remark) {
  marks_[object] = {treatment, std::string(remark)};
}

void XmlFile::settle_attributes(Ledger& ledger, pugi::xml_node node, const std::string& path, bool within,
                                std::string_view remark) const {
  for (const pugi::xml_attribute a : node.attributes()) {
    const auto found = marks_.find(a.internal_object());
    const bool known = found != marks_.end();
    // What has been read of something that is not honoured after all has no effect.
    const Treatment treatment = within  ? Treatment::kept_back
                                : known ? found->second.treatment
                                        : Treatment::not_honoured;
    ledger.add(treatment, path + "@" + a.name(), known && !found->second.remark.empty() ? found->second.remark : remark,
               place(a.name()));
  }
}

void XmlFile::each_value(const std::function<void(std::string_view)>& use) const {
  if (!good_) return;
  std::vector<pugi::xml_node> todo{document_.document_element()};
  while (!todo.empty()) {
    const pugi::xml_node node = todo.back();
    todo.pop_back();
    for (const pugi::xml_attribute a : node.attributes()) use(a.value());
    for (const pugi::xml_node child : node.children()) {
      if (child.type() == pugi::node_element) todo.push_back(child);
      if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) use(trimmed(child.value()));
    }
  }
}

void XmlFile::settle(Ledger& ledger, std::string_view remark) const {
  struct Level {
    pugi::xml_node node;
    std::string path;
    bool within;
  };
  if (!good_) return;
  const pugi::xml_node root = document_.document_element();
  std::vector<Level> todo;
  ledger.add(Treatment::honoured, root.name(), "", place(root.offset_debug() - 1));
  settle_attributes(ledger, root, root.name(), false, remark);
  const auto push_children = [&](pugi::xml_node node, const std::string& path, bool within) {
    for (pugi::xml_node child = node.last_child(); child; child = child.previous_sibling())
      if (child.type() == pugi::node_element) todo.push_back({child, extended(path, child.name()), within});
  };
  push_children(root, "", false);
  while (!todo.empty()) {
    const Level level = std::move(todo.back());
    todo.pop_back();
    const auto found = marks_.find(level.node.internal_object());
    const bool known = found != marks_.end();
    const Treatment treatment = level.within ? Treatment::kept_back
                                : known      ? found->second.treatment
                                             : Treatment::not_honoured;
    ledger.add(treatment, level.path, known && !found->second.remark.empty() ? found->second.remark : remark,
               place(level.node.offset_debug() - 1));
    const bool within = level.within || treatment == Treatment::not_honoured;
    settle_attributes(ledger, level.node, level.path, within, remark);
    push_children(level.node, level.path, within);
  }
}

}  // namespace polyform::importers
