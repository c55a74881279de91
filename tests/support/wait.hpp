// Waiting for what another process or thread will do, however busy the machine is.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace polyform::test {

/// Waits until the condition holds; false when it still does not after so many seconds.
template <class Condition>
bool wait_until(const Condition& condition, double seconds = 120) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

/// The first process that the given one has made and that still lives; 0 if there is none.
inline pid_t child_of(pid_t process) {
  const std::string name = std::to_string(process);
  std::ifstream children("/proc/" + name + "/task/" + name + "/children");
  pid_t child = 0;
  return children >> child ? child : 0;
}

}  // namespace polyform::test
