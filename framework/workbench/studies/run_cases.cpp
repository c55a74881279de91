#include "framework/workbench/studies/run_cases.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline studies {

namespace {

/// Cases that one process does one after the other.
struct Share {
  std::vector<std::size_t> numbers;
  std::size_t done = 0;
};

/// All cases in shares that are small enough to keep every worker busy to the end.
std::vector<Share> share(const std::vector<std::size_t>& numbers, const CaseLimits& limits) {
  constexpr std::size_t most = 256, per_worker = 8;
  const std::size_t size =
      limits.isolate
          ? 1
          : std::clamp<std::size_t>(numbers.size() / (per_worker * std::max<std::size_t>(limits.workers, 1)), 1, most);
  std::vector<Share> shares;
  for (std::size_t i = 0; i < numbers.size(); i += size) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(i);
    shares.push_back({{begin, begin + static_cast<std::ptrdiff_t>(std::min(size, numbers.size() - i))}});
  }
  return shares;
}

}  // namespace

// Two sizes, whether it is done, the reason, the numbers.
std::string pack_outcome(const CaseOutcome& outcome) {
  const std::uint64_t head[] = {outcome.number, outcome.reason.size()};
  std::string bytes(reinterpret_cast<const char*>(head), sizeof head);
  bytes += outcome.done ? '1' : '0';
  bytes += outcome.reason;
  bytes.append(reinterpret_cast<const char*>(outcome.quantities.data()), outcome.quantities.size() * sizeof(double));
  return bytes;
}

CaseOutcome unpack_outcome(std::string_view bytes) {
  std::uint64_t head[2];
  std::memcpy(head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  CaseOutcome outcome{head[0], bytes[0] == '1', std::string(bytes.substr(1, head[1])), {}};
  bytes.remove_prefix(1 + head[1]);
  outcome.quantities.resize(bytes.size() / sizeof(double));
  std::memcpy(outcome.quantities.data(), bytes.data(), bytes.size());
  return outcome;
}

bool run_cases(std::vector<std::size_t> numbers, const CaseWork& work, const std::function<void(CaseOutcome)>& take,
               const CaseLimits& limits, const volatile std::sig_atomic_t* interrupted) {
  const auto stopped = [&] { return interrupted != nullptr && *interrupted != 0; };
  const ProcessLimits process_limits{limits.seconds, limits.memory, true};
  while (!numbers.empty() && !stopped()) {
    std::vector<Share> shares = share(numbers, limits);
    std::vector<ProcessJob> jobs;
    for (Share& mine : shares)
      jobs.push_back({[&](const Messenger& back) {
                        for (const std::size_t number : mine.numbers) {
                          CaseOutcome outcome{number, false, {}, {}};
                          try {
                            outcome = work(number);
                          } catch (const Failure& failure) {
                            outcome.reason = failure.message();
                          }
                          if (stopped()) return;
                          back.send(pack_outcome(outcome));
                        }
                      },
                      [&](std::string_view message) {
                        take(unpack_outcome(message));
                        ++mine.done;
                      },
                      {}});
    const std::vector<ProcessEnd> ends = run_in_processes(jobs, process_limits, limits.workers, interrupted);
    numbers.clear();
    for (std::size_t i = 0; i < shares.size(); ++i) {
      Share& mine = shares[i];
      using How = ProcessEnd::How;
      // A process that returned before its last case was told to stop.
      if (ends[i].how == How::interrupted || ends[i].how == How::done) continue;
      if (ends[i].how == How::not_started)
        throw Failure(Exit::simulation_failed, "a process for cases " + describe(ends[i], process_limits),
                      "What was done is kept; go on with --resume, with fewer --workers.");
      // The case that was under way is the one that ended the process.
      take({mine.numbers[mine.done], false, describe(ends[i], process_limits), {}});
      numbers.insert(numbers.end(), mine.numbers.begin() + static_cast<std::ptrdiff_t>(mine.done) + 1,
                     mine.numbers.end());
    }
  }
  return !stopped();
}

}  // namespace polyform::host::inline studies
