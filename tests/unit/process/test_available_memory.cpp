// What memory can be had, of the machine and of the control groups that containers are.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "framework/host/process/available_memory.hpp"

using polyform::host::available_memory;

namespace {

namespace fs = std::filesystem;

/// A folder that looks like the root of a machine with 8 GiB, 4 GiB of them free.
class Machine {
 public:
  Machine() {
    std::string name = (fs::temp_directory_path() / "polyform-memory-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
    write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree:          100 kB\nMemAvailable:    4194304 kB\n");
  }
  ~Machine() { fs::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::uint64_t memory() const { return available_memory(root_); }

 private:
  fs::path root_;
};

constexpr std::uint64_t mebi = 1u << 20;

}  // namespace

TEST_CASE("memory that can be had is what the machine could give") { CHECK(Machine().memory() == 4096 * mebi); }

TEST_CASE("the limit of a control group, or of one that it is in, holds where it leaves less") {
  const Machine machine;
  machine.write("proc/self/cgroup", "0::/outer/inner\n");
  machine.write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  machine.write("sys/fs/cgroup/outer/inner/memory.current", "1048576\n");
  CHECK(machine.memory() == 4096 * mebi);
  machine.write("sys/fs/cgroup/outer/memory.max", std::to_string(512 * mebi));
  machine.write("sys/fs/cgroup/outer/memory.current", std::to_string(200 * mebi));
  CHECK(machine.memory() == 312 * mebi);
  SECTION("cached files in it give way") {
    machine.write("sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file " + std::to_string(100 * mebi) + "\n");
    CHECK(machine.memory() == 412 * mebi);
  }
  SECTION("a group that has taken more than its limit has nothing left") {
    machine.write("sys/fs/cgroup/outer/memory.current", std::to_string(600 * mebi));
    CHECK(machine.memory() == 0);
  }
}

TEST_CASE("control groups of version 1 count too") {
  const Machine machine;
  machine.write("proc/self/cgroup", "5:cpu,memory:/docker/x\n1:name=systemd:/\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(300 * mebi));
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(100 * mebi));
  CHECK(machine.memory() == 200 * mebi);
}

TEST_CASE("on this machine some memory can be had") { CHECK(available_memory() > mebi); }
