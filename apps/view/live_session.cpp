#include "apps/view/live_session.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace polyform::apps {

namespace {

using Message = nlohmann::json;

/// How often the file is looked at.
constexpr std::chrono::milliseconds look_every{150};
/// Bytes of rows that are kept for pages which are opened later; of longer runs these see the last part.
constexpr std::size_t most_kept = 16u << 20;

}  // namespace

LiveSession::LiveSession(boost::asio::io_context& io, Session& session, LiveRequest request,
                         std::function<void(std::string_view)> send)
    : io_(io),
      session_(session),
      request_(std::move(request)),
      send_(std::move(send)),
      timer_(io),
      typed_(request_.model.set) {}

LiveSession::Stamp LiveSession::stamp() const {
  std::error_code gone;
  Stamp now{std::filesystem::last_write_time(request_.model.file, gone), 0};
  if (gone) return {};
  now.size = std::filesystem::file_size(request_.model.file, gone);
  return now;
}

void LiveSession::start() {
  seen_ = stamp();
  restart();
  follow_file();
}

void LiveSession::stop() {
  timer_.cancel();
  if (process_) process_->stop();
  process_.reset();
}

/// A change counts when the file has rested for one look, so that no half of a file is read.
void LiveSession::follow_file() {
  timer_.expires_after(look_every);
  timer_.async_wait([this](boost::system::error_code cancelled) {
    if (cancelled) return;
    const Stamp now = stamp();
    if (now != seen_) {
      seen_ = now;
      is_changing_ = true;
    } else if (is_changing_) {
      is_changing_ = false;
      restart();
    }
    follow_file();
  });
}

void LiveSession::restart() {
  if (process_) process_->stop();
  request_.model.set = typed_;
  for (const auto& [name, value] : parameters_) {
    const std::string path = fmt::format("parameters.{}", name);
    std::erase_if(request_.model.set, [&](const std::string& text) { return text.starts_with(path + "="); });
    request_.model.set.push_back(fmt::format("{}={}", path, value));
  }
  send_(R"(J{"type":"start"})");
  state_.clear();
  try {
    process_ = LiveProcess::start(io_, request_, session_,
                                  {[this](std::string_view message) { hear(message); },
                                   [this](const std::string& problem) {
                                     if (problem.empty()) return;
                                     hear("J" + Message{{"type", "end"},
                                                        {"status", "failed"},
                                                        {"failure", problem},
                                                        {"remedy", "polyform run names the cause."},
                                                        {"warnings", Message::array()}}
                                                    .dump(-1, ' ', false, Message::error_handler_t::replace));
                                   }});
  } catch (const host::Failure& failure) {
    hear("J" + Message{{"type", "end"}, {"status", "failed"}, {"failure", failure.message()}, {"remedy", ""}}.dump());
  }
}

void LiveSession::hear(std::string_view message) {
  if (message.starts_with(R"(J{"type":"model")")) {
    model_ = message;
    rows_.clear();
    kept_ = 0;
  } else if (message.starts_with('J')) {
    state_ = message;
  } else {
    rows_.emplace_back(message);
    kept_ += message.size();
    for (; kept_ > most_kept; rows_.pop_front()) kept_ -= rows_.front().size();
  }
  send_(message);
}

std::vector<std::string> LiveSession::so_far() const {
  std::vector<std::string> out;
  if (!model_.empty()) out.push_back(model_);
  out.insert(out.end(), rows_.begin(), rows_.end());
  if (!state_.empty()) out.push_back(state_);
  return out;
}

void LiveSession::hold(bool held) {
  if (process_) process_->hold(held);
}

bool LiveSession::take(std::string_view text) {
  const Message said = Message::parse(text, nullptr, false);
  if (!said.is_object() || !said.contains("do") || !said["do"].is_string()) return false;
  const std::string what = said["do"];
  const Message value = said.value("value", Message());
  if (what == "restart") {
    restart();
    return true;
  }
  if (what == "reset") {
    parameters_.clear();
    restart();
    return true;
  }
  if (what == "set") {
    if (!value.is_number() || !std::isfinite(value.get<double>())) return false;
    if (!said.contains("name") || !said["name"].is_string()) return false;
    const std::string name = said["name"];
    if (name.empty() || name.find_first_of(".=[]") != std::string::npos) return false;
    parameters_[name] = value.get<double>();
    restart();
    return true;
  }
  if (what == "pause" && value.is_boolean())
    request_.paused = value.get<bool>();
  else if (what == "speed" && (value.is_null() || (value.is_number() && value.get<double>() > 0)))
    request_.speed = value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
  else if (what != "push" && what != "release")
    return false;
  if (process_) process_->command(said.dump());
  return true;
}

}  // namespace polyform::apps
