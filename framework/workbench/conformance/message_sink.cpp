#include "framework/workbench/conformance/message_sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "framework/used_time.hpp"

namespace polyform::host::inline conformance {

namespace {

using Json = nlohmann::json;

// For the handler, which takes no argument.
const Messenger* messenger = nullptr;
double memory_at_start = 0;   ///< bytes
std::int64_t check_ends = 0;  ///< in used_milliseconds()

/// The second number of /proc/self/statm in bytes, by what a signal handler may call.
double resident_memory() {
  char text[128]{};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t read = ::read(file, text, sizeof text - 1);
  ::close(file);
  const std::string_view line(text, read > 0 ? static_cast<std::size_t>(read) : 0);
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  return std::strtod(text + space, nullptr) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void end_late(int) {
  if (const std::int64_t left = check_ends - used_milliseconds(); left > 0)
    return set_alarm(1e-3 * static_cast<double>(left));
  char text[64];
  const auto written = fmt::format_to_n(text, sizeof text, R"({{"late":{:.0f}}})", resident_memory() - memory_at_start);
  messenger->send(std::string_view(text, written.size));
  ::_exit(1);
}

/// Lets a check take so much time from now on.
void allow(double seconds) {
  check_ends = used_milliseconds() + static_cast<std::int64_t>(1e3 * seconds);
  set_alarm(seconds);
}

void say(const Messenger& to, const Json& message) {
  to.send(message.dump(-1, ' ', true, Json::error_handler_t::replace));
}

Claim claim_of(const Json& line) {
  return {line["kind"],
          line["type"],
          line["name"],
          static_cast<Verdict>(line["verdict"].get<int>()),
          std::stod(line["measured"].get<std::string>()),
          line["tolerance"],
          line["finding"],
          line["remedy"],
          line["model"]};
}

}  // namespace

MessageSink::MessageSink(const Messenger& to, std::size_t known, double seconds)
    : to_(to), known_(known), seconds_(seconds) {
  messenger = &to;
  memory_at_start = resident_memory();
  std::signal(SIGALRM, end_late);
}

bool MessageSink::begin(std::string_view name) {
  const bool wanted = known_ == 0;
  if (!wanted) --known_;
  set_alarm(0);  // an alarm must not cut a message in two
  if (wanted) say(to_, {{"begin", name}});
  allow(seconds_);
  return wanted;
}

void MessageSink::add(const Claim& c) {
  set_alarm(0);
  say(to_, {{"kind", c.kind},
            {"type", c.type},
            {"name", c.name},
            {"verdict", static_cast<int>(c.verdict)},
            {"measured", fmt::format("{}", c.measured)},
            {"tolerance", c.tolerance},
            {"finding", c.finding},
            {"remedy", c.remedy},
            {"model", c.model}});
  allow(seconds_);
}

void MessageSink::in_model(const std::string& text) {
  const std::int64_t ends = check_ends;
  set_alarm(0);
  say(to_, {{"in", text}});
  check_ends = ends;
  set_alarm(std::max(1e-3, 1e-3 * static_cast<double>(ends - used_milliseconds())));
}

BatteryMessage read_message(std::string_view text) {
  const Json message = Json::parse(text);
  if (message.contains("begin")) return {.begun = message["begin"].get<std::string>()};
  if (message.contains("in")) return {.model = message["in"].get<std::string>()};
  if (message.contains("late")) return {.late = message["late"].get<double>()};
  return {.claim = claim_of(message)};
}

}  // namespace polyform::host::conformance
