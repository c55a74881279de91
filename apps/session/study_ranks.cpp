#include "apps/session/study_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "framework/diagnostics.hpp"

namespace polyform::apps {

namespace {

// The first byte of a message: a rank wants cases, has an outcome, or cannot take part; it gets cases, or none any
// more.
constexpr char want = 'w', outcome = 'o', leave = 'l', cases = 'c', end = 'e';
constexpr std::size_t most_at_once = 256;  ///< as many as a process does
/// Time between looks for messages, short compared with most cases.
constexpr std::chrono::microseconds pause{200};

Ranks::Message wait_for(Ranks& ranks) {
  for (;;) {
    if (auto message = ranks.receive()) return *std::move(message);
    std::this_thread::sleep_for(pause);
  }
}

std::string cases_message(const std::size_t* first, std::size_t count) {
  return cases + std::string(reinterpret_cast<const char*>(first), count * sizeof *first);
}

}  // namespace

bool hand_out_cases(Ranks& ranks, const std::vector<std::size_t>& numbers,
                    const std::function<void(host::CaseOutcome)>& take, const volatile std::sig_atomic_t* interrupted) {
  const auto workers = static_cast<std::size_t>(ranks.size() - 1);
  // Small towards the end, so that all ranks end together.
  const auto share = [&](std::size_t left) { return std::clamp<std::size_t>(left / (4 * workers), 1, most_at_once); };
  std::size_t next = 0, taken = 0;
  std::string reason;
  for (int at_work = ranks.size() - 1; at_work > 0;) {
    const Ranks::Message message = wait_for(ranks);
    if (message.bytes.front() == outcome) {
      take(host::unpack_outcome(std::string_view(message.bytes).substr(1)));
      ++taken;
      continue;
    }
    if (message.bytes.front() == leave) {
      reason = fmt::format("rank {} could not take part: {}", message.from, message.bytes.substr(1));
      --at_work;
      continue;
    }
    const std::size_t left = *interrupted != 0 ? 0 : numbers.size() - next;
    if (left == 0) {
      ranks.send(message.from, std::string(1, end));
      --at_work;
      continue;
    }
    const std::size_t count = std::min(left, share(left));
    ranks.send(message.from, cases_message(numbers.data() + next, count));
    next += count;
  }
  if (next < numbers.size() && !reason.empty() && *interrupted == 0)
    throw host::Failure(host::Exit::simulation_failed, reason, "What was done is kept; --resume goes on with it.");
  return taken == numbers.size();
}

void run_handed_out_cases(Ranks& ranks, const host::GroupWork& work, const host::CaseLimits& limits,
                          const volatile std::sig_atomic_t* interrupted) {
  for (;;) {
    ranks.send(0, std::string(1, want));
    const std::string message = wait_for(ranks).bytes;
    if (message.front() == end) return;
    std::vector<std::size_t> numbers((message.size() - 1) / sizeof(std::size_t));
    std::memcpy(numbers.data(), message.data() + 1, numbers.size() * sizeof(std::size_t));
    host::run_cases(
        std::move(numbers), work,
        [&](const host::CaseOutcome& one) { ranks.send(0, outcome + host::pack_outcome(one)); }, limits, interrupted);
  }
}

void leave_ranks(Ranks& ranks, const std::string& reason) { ranks.send(0, leave + reason); }

}  // namespace polyform::apps
