#include "apps/session/study_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <string>
#include <thread>

#include "apps/text/terminal.hpp"
#include "framework/diagnostics.hpp"

namespace polyform::apps {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// The first byte of a message: a rank wants cases, has outcomes, cannot take part, or has heard that there are no more
// cases; it gets cases, or hears that. When each has answered or is lost, it hears whether all end together.
// A rank that has long work, or no work for long, is told of by signs of life, in both directions.
constexpr char want = 'w', outcome = 'o', leave = 'l', heard_end = 'h', cases = 'c', end = 'e', together = 't',
               apart = 'x', alive = 'a';
constexpr std::size_t most_at_once = 256;  ///< of a rank, in a process of their own
/// Time between looks for messages, short compared with most cases.
constexpr std::chrono::microseconds pause = 200us;
constexpr Clock::duration between_signs = 1s, longest_silence = 10s;
/// Rank 0 writes results between its signs of life.
constexpr Clock::duration longest_wait = 6 * longest_silence;
/// A rank reads the model, and may compile it, before its first message.
constexpr Clock::duration longest_start = 10min;

std::string cases_message(const std::vector<std::size_t>& numbers) {
  return cases + std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers.front());
}

/// What rank 0 does: it hands out cases. Those of a rank that is lost go to others; as a case always has the same
/// outcome, it does no harm if two ranks have done it.
class HandOut {
 public:
  HandOut(Ranks& ranks, const std::vector<std::size_t>& numbers, std::size_t in_group, const host::TakeOutcomes& take,
          const volatile std::sig_atomic_t* interrupted)
      : ranks_(ranks),
        numbers_(numbers),
        together_(std::clamp<std::size_t>(in_group, 1, most_at_once)),
        take_(take),
        interrupted_(interrupted),
        queue_(numbers.begin(), numbers.end()),
        known_(numbers.size()),
        others_(static_cast<std::size_t>(ranks.size() - 1)) {}

  /// Returns whether all cases were done.
  bool run() {
    try {
      while (taken_ < numbers_.size() && std::ranges::any_of(others_, &Other::takes_part)) {
        const std::optional<Ranks::Message> message = ranks_.receive();
        if (message)
          hear(*message);
        else
          std::this_thread::sleep_for(pause);
        look_after();
      }
    } catch (...) {
      end_all();
      throw;
    }
    end_all();
    if (taken_ < numbers_.size() && !trouble_.empty() && !stopped())
      throw host::Failure(host::Exit::simulation_failed, trouble_, "What was done is kept; --resume goes on with it.");
    return taken_ == numbers_.size();
  }

 private:
  enum class State { starting, working, idle, ending, ended, lost };
  struct Other {
    State state = State::starting;
    Clock::time_point heard = Clock::now(), told = heard;
    std::vector<std::size_t> held{};  ///< cases whose outcomes have not come
    bool takes_part() const { return state != State::ending && !is_gone(); }
    bool is_gone() const { return state == State::ended || state == State::lost; }
  };

  bool stopped() const { return *interrupted_ != 0; }

  /// Ranks that still work, such as on a case that another has done since, stop. Returns when each has heard of it, or
  /// is lost: only then it is known whether all can end together.
  void end_all() {
    for (std::size_t i = 0; i < others_.size(); ++i)
      if (others_[i].takes_part()) end_one(others_[i], static_cast<int>(i) + 1);
    while (!std::ranges::all_of(others_, &Other::is_gone)) {
      if (const std::optional<Ranks::Message> message = ranks_.receive())
        hear(*message);
      else
        std::this_thread::sleep_for(pause);
      look_after();
    }
    const bool some_lost = std::ranges::any_of(others_, [](const Other& one) { return one.state == State::lost; });
    if (some_lost) ranks_.end_alone();
    for (std::size_t i = 0; i < others_.size(); ++i)
      if (others_[i].state == State::ended)
        ranks_.send(static_cast<int>(i) + 1, std::string(1, some_lost ? apart : together));
  }
  void end_one(Other& other, int rank) {
    ranks_.send(rank, std::string(1, end));
    other.state = State::ending;
    other.heard = Clock::now();
  }

  void hear(const Ranks::Message& message) {
    Other& from = others_[static_cast<std::size_t>(message.from - 1)];
    from.heard = Clock::now();
    // One that was only slow takes part again.
    if (from.state == State::starting || from.state == State::lost) from.state = State::working;
    const std::string_view content = std::string_view(message.bytes).substr(1);
    switch (message.bytes.front()) {
      case outcome: return keep(from, host::unpack_outcomes(content));
      case leave:
        trouble_ = fmt::format("rank {} could not take part: {}", message.from, content);
        from.state = State::ended;
        give_back(from);
        return;
      case heard_end: from.state = State::ended; return;
      case want:
        // It may have missed the end while it worked.
        if (from.state == State::ending) return ranks_.send(message.from, std::string(1, end));
        from.held.clear();
        from.state = State::idle;
        return;
      default: return;
    }
  }

  void keep(Other& from, std::vector<host::CaseOutcome> outcomes) {
    std::erase_if(outcomes, [&](const host::CaseOutcome& one) {
      std::erase(from.held, one.number);
      const auto place = std::ranges::lower_bound(numbers_, one.number) - numbers_.begin();
      const bool again = known_[static_cast<std::size_t>(place)];
      known_[static_cast<std::size_t>(place)] = true;
      return again;
    });
    taken_ += outcomes.size();
    if (!outcomes.empty()) take_(std::move(outcomes));
  }

  /// Gives cases to those that have none, and finds those that are lost.
  void look_after() {
    const Clock::time_point now = Clock::now();
    for (std::size_t i = 0; i < others_.size(); ++i) {
      Other& other = others_[i];
      const int rank = static_cast<int>(i) + 1;
      if (other.state == State::idle) serve(other, rank, now);
      if (other.state == State::idle || other.state == State::ended) {
        give_sign(other, rank, now);
      } else if (!other.is_gone() &&
                 now - other.heard > (other.state == State::starting ? longest_start : longest_silence)) {
        lose(other, rank);
      }
    }
  }

  void serve(Other& other, int rank, Clock::time_point now) {
    if (stopped() || (queue_.empty() && nobody_works())) {
      end_one(other, rank);
    } else if (!queue_.empty()) {
      const auto count = static_cast<std::ptrdiff_t>(share());
      other.held.assign(queue_.begin(), queue_.begin() + count);
      queue_.erase(queue_.begin(), queue_.begin() + count);
      ranks_.send(rank, cases_message(other.held));
      other.state = State::working;
      other.told = other.heard = now;
    }
  }
  /// To one that waits.
  void give_sign(Other& other, int rank, Clock::time_point now) {
    if (now - other.told <= between_signs) return;
    ranks_.send(rank, std::string(1, alive));
    other.told = now;
  }

  bool nobody_works() const {
    return std::ranges::none_of(others_, [](const Other& one) { return one.state == State::working; });
  }
  /// Small towards the end, so that all ranks end together, but of whole groups of cases that are done together: half
  /// a group takes as long. What is left for less than a group each is shared out evenly.
  std::size_t share() {
    const std::size_t ranks = others_.size(), fair = queue_.size() / (4 * ranks);
    if (queue_.size() < together_ * ranks && last_share_ == 0) last_share_ = (queue_.size() + ranks - 1) / ranks;
    const std::size_t least = last_share_ > 0 ? last_share_ : together_;
    return std::min(queue_.size(), std::clamp<std::size_t>(fair / together_ * together_, least, most_at_once));
  }

  void lose(Other& other, int rank) {
    other.state = State::lost;
    trouble_ = fmt::format("rank {} is lost: it has given no sign of life for {} s", rank,
                           std::chrono::duration_cast<std::chrono::seconds>(longest_silence).count());
    print(Severity::warning, trouble_, "Its cases are done by others.");
    give_back(other);
  }
  void give_back(Other& other) {
    queue_.insert(queue_.begin(), other.held.begin(), other.held.end());
    other.held.clear();
  }

  Ranks& ranks_;
  const std::vector<std::size_t>& numbers_;  ///< rising
  std::size_t together_;                     ///< cases that a rank does at a time
  std::size_t last_share_ = 0;               ///< of the last round; 0 before it
  const host::TakeOutcomes& take_;
  const volatile std::sig_atomic_t* interrupted_;
  std::deque<std::size_t> queue_;
  std::vector<bool> known_;  ///< by place among the numbers
  std::size_t taken_ = 0;
  std::vector<Other> others_;  ///< ranks from 1 on
  std::string trouble_;
};

/// The next message from rank 0 that is more than a sign of life; nothing if that rank gives none for so long.
std::optional<std::string> next_message(Ranks& ranks, Clock::duration longest) {
  for (Clock::time_point heard = Clock::now(); Clock::now() - heard < longest;) {
    const std::optional<Ranks::Message> message = ranks.receive();
    if (!message)
      std::this_thread::sleep_for(pause);
    else if (message->bytes.front() == alive)
      heard = Clock::now();
    else
      return message->bytes;
  }
  return std::nullopt;
}

/// Cases, or the end. Failure (simulation_failed) if rank 0 is lost.
std::string wait_for_work(Ranks& ranks, Clock::duration longest) {
  if (const std::optional<std::string> message = next_message(ranks, longest)) return *message;
  ranks.end_alone();
  throw host::Failure(host::Exit::simulation_failed, "rank 0 is lost: it gives no sign of life",
                      "What was done is kept; --resume goes on with it.");
}

/// Tells rank 0 that this one does no more cases, and waits until it knows how to end.
void part(Ranks& ranks, const std::string& last_message) {
  ranks.send(0, last_message);
  std::string message;
  do message = next_message(ranks, longest_wait).value_or(std::string(1, apart));
  while (message.front() != together && message.front() != apart);
  if (message.front() == apart) ranks.end_alone();
}

}  // namespace

bool hand_out_cases(Ranks& ranks, const std::vector<std::size_t>& numbers, std::size_t together,
                    const host::TakeOutcomes& take, const volatile std::sig_atomic_t* interrupted) {
  return HandOut(ranks, numbers, together, take, interrupted).run();
}

void dismiss_ranks(Ranks& ranks) noexcept {
  const volatile std::sig_atomic_t interrupted = 0;
  HandOut(
      ranks, {}, 1, [](std::vector<host::CaseOutcome>) {}, &interrupted)
      .run();
}

void run_handed_out_cases(Ranks& ranks, const host::GroupWork& work, host::CaseLimits limits,
                          const volatile std::sig_atomic_t* interrupted) {
  Clock::time_point told;
  volatile std::sig_atomic_t stops = 0;
  const auto tell = [&](const std::string& message) {
    ranks.send(0, message);
    told = Clock::now();
  };
  limits.meanwhile = [&] {
    const std::optional<Ranks::Message> message = ranks.receive();
    if (*interrupted != 0 || (message && message->bytes.front() == end)) stops = 1;
    if (Clock::now() - told > between_signs) tell(std::string(1, alive));
  };
  for (Clock::duration longest = longest_start;; longest = longest_wait) {
    tell(std::string(1, want));
    const std::string message = wait_for_work(ranks, longest);
    if (message.front() == end) return part(ranks, std::string(1, heard_end));
    std::vector<std::size_t> numbers((message.size() - 1) / sizeof(std::size_t));
    std::memcpy(numbers.data(), message.data() + 1, numbers.size() * sizeof(std::size_t));
    const bool all = host::run_cases(
        std::move(numbers), work,
        [&](const std::vector<host::CaseOutcome>& outcomes) {
          std::string packed(1, outcome);
          for (const host::CaseOutcome& one : outcomes) host::pack_outcome(one, packed);
          tell(packed);
        },
        limits, &stops);
    if (!all) return leave_ranks(ranks, "it was interrupted");
  }
}

void leave_ranks(Ranks& ranks, const std::string& reason) { part(ranks, leave + reason); }

}  // namespace polyform::apps
