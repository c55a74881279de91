// How many cases rank 0 hands out at a time.
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <numeric>

#include "apps/session/study_ranks.hpp"

namespace {

using namespace polyform;

/// Ranks of which each does what it is handed at once, and then waits for its next turn.
class QuickRanks final : public apps::Ranks {
 public:
  explicit QuickRanks(int others) : others_(others) {
    for (int rank = 1; rank <= others; ++rank) messages_.push_back({rank, "w"});
  }
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return others_ + 1; }
  void end_alone() noexcept override {}
  std::optional<Message> receive() override {
    if (messages_.empty()) return std::nullopt;
    Message first = std::move(messages_.front());
    messages_.pop_front();
    return first;
  }
  void send(int rank, std::string_view message) override {
    if (message.front() == 'e') messages_.push_back({rank, "h"});
    if (message.front() != 'c') return;
    std::vector<std::size_t> numbers(message.substr(1).size() / sizeof(std::size_t));
    std::memcpy(numbers.data(), message.data() + 1, message.size() - 1);
    std::string outcomes = "o";
    for (const std::size_t number : numbers) host::pack_outcome({number, true, "", {}}, outcomes);
    messages_.push_back({rank, std::move(outcomes)});
    messages_.push_back({rank, "w"});
    shares.push_back(numbers.size());
  }

  std::vector<std::size_t> shares;

 private:
  int others_;
  std::deque<Message> messages_;
};

std::vector<std::size_t> shares_of(int others, std::size_t cases, std::size_t together) {
  QuickRanks ranks(others);
  std::vector<std::size_t> numbers(cases);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::size_t taken = 0;
  const volatile std::sig_atomic_t interrupted = 0;
  CHECK(apps::hand_out_cases(
      ranks, numbers, together, [&](std::vector<host::CaseOutcome> outcomes) { taken += outcomes.size(); },
      &interrupted));
  CHECK(taken == cases);
  return ranks.shares;
}

}  // namespace

TEST_CASE("Ranks get whole groups of cases that are done together, and equal shares of the last ones") {
  CHECK(shares_of(4, 60, 8) == std::vector<std::size_t>{8, 8, 8, 8, 7, 7, 7, 7});
  CHECK(shares_of(4, 10, 8) == std::vector<std::size_t>{3, 3, 3, 1});
  CHECK(shares_of(2, 200, 8).front() == 24);  // a quarter of a fair share is 25
}

TEST_CASE("Ranks that do one case at a time get single ones towards the end") {
  CHECK(shares_of(2, 4, 1) == std::vector<std::size_t>{1, 1, 1, 1});
  CHECK(shares_of(2, 17, 1).front() == 2);
  CHECK(shares_of(1, 5000, 1).front() == 256);
}
