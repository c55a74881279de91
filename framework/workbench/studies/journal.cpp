#include "framework/workbench/studies/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "framework/checksum.hpp"
#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/file_identity.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/workbench/studies/varied_model.hpp"

namespace polyform::host::inline studies {

namespace {

using Json = nlohmann::ordered_json;
constexpr const char *mark = "polyform_study", *units_key = "units", *factor_units_key = "factor units";
constexpr std::string_view file_entry = "file ", plugin_entry = "plugin ";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Failure(Exit::bad_input, fmt::format("{}: {}", path, why),
                "It is no journal of a study. Remove it, and begin the study anew without --resume.");
}

/// The record of the first line, and the units of the columns.
StudyRecord record_of(const std::string& path, std::string_view line, StudyTable& table) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains(mark)) refuse(path, "its first line holds no record");
  StudyRecord record;
  for (const auto& [name, value] : object.items())
    if (value.is_string()) record.emplace_back(name, value.get<std::string>());
  const auto take = [&](const char* key, std::vector<std::string>& units) {
    if (const auto found = object.find(key); found != object.end() && found->is_array())
      for (const Json& unit : *found) units.push_back(unit.is_string() ? unit.get<std::string>() : "");
  };
  take(units_key, table.units);
  take(factor_units_key, table.factor_units);
  return record;
}

/// Cuts the first line off; nothing if it has no end.
bool next_line(std::string_view& text, std::string_view& line) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

/// Size and checksum of a file; nothing if it cannot be read.
std::optional<std::string> content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  Checksum sum;
  std::uintmax_t size = 0;
  for (std::array<char, 1 << 16> block; stream.read(block.data(), block.size()), stream.gcount() > 0;) {
    const auto count = static_cast<std::size_t>(stream.gcount());
    sum.add({block.data(), count});
    size += count;
  }
  if (!stream.eof()) return std::nullopt;
  return fmt::format("{} bytes, checksum {:016x}", size, sum.value());
}

/// What an entry of a plugin tells before its content: "1.0 for x86-64-v3".
constexpr std::string_view before_instructions = " for ";
struct Build {
  explicit Build(std::string_view entry)
      : version(entry.substr(0, entry.rfind(before_instructions))),
        instructions(entry.substr(version.size(), entry.find(',', version.size()) - version.size())) {}
  std::string_view version, instructions;
};
bool are_builds_of_one(std::string_view before, std::string_view now) {
  const Build first(before), second(now);
  return first.version == second.version && first.instructions != second.instructions;
}

}  // namespace

const std::string* find(const StudyRecord& record, std::string_view name) {
  for (const auto& [known, text] : record)
    if (known == name) return &text;
  return nullptr;
}

void add_files(const std::vector<std::string>& files, const std::string& model, StudyRecord& record) {
  const std::filesystem::path folder = std::filesystem::path(model).parent_path();
  const FileIdentity itself(model);
  for (const std::string& file : files) {
    if (itself.same_as(FileIdentity(file))) continue;
    const std::optional<std::string> content = content_of(file);
    if (!content) continue;
    const std::string path = std::filesystem::path(file).lexically_proximate(folder).generic_string();
    record.emplace_back(fmt::format("{}{}", file_entry, path), *content);
  }
}

void add_plugins(std::span<const PluginRecord* const> plugins, StudyRecord& record) {
  for (const PluginRecord* const plugin : plugins)
    record.emplace_back(fmt::format("{}{}", plugin_entry, plugin->name),
                        fmt::format("{}{}{}, {}", plugin->version, before_instructions, plugin->instruction_set,
                                    content_of(plugin->file).value_or("not there any more")));
}

std::string difference(const StudyRecord& before, const StudyRecord& now,
                       std::initializer_list<std::string_view> ignored) {
  const auto is_ignored = [&](const std::string& name) { return std::ranges::find(ignored, name) != ignored.end(); };
  for (const auto& [name, text] : now) {
    const std::string* const old = find(before, name);
    if (is_ignored(name) || (old != nullptr && *old == text)) continue;
    if (old == nullptr) return fmt::format("{} is new", name);
    if (name == "model") {
      const std::string what = first_difference(*old, text);
      if (what.empty()) continue;  // comments or spaces alone
      return "the model has changed: " + what;
    }
    if (name.starts_with(file_entry))
      return fmt::format("the file {} has changed", show(name.substr(file_entry.size())));
    if (name.starts_with(plugin_entry)) {
      if (are_builds_of_one(*old, text)) continue;
      return fmt::format("the plugin {} is another one: it was {}, and is {}", show(name.substr(plugin_entry.size())),
                         *old, text);
    }
    return fmt::format("{} was {} and is {}", name, show(*old), show(text));
  }
  for (const auto& [name, text] : before)
    if (!is_ignored(name) && find(now, name) == nullptr) return fmt::format("{} is gone", name);
  return {};
}

std::string other_build(const StudyRecord& before, const StudyRecord& now) {
  for (const auto& [name, text] : now)
    if (const std::string* const old = find(before, name);
        name.starts_with(plugin_entry) && old != nullptr && are_builds_of_one(*old, text))
      return name.substr(plugin_entry.size());
  return {};
}

Journal::Journal(const std::string& path, const StudyRecord& record, const StudyTable& table) : path_(path + ".new") {
  const auto refuse_path = [&] {
    throw Failure(Exit::bad_input, fmt::format("cannot write the journal {}: {}", path, std::strerror(errno)),
                  "It stands beside the table; give an --output in a folder you may write to.");
  };
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse_path();
  Json object = {{mark, 1}};
  for (const auto& [name, text] : record) object[name] = text;
  object[units_key] = table.units;
  object[factor_units_key] = table.factor_units;
  write(object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n' + header_line(table));
  add(table.rows);
  if (::rename(path_.c_str(), path.c_str()) != 0) refuse_path();
  path_ = path;
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::add(std::span<const CaseRow> rows) {
  std::string lines;
  for (const CaseRow& row : rows) lines += row_line(row);
  write(lines);
}

void Journal::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to_write(path_, errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool JournalContent::unfinished() const {
  const std::string* const cases = find(record, "cases");
  return cases == nullptr || *cases != fmt::format("{}", table.rows.size());
}

bool has_journal(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

JournalContent read_journal(const std::string& path) {
  const std::optional<std::string> content = file_content(path);
  if (!content || content->empty()) refuse(path, "it cannot be read");
  std::string_view text = *content, line;
  if (!next_line(text, line)) refuse(path, "it has no whole line");
  JournalContent journal;
  journal.record = record_of(path, line, journal.table);
  if (!next_line(text, line)) refuse(path, "it has no header");
  std::vector<std::string> fields = fields_of(line);
  const std::size_t quantities = journal.table.units.size();
  if (fields.size() < quantities + 3) refuse(path, "its header is not that of a table");
  const auto middle = fields.end() - 2 - static_cast<std::ptrdiff_t>(quantities);
  journal.table.factors.assign(fields.begin() + 1, middle);
  journal.table.quantities.assign(middle, fields.end() - 2);
  for (std::size_t number = 3; next_line(text, line); ++number)
    if (!read_row(fields_of(line), journal.table.factors.size(), quantities, journal.table.rows.emplace_back()))
      refuse(path, fmt::format("line {} is no row of the table", number));
  return journal;
}

}  // namespace polyform::host::inline studies
