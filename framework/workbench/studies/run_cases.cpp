#include "framework/workbench/studies/run_cases.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline studies {

namespace {

/// Cases that one process does.
class Share {
 public:
  explicit Share(std::vector<std::size_t> numbers) : numbers_(std::move(numbers)), reported_(numbers_.size()) {}
  std::span<const std::size_t> numbers() const { return numbers_; }
  /// They come about in their order, so one is near the first that is left.
  void take(std::size_t number) {
    const auto found = std::find(numbers_.begin() + first_left_, numbers_.end(), number);
    if (found != numbers_.end()) reported_[static_cast<std::size_t>(found - numbers_.begin())] = true;
    while (first_left_ < std::ssize(numbers_) && reported_[static_cast<std::size_t>(first_left_)]) ++first_left_;
  }
  std::vector<std::size_t> left() const {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (!reported_[i]) left.push_back(numbers_[i]);
    return left;
  }

 private:
  std::vector<std::size_t> numbers_;
  std::vector<bool> reported_;
  std::ptrdiff_t first_left_ = 0;
};

/// All cases in shares that are small enough to keep every worker busy to the end, whole groups where cases are done
/// together. One worker has no other to wait for.
std::vector<Share> share(const std::vector<std::size_t>& numbers, const CaseLimits& limits) {
  constexpr std::size_t usual_most = 1024, per_worker = 8;
  const std::size_t workers = std::max<std::size_t>(limits.workers, 1), together = limits.together;
  const std::size_t each = (numbers.size() + workers - 1) / workers;
  const std::size_t even = workers == 1 || limits.long_lived ? each : numbers.size() / (per_worker * workers);
  const std::size_t most = limits.long_lived ? numbers.size() : std::max(usual_most, together);
  const std::size_t groups = (even + together - 1) / together;
  // If there are few cases, every worker gets some, though they fill no group.
  const std::size_t size =
      limits.isolate ? 1 : std::clamp<std::size_t>(std::max(groups * together, std::min(together, each)), 1, most);
  std::vector<Share> shares;
  for (std::size_t i = 0; i < numbers.size(); i += size) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(i);
    shares.emplace_back(
        std::vector<std::size_t>(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, numbers.size() - i))));
  }
  return shares;
}

/// Sends outcomes to the process that waits for them. A message costs as much as a short case, so those of quick cases
/// share one.
class Outbox {
 public:
  /// So many outcomes can be lost with the process, at most.
  static constexpr std::size_t most = 64;

  explicit Outbox(const Messenger& back) : back_(back) {}
  void add(const CaseOutcome& outcome) {
    pack_outcome(outcome, bytes_);
    if (++count_ == most || bytes_.size() > enough) return send();
    look();
  }
  void look() {
    if (count_ > 0 && Clock::now() - sent_ > moment) send();
  }
  void send() {
    if (count_ == 0) return;
    back_.send(bytes_);
    bytes_.clear();
    count_ = 0;
    sent_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t enough = 1u << 15;  ///< bytes, half of what a pipe holds
  static constexpr std::chrono::milliseconds moment{5};
  const Messenger& back_;
  std::string bytes_;
  std::size_t count_ = 0;
  Clock::time_point sent_ = Clock::now();
};

}  // namespace

// The number, the sizes of what follows; whether it is done; the reason, the quantities, the trajectory.
void pack_outcome(const CaseOutcome& outcome, std::string& bytes) {
  const std::uint64_t head[] = {outcome.number, outcome.reason.size(), outcome.quantities.size(),
                                outcome.trajectory.size()};
  bytes.append(reinterpret_cast<const char*>(head), sizeof head);
  bytes += outcome.done ? '1' : '0';
  bytes += outcome.reason;
  for (const std::vector<double>* numbers : {&outcome.quantities, &outcome.trajectory})
    bytes.append(reinterpret_cast<const char*>(numbers->data()), numbers->size() * sizeof(double));
}

std::vector<CaseOutcome> unpack_outcomes(std::string_view bytes) {
  std::vector<CaseOutcome> outcomes;
  while (!bytes.empty()) {
    std::uint64_t head[4];
    std::memcpy(head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    CaseOutcome& outcome =
        outcomes.emplace_back(CaseOutcome{head[0], bytes[0] == '1', std::string(bytes.substr(1, head[1])), {}});
    bytes.remove_prefix(1 + head[1]);
    outcome.quantities.resize(head[2]);
    outcome.trajectory.resize(head[3]);
    for (std::vector<double>* numbers : {&outcome.quantities, &outcome.trajectory}) {
      if (numbers->empty()) continue;
      std::memcpy(numbers->data(), bytes.data(), numbers->size() * sizeof(double));
      bytes.remove_prefix(numbers->size() * sizeof(double));
    }
  }
  return outcomes;
}

bool run_cases(std::vector<std::size_t> numbers, const GroupWork& work, const TakeOutcomes& take,
               const CaseLimits& limits, const volatile std::sig_atomic_t* interrupted) {
  const auto stopped = [&] { return interrupted != nullptr && *interrupted != 0; };
  const ProcessLimits process_limits{limits.seconds, limits.memory, true, limits.meanwhile};
  std::vector<std::size_t> suspects;  // one of some that were under way when their process ended
  while ((!numbers.empty() || !suspects.empty()) && !stopped()) {
    std::vector<Share> shares = share(numbers, limits);
    for (const std::size_t number : suspects) shares.emplace_back(std::vector<std::size_t>{number});
    std::vector<ProcessJob> jobs;
    for (Share& mine : shares)
      jobs.push_back({[&](const Messenger& back) {
                        Outbox outbox(back);
                        const auto add = [&](const CaseOutcome& outcome) {
                          if (!stopped()) outbox.add(outcome);
                        };
                        work(mine.numbers(), CaseReport(add, [&] { outbox.look(); }));
                        outbox.send();
                      },
                      [&](std::string_view message) {
                        std::vector<CaseOutcome> outcomes = unpack_outcomes(message);
                        for (const CaseOutcome& outcome : outcomes) mine.take(outcome.number);
                        take(std::move(outcomes));
                      },
                      {}});
    const std::vector<ProcessEnd> ends = run_in_processes(jobs, process_limits, limits.workers, interrupted);
    numbers.clear();
    suspects.clear();
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const std::vector<std::size_t> left = shares[i].left();
      using How = ProcessEnd::How;
      // A process that returned before its last case was told to stop.
      if (ends[i].how == How::interrupted || ends[i].how == How::done || left.empty()) continue;
      if (ends[i].how == How::not_started)
        throw Failure(Exit::simulation_failed, "a process for cases " + describe(ends[i], process_limits),
                      "What was done is kept; go on with --resume, with fewer --workers.");
      // The first of the cases that are left were under way, or had ended and were not sent. If it was only one, that
      // one ended the process.
      const std::size_t under_way = std::min(left.size(), limits.together + Outbox::most - 1);
      if (under_way == 1)
        take({{left.front(), false, describe(ends[i], process_limits), {}}});
      else
        suspects.insert(suspects.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(under_way));
      numbers.insert(numbers.end(), left.begin() + static_cast<std::ptrdiff_t>(under_way), left.end());
    }
  }
  return !stopped();
}

}  // namespace polyform::host::inline studies
