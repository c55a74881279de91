// Serialized states of FMUs by number, as many as events there are: in a file, so that memory does not grow with them.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace polyform::fmus {

/// Whether a state of the model names what is kept by its number.
inline bool is_number(double state) noexcept { return state >= 0 && state < 0x1p53; }

/// Any thread may use it. The file has no name and ends with the process. A fork shares it with its parent: both may
/// read the states kept before; those kept later belong to each process alone.
class KeptStates {
 public:
  KeptStates() = default;
  ~KeptStates();
  KeptStates(const KeptStates&) = delete;
  KeptStates& operator=(const KeptStates&) = delete;

  /// The number of a state, from 1 on; the same for the same bytes. Throws FmuError if the disk is full.
  std::size_t keep(std::span<const char> state);
  /// Throws FmuError for a number that was not given.
  std::vector<char> at(std::size_t number) const;

 private:
  struct Place {
    std::uint64_t offset, size;
    int file;
  };
  std::vector<char> read(const Place&) const;
  void open();

  mutable std::mutex guard_;
  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, std::size_t> by_hash_;  ///< the number of the first state with that hash
  int file_ = -1, process_ = 0;
  std::uint64_t end_ = 0;  ///< of the file, bytes
};

}  // namespace polyform::fmus
