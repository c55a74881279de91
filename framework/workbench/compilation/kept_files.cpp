#include "framework/workbench/compilation/kept_files.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "framework/checksum.hpp"
#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"

namespace polyform::host::inline compilation {

namespace fs = std::filesystem;

namespace {

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Failure(Exit::simulation_failed, fmt::format("cannot write {}", file.string()), "Is the disk full?");
}

}  // namespace

std::string digest_of(const std::string& text) {
  Checksum sum;
  sum.add(text);
  return fmt::format("{:016x}", sum.value());
}

fs::path compiled_folder() {
  const auto folder_of = [](const char* variable) -> fs::path {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value == '/' ? value : "";
  };
  if (const fs::path cache = folder_of("XDG_CACHE_HOME"); !cache.empty()) return cache / "polyform/compiled";
  if (const fs::path home = folder_of("HOME"); !home.empty()) return home / ".cache/polyform/compiled";
  return {};
}

KeptFile keep_compiled(const CompiledName& name, const std::string& source, const std::string& record,
                       const std::function<void(const WorkingFolder&)>& make) {
  const fs::path all = compiled_folder();
  if (all.empty())
    throw Failure(Exit::simulation_failed, "there is no folder to keep compiled models in: HOME is not set",
                  "Set XDG_CACHE_HOME to a folder.");
  const fs::path folder = all / digest_of(record + source);
  const std::string from = name.name + name.from, to = name.name + name.to;
  KeptFile result{folder / to};
  const auto is_kept = [&] {
    return file_content((folder / "record").string()) == record && file_content((folder / from).string()) == source &&
           file_content((folder / "sum").string()) == digest_of(file_content(result.file.string()).value_or(""));
  };
  result.kept = is_kept();
  if (result.kept) return result;
  const auto start = std::chrono::steady_clock::now();
  const WorkingFolder work(all);
  write_file(work.file(from), source);
  make(work);
  if (!fs::exists(work.file(to)))
    throw Failure(Exit::simulation_failed, fmt::format("the compiler ended well, but made no file {}", to),
                  "Is it a C++ compiler?");
  write_file(work.file("record"), record);
  write_file(work.file("sum"), digest_of(file_content(work.file(to).string()).value_or("")));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::error_code problem;
  fs::rename(work.path(), folder, problem);
  if (problem && !is_kept()) {
    // Something else stands there: what a process left that was ended, or a source with the same digest.
    fs::remove_all(folder, problem);
    fs::rename(work.path(), folder, problem);
  }
  if (problem && !is_kept())
    throw Failure(Exit::simulation_failed,
                  fmt::format("the compiled model cannot be kept in {}: {}", folder.string(), problem.message()));
  return result;
}

void run_compiler(const WorkingFolder& folder, const std::vector<std::string>& words, std::string_view variable) {
  const fs::path streams = folder.file("messages");
  const ProgramEnd end = run_program(words, streams);
  if (end.status != 0) {
    std::string_view told = end.printed;
    if (told.empty()) told = "it told nothing";
    throw Failure(Exit::simulation_failed,
                  fmt::format("{} could not compile the model (exit status {}):\n{}", words.front(), end.status,
                              told.substr(0, 1000)),
                  fmt::format("Another compiler may be named in {}.", variable));
  }
  fs::remove(streams);
}

}  // namespace polyform::host::inline compilation
