#include "apps/session/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/host/results/checksum.hpp"
#include "framework/original_process.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;
using Json = nlohmann::ordered_json;

namespace {

constexpr int format = 1;  // of the file

/// Visits all numbers of a snapshot by name, to write or to read them.
template <class Record, class Sums, class Visit>
void each_number(Record& record, Sums& sums, const Visit& visit) {
  visit("steps", record.steps);
  visit("rejected_steps", record.rejected_steps);
  visit("evaluations", record.evaluations);
  visit("stops", record.stops);
  visit("events", record.events);
  visit("wall_seconds", record.wall_seconds);
  visit("longest_step", record.longest_step);
  visit("passing_time", record.passing_time);
  visit("imbalance", record.imbalance);
  visit("imbalance_of", record.imbalance_of);
  visit("warnings", record.warnings);
  visit("conservative", sums.conservative);
  visit("rows", sums.rows);
  visit("first_balance", sums.first_balance);
  visit("first_potential", sums.first_potential);
  visit("terms", sums.terms);
  visit("possible", sums.possible);
  visit("drift", sums.drift);
  visit("kinetic", sums.kinetic);
  visit("exchange", sums.exchange);
  visit("work", sums.work);
  visit("violation", sums.violation);
  visit("position_residual", sums.correction.position_residual);
  visit("velocity_residual", sums.correction.velocity_residual);
  visit("iterations", sums.correction.iterations);
}

/// JSON has no infinity.
template <class T>
void take(const Json& from, T& number) {
  if constexpr (std::is_same_v<T, double>) {
    number = from.is_null() ? std::numeric_limits<double>::infinity() : from.get<double>();
  } else {
    from.get_to(number);
  }
}

Json json_of(const Checkpoint& run, const host::RunSnapshot& snapshot) {
  Json files = Json::array();
  for (const FileSum& file : run.files) files.push_back({{"path", file.path}, {"sum", file.sum}});
  Json told;
  each_number(snapshot.record, snapshot.sums, [&](const char* name, const auto& number) { told[name] = number; });
  const host::RunState& state = snapshot.state;
  return {{"polyform_checkpoint", format},
          {"version", POLYFORM_VERSION},
          {"folder", run.folder},
          {"words", run.words},
          {"solver", run.solver},
          {"files", std::move(files)},
          {"time", state.time},
          {"y", state.y},
          {"discrete", state.discrete},
          {"modes", state.modes},
          {"touching", state.touching},
          {"told", std::move(told)}};
}

[[noreturn]] void fail(const std::string& file, int reason) {
  throw Failure(Exit::simulation_failed, fmt::format("cannot write the checkpoint {}: {}", file, std::strerror(reason)),
                "The one before is kept. Free some space, or give another --checkpoint.");
}

std::string content_of(const std::string& file) {
  if (std::optional<std::string> content = host::file_content(file)) return *std::move(content);
  throw Failure(Exit::bad_input, fmt::format("cannot read {}", file), "Is it there, and may it be read?");
}

}  // namespace

std::vector<FileSum> sums_of(const std::vector<std::string>& paths) {
  std::vector<FileSum> sums;
  for (const std::string& path : paths) {
    host::Checksum sum;
    sum.add(content_of(path));
    sums.push_back({path, fmt::format("{:016x}", sum.value())});
  }
  return sums;
}

Checkpoint read_checkpoint(const std::string& file) {
  const Json json = Json::parse(content_of(file), nullptr, false);
  if (!json.is_object() || !json.contains("polyform_checkpoint"))
    throw Failure(Exit::bad_input, fmt::format("{} is no checkpoint", file),
                  "polyform run MODEL --checkpoint FILE writes one.");
  Checkpoint run;
  try {
    const std::string version = json.at("version");
    if (json.at("polyform_checkpoint") != format || version != POLYFORM_VERSION)
      throw Failure(Exit::bad_input, fmt::format("{} is a checkpoint of polyform {}, and this is {}", file, version,
                                                 POLYFORM_VERSION),
                    "Go on with that version, or begin the run anew.");
    json.at("folder").get_to(run.folder);
    json.at("words").get_to(run.words);
    json.at("solver").get_to(run.solver);
    for (const Json& one : json.at("files")) run.files.push_back({one.at("path"), one.at("sum")});
    host::RunState& state = run.snapshot.state;
    json.at("time").get_to(state.time);
    json.at("y").get_to(state.y);
    json.at("discrete").get_to(state.discrete);
    json.at("modes").get_to(state.modes);
    json.at("touching").get_to(state.touching);
    each_number(run.snapshot.record, run.snapshot.sums,
                [&, &told = json.at("told")](const char* name, auto& number) { take(told.at(name), number); });
  } catch (const Json::exception& problem) {
    throw Failure(Exit::bad_input, fmt::format("{} is damaged: {}", file, problem.what()), "Begin the run anew.");
  }
  return run;
}

CheckpointFile::CheckpointFile(std::string file, double every, Checkpoint run)
    : file_(std::filesystem::absolute(file).string()), every_(every), run_(std::move(run)) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
  if (!std::filesystem::is_directory(folder, ignored))
    throw Failure(Exit::bad_input, fmt::format("cannot write a checkpoint to {}: there is no folder {}", file,
                                               folder.string()),
                  "Make the folder, or give another --checkpoint.");
  if (std::filesystem::is_directory(file_, ignored))
    throw Failure(Exit::bad_input, fmt::format("cannot write a checkpoint to {}: it is a folder", file),
                  "Give the name of a file.");
  // A checkpoint takes the place of the file: of what a link leads to, and of nothing that is no file.
  if (std::filesystem::is_symlink(file_, ignored))
    file_ = std::filesystem::weakly_canonical(file_, ignored).string();
  if (std::filesystem::exists(file_, ignored) && !std::filesystem::is_regular_file(file_, ignored))
    throw Failure(Exit::bad_input, fmt::format("cannot write a checkpoint to {}: it is not a regular file", file),
                  "Give the name of a file.");
}

bool CheckpointFile::is_due() const { return Clock::now() - written_ >= every_; }

void CheckpointFile::write(const host::RunSnapshot& snapshot) {
  host::end_copies();
  const std::string text = json_of(run_, snapshot).dump() + "\n", fresh = file_ + ".new";
  const int descriptor = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(file_, errno);
  int reason = 0;
  for (std::size_t done = 0; done < text.size() && reason == 0;) {
    const ssize_t n = ::write(descriptor, text.data() + done, text.size() - done);
    if (n >= 0)
      done += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      reason = errno;
  }
  if (reason == 0 && ::fsync(descriptor) != 0) reason = errno;
  if (::close(descriptor) != 0 && reason == 0) reason = errno;
  if (reason == 0 && std::rename(fresh.c_str(), file_.c_str()) != 0) reason = errno;
  if (reason != 0) {
    ::unlink(fresh.c_str());
    fail(file_, reason);
  }
  written_ = Clock::now();
}

}  // namespace polyform::apps
