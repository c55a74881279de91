#include "framework/host/reading/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "framework/files_read.hpp"
#include "framework/host/reading/document.hpp"

namespace polyform::host::inline reading {

namespace {

struct Close {
  void operator()(std::FILE* f) const noexcept { std::fclose(f); }
};

bool report_too_large(Report& report) {
  report.error({}, {}, fmt::format("the file has more than {} MiB, the most that is read", DocumentLimits::bytes >> 20),
               "Check that this is the model file; use chains for systems of many like bodies.");
  return false;
}

bool check(const std::string& file, Report& report) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) {
    report.error({}, {}, "there is no such file", remedy_for_missing(file, {".yaml", ".yml", ".json"}));
    return false;
  }
  if (error) {
    report.error({}, {}, fmt::format("the file cannot be reached: {}", error.message()),
                 "Check the path and its permissions.");
    return false;
  }
  if (fs::is_directory(status)) {
    report.error({}, {}, "this is a directory, expected a model file", "Name the file within it, such as model.yaml.");
    return false;
  }
  if (fs::is_regular_file(status) && fs::file_size(file, error) > DocumentLimits::bytes && !error)
    return report_too_large(report);
  return true;
}

}  // namespace

std::string named_path(const std::string& name, const Report& of_value, const std::string& model) {
  namespace fs = std::filesystem;
  const auto from = [&](const fs::path& file) { return file.parent_path() / name; };
  const fs::path beside = from(std::string(of_value.file_name())), of_model = from(model);
  std::error_code ignored;
  return (!fs::exists(beside, ignored) && fs::exists(of_model, ignored) ? of_model : beside).string();
}

std::string_view place_of_named(const Report& of_value, const std::string& model) {
  return of_value.file_name() == model ? "It is named from the folder of the model."
                                       : "It is named from the folder of the file that names it, or from the model's.";
}

std::string remedy_for_missing(const std::filesystem::path& file, std::initializer_list<std::string_view> extensions) {
  namespace fs = std::filesystem;
  constexpr std::string_view check_path = "Check the path; it is relative to the working directory.";
  std::error_code ignored;
  std::vector<std::string> names;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  constexpr std::size_t most_compared = 1000;
  for (fs::directory_iterator i(folder, ignored), end; !ignored && i != end && names.size() < most_compared;
       i.increment(ignored)) {
    const std::string extension = i->path().extension().string();
    if (std::ranges::find(extensions, extension) == extensions.end() || !i->is_regular_file(ignored)) continue;
    names.push_back(i->path().filename().string());
    if (i->path().stem() == file.filename() || i->path().stem() == file.stem())
      return fmt::format("Did you mean {}? {}", show(names.back()), check_path);
  }
  return did_you_mean(file.filename().string(), {names.begin(), names.end()}).append(check_path);
}

std::optional<std::string> read_source(const std::string& file, Report& report) {
  if (file.find('\0') != std::string::npos || file.empty()) {
    report.error({}, {}, "this is no file name", "Name a model file.");
    return std::nullopt;
  }
  if (!check(file, report)) return std::nullopt;
  note_read_file(file);
  const std::unique_ptr<std::FILE, Close> stream(std::fopen(file.c_str(), "rb"));
  std::string text;
  char block[1 << 16];
  std::size_t n = 0;
  // A pipe or device has no size to check beforehand.
  while (stream && text.size() <= DocumentLimits::bytes && (n = std::fread(block, 1, sizeof block, stream.get())) > 0)
    text.append(block, n);
  if (!stream || std::ferror(stream.get())) {
    report.error({}, {}, fmt::format("the file cannot be read: {}", std::strerror(errno)), "Check its permissions.");
    return std::nullopt;
  }
  if (text.size() > DocumentLimits::bytes) {
    report_too_large(report);
    return std::nullopt;
  }
  return text;
}

}  // namespace polyform::host::reading
