// What is kept of trajectories while a study goes on: a file next to the table, to which each is added as its case
// ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace polyform::host::inline studies {

class TrajectoryJournal {
 public:
  /// The journal of the trajectories of a table.
  static std::string path_of(const std::string& table) { return table + ".trajectories.journal"; }

  /// Goes on with the file where resume says so and it has as many columns; else begins anew. What a program that was
  /// killed has left at the end is cut off. Failure (bad_input) if the file cannot be written.
  TrajectoryJournal(const std::string& path, std::size_t columns, bool resume);
  ~TrajectoryJournal();
  TrajectoryJournal(const TrajectoryJournal&) = delete;
  TrajectoryJournal& operator=(const TrajectoryJournal&) = delete;

  /// Adds one at once: rows × columns, by rows. Failure (simulation_failed) if it cannot be stored.
  void add(std::size_t number, std::span<const double> trajectory);
  bool has(std::size_t number) const { return places_.contains(number); }
  /// The rows of the longest one.
  std::size_t rows() const;
  std::size_t columns() const { return columns_; }
  /// That of a case; empty if there is none. Failure (simulation_failed) if it cannot be read.
  std::vector<double> read(std::size_t number) const;

 private:
  struct Place {
    std::uint64_t offset = 0, numbers = 0;
  };
  void take_up();
  void begin();

  std::string path_;
  std::size_t columns_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;
  std::map<std::size_t, Place> places_;  ///< by case
};

}  // namespace polyform::host::inline studies
