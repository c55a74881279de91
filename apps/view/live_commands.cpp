#include "apps/view/live_commands.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace polyform::apps {

namespace {

std::optional<Vec3> vector_of(const nlohmann::json& from, const char* key) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_array() || found->size() != 3) return std::nullopt;
  Vec3 out;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(*found)[i].is_number()) return std::nullopt;
    out[i] = (*found)[i].get<double>();
    if (!std::isfinite(out[i])) return std::nullopt;
  }
  return out;
}

}  // namespace

void LiveCommands::begin_pace(double time) {
  base_time_ = time;
  base_ = Clock::now();
}

void LiveCommands::obey(const std::string& line) {
  const nlohmann::json said = nlohmann::json::parse(line, nullptr, false);
  if (!said.is_object() || !said.contains("do") || !said["do"].is_string()) return;
  const std::string what = said["do"];
  const nlohmann::json value = said.value("value", nlohmann::json());
  if (what == "pause" && value.is_boolean()) {
    paused_ = value.get<bool>();
    begin_pace(reached_);
  } else if (what == "speed" && (value.is_null() || (value.is_number() && value.get<double>() > 0))) {
    speed_ = value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
    begin_pace(reached_);
  } else if (what == "release") {
    push_ = {};
  } else if (what == "push" && said.contains("body") && said["body"].is_number_unsigned()) {
    const auto point = vector_of(said, "point"), force = vector_of(said, "force");
    if (point && force) push_ = {said["body"].get<std::size_t>(), *point, *force};
  }
}

/// Takes what comes within so many milliseconds; -1: waits. False at the end of the socket.
bool LiveCommands::take(int milliseconds) {
  pollfd waiting{socket_, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, milliseconds);
  if (ready <= 0) return ready == 0 || errno == EINTR;
  char block[4096];
  const ssize_t n = ::recv(socket_, block, sizeof block, 0);
  if (n == 0) return false;
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  text_.append(block, static_cast<std::size_t>(n));
  for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
    obey(text_.substr(0, end));
    text_.erase(0, end + 1);
  }
  return true;
}

bool LiveCommands::keep_pace(double time) {
  reached_ = time;
  if (!is_begun_) begin_pace(time);
  is_begun_ = true;
  // One look at least, so that a run that cannot keep the pace hears commands too.
  if (!take(0)) return false;
  for (;;) {
    if (paused_) {
      if (!take(-1)) return false;
      continue;
    }
    const double due = (time - base_time_) / speed_;
    const double left = due - std::chrono::duration<double>(Clock::now() - base_).count();
    if (left <= 0) break;
    constexpr double longest = 1;  // s
    if (!take(std::max(1, static_cast<int>(1000 * std::min(left, longest))))) return false;
  }
  // Time that was lost is not caught up: the run would jump.
  constexpr double late = 0.25;  // s
  if (std::chrono::duration<double>(Clock::now() - base_).count() - (time - base_time_) / speed_ > late)
    begin_pace(time);
  return true;
}

}  // namespace polyform::apps
