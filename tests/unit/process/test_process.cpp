// Work in processes of its own: the results that come back, and messages about processes that do not return.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "framework/host/process/process.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/wait.hpp"

using namespace polyform::host;
using How = ProcessEnd::How;

namespace {

using Work = std::function<void(const Messenger&)>;

ProcessEnd run(const Work& work, const ProcessLimits& limits = {10, 0}) {
  const ProcessJob jobs[] = {{work, {}, {}}};
  return run_in_processes(jobs, limits, 1).front();
}

void throw_out(const char* what) { throw std::runtime_error(what); }

void sleep_long() { std::this_thread::sleep_for(std::chrono::seconds(100)); }

volatile std::sig_atomic_t flag = 0;

}  // namespace

TEST_CASE("messages of any bytes and length come back whole and in order") {
  const std::string large(3'000'000, '\0');
  std::vector<std::string> received;
  const ProcessJob jobs[] = {{[&](const Messenger& back) {
                                back.send("first");
                                back.send("");
                                back.send(large);
                              },
                              [&](std::string_view message) { received.emplace_back(message); },
                              {}}};
  CHECK(run_in_processes(jobs, {10, 0}, 1).front().done());
  CHECK(received == std::vector<std::string>{"first", "", large});
}

TEST_CASE("what a process does to memory stays with it") {
  int number = 1;
  CHECK(run([&](const Messenger&) { number = 2; }).done());
  CHECK(number == 1);
}

TEST_CASE("every bad end has its name") {
  // Only the one that never ends meets the time limit: the others get far more than the slowest machine needs.
  const auto described = [](const Work& work, const ProcessLimits& limits = {120, 64u << 20}) {
    return describe(run(work, limits), limits);
  };
  CHECK(described([](const Messenger&) { raise(SIGSEGV); }) == "ended by signal 11 (Segmentation fault)");
  CHECK(described([](const Messenger&) { std::abort(); }) == "ended by signal 6 (Aborted)");
  CHECK(described([](const Messenger&) { _exit(7); }) == "ended the program with exit status 7");
  CHECK(described([](const Messenger&) { throw_out("no"); }) == "threw an exception: no");
  CHECK(described([](const Messenger&) noexcept { throw_out("out of noexcept"); }) ==
        "threw an exception: out of noexcept");
  CHECK(described([](const Messenger&) { sleep_long(); }, {0.3, 64u << 20}) ==
        "not done within the time limit of 0.3 s");
  if (polyform::test::has_address_sanitizer) return;
  CHECK(described([](const Messenger&) noexcept {
          std::vector<std::string> all;
          while (true) all.emplace_back(1u << 20, 'x');
        }) == "needs more memory than the limit of 0.0625 GiB");
}

TEST_CASE("a failure comes back with its code, message and remedy") {
  const ProcessEnd end = run([](const Messenger&) { throw Failure(Exit::bad_input, "wrong", "Put it right."); });
  CHECK(end.how == How::failed);
  CHECK(end.code == Exit::bad_input);
  CHECK(end.message == "wrong");
  CHECK(end.remedy == "Put it right.");
}

TEST_CASE("a process whose own child holds the pipe open does not keep us waiting") {
  pid_t heir = 0;
  const ProcessJob jobs[] = {{[](const Messenger& back) {
                                const pid_t id = fork();
                                if (id == 0) {
                                  sleep_long();
                                  _exit(0);
                                }
                                back.send(std::to_string(id));
                              },
                              [&](std::string_view id) { heir = std::stoi(std::string(id)); },
                              {}}};
  CHECK(run_in_processes(jobs, {60, 0}, 1).front().done());
  REQUIRE(heir > 0);
  CHECK(kill(heir, SIGKILL) == 0);  // which still was there
}

TEST_CASE("one that fails takes no other with it, and so many run at a time") {
  struct Count {
    std::atomic<int> now = 0, most = 0;
  };
  void* const page = mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  Count& running = *new (page) Count;
  std::vector<ProcessJob> jobs;
  for (int k = 0; k < 6; ++k)
    jobs.push_back({[k, &running](const Messenger&) {
                      const int now = ++running.now;
                      if (now > running.most) running.most = now;
                      polyform::test::wait_until([&] { return running.most >= 3; });
                      --running.now;
                      if (k == 3) raise(SIGFPE);
                    },
                    {},
                    {}});
  const std::vector<ProcessEnd> ends = run_in_processes(jobs, {300, 0}, 3);
  CHECK(running.most == 3);
  for (std::size_t k = 0; k < ends.size(); ++k) CHECK(ends[k].done() == (k != 3));
  munmap(page, sizeof(Count));
}

TEST_CASE("an interruption stops those that run, keeps what they still send, and starts no more") {
  flag = 0;
  std::string received;
  const ProcessJob polite{[](const Messenger& back) {
                            std::signal(SIGTERM, [](int) { flag = 1; });
                            back.send("up");
                            while (flag == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
                            back.send("so far");
                          },
                          [&](std::string_view message) {
                            received += message;
                            flag = 1;
                          },
                          {}};
  const ProcessJob jobs[] = {polite, polite};
  const std::vector<ProcessEnd> ends = run_in_processes(jobs, {10, 0}, 1, &flag);
  CHECK(ends[0].done());
  CHECK(ends[1].how == How::interrupted);
  CHECK(received == "upso far");
}

TEST_CASE("a process that ignores the interruption is killed") {
  flag = 0;
  const ProcessJob jobs[] = {{[](const Messenger& back) {
                                std::signal(SIGTERM, SIG_IGN);
                                back.send("up");
                                sleep_long();
                              },
                              [](std::string_view) { flag = 1; },
                              {}}};
  CHECK(run_in_processes(jobs, {}, 1, &flag).front().how == How::interrupted);
}
