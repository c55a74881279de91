// The journal of trajectories, whole and cut off.
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "framework/workbench/studies/trajectory_journal.hpp"

using namespace polyform::host;

TEST_CASE("a journal of trajectories keeps what was whole when its program was killed") {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("trajectories" + std::to_string(std::filesystem::hash_value(__FILE__)) + ".journal"))
                               .string();
  std::filesystem::remove(path);
  const std::vector<double> one{0, 1, 0.5, 2}, two{0, 3, 0.5, 4, 1, 5};
  {
    TrajectoryJournal journal(path, 2, false);
    journal.add(7, one);
    journal.add(3, two);
    CHECK(journal.rows() == 3);
  }
  const auto size = std::filesystem::file_size(path);
  {
    const TrajectoryJournal journal(path, 2, true);
    CHECK(journal.read(7) == one);
    CHECK(journal.read(3) == two);
    CHECK(journal.read(4).empty());
  }
  std::filesystem::resize_file(path, size - 5);
  {
    TrajectoryJournal journal(path, 2, true);
    CHECK(journal.has(7));
    CHECK(!journal.has(3));
    journal.add(3, two);
    CHECK(journal.read(3) == two);
  }
  CHECK(std::filesystem::file_size(path) == size);
  {
    // A number differs from the one that was written.
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('x');
  }
  CHECK(!TrajectoryJournal(path, 2, true).has(3));
  CHECK(!TrajectoryJournal(path, 3, true).has(7));  // other columns: it begins anew
  std::filesystem::remove(path);
}
