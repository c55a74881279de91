#include "apps/session/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/checksum.hpp"
#include "framework/host/results/output_file.hpp"
#include "framework/original_process.hpp"
#include "framework/workbench/comparison/run_text.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;
using Json = nlohmann::ordered_json;

namespace {

constexpr int format = 4;  // of the file

/// Calls visit(name, member) for every member.
template <class Sums, class Visit>
void each_sum(Sums& sums, const Visit& visit) {
  visit("conservative", sums.conservative);
  visit("rows", sums.rows);
  visit("first_balance", sums.first_balance);
  visit("first_potential", sums.first_potential);
  visit("terms", sums.terms);
  visit("possible", sums.possible);
  visit("lent", sums.lent);
  visit("passed", sums.passed);
  visit("passed_at_once", sums.passed_at_once);
  visit("first_time", sums.first_time);
  visit("nearest", sums.nearest);
  visit("last_time", sums.last_time);
  visit("last_passing", sums.last_passing);
  visit("drift", sums.drift);
  visit("kinetic", sums.kinetic);
  visit("exchange", sums.exchange);
  visit("work", sums.work);
  visit("violation", sums.violation);
  visit("jump_time", sums.jump.time);
  visit("jump", sums.jump.change);
  visit("steps", sums.steps);
  visit("position_residual", sums.correction.position_residual);
  visit("velocity_residual", sums.correction.velocity_residual);
  visit("iterations", sums.correction.iterations);
}

Json json_of(const Checkpoint& run, const host::RunSnapshot& snapshot) {
  Json files = Json::array();
  for (const FileSum& file : run.files) files.push_back({{"path", file.path}, {"sum", file.sum}});
  Json sums;
  each_sum(snapshot.sums, [&](const char* name, const auto& number) { sums[name] = number; });
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
          {"sums", std::move(sums)},
          {"record", host::to_text(snapshot.record)}};
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
  std::string record;
  const auto damaged = [&](std::string_view why) {
    return Failure(Exit::bad_input, fmt::format("{} is damaged: {}", file, why), "Begin the run anew.");
  };
  try {
    const std::string version = json.at("version");
    if (json.at("polyform_checkpoint") != format || version != POLYFORM_VERSION)
      throw Failure(Exit::bad_input,
                    fmt::format("{} is a checkpoint of polyform {}, and this is {}", file, version, POLYFORM_VERSION),
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
    const Json& sums = json.at("sums");
    each_sum(run.snapshot.sums, [&](const char* name, auto& number) { sums.at(name).get_to(number); });
    json.at("record").get_to(record);
  } catch (const Json::exception& problem) {
    throw damaged(problem.what());
  }
  try {
    run.snapshot.record = host::run_from_text(record);
  } catch (const Failure& problem) {
    throw damaged(problem.message());
  }
  return run;
}

CheckpointFile::CheckpointFile(std::string file, double every, Checkpoint run)
    : file_(std::filesystem::absolute(file).string()), every_(every), run_(std::move(run)) {
  const host::OutputFile can_be_written(file, "--checkpoint");  // and vanishes again
  // A checkpoint takes the place of the file, of a link that of the file which it leads to.
  std::error_code ignored;
  if (std::filesystem::is_symlink(file_, ignored)) file_ = std::filesystem::weakly_canonical(file_, ignored).string();
  try {
    json_of(run_, {}).dump();
  } catch (const Json::exception&) {
    throw Failure(Exit::bad_input, "a checkpoint cannot keep names of files or arguments that are not UTF-8",
                  "Rename the files, or leave out --checkpoint.");
  }
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
