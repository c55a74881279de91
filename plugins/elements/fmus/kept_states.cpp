#include "kept_states.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "description.hpp"

namespace polyform::fmus {

namespace {

[[noreturn]] void refuse_file() {
  throw FmuError("its states at events cannot be kept in a file",
                 "Set TMPDIR to a folder with room that can be written.");
}

}  // namespace

KeptStates::~KeptStates() {
  if (file_ >= 0) ::close(file_);
}

void KeptStates::open() {
  if (file_ >= 0 && process_ == ::getpid()) return;
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "polyform-fmu-states-XXXXXX").string();
  file_ = error ? -1 : ::mkstemp(name.data());
  if (file_ < 0) refuse_file();
  ::unlink(name.c_str());
  process_ = ::getpid();
  end_ = 0;
}

std::size_t KeptStates::keep(std::span<const char> state) {
  const std::lock_guard lock(guard_);
  const std::uint64_t hash = std::hash<std::string_view>{}({state.data(), state.size()});
  const auto known = by_hash_.find(hash);
  if (known != by_hash_.end() && std::ranges::equal(read(places_[known->second - 1]), state)) return known->second;
  open();
  for (std::size_t written = 0; written < state.size();) {
    const ssize_t more =
        ::pwrite(file_, state.data() + written, state.size() - written, static_cast<off_t>(end_ + written));
    if (more <= 0) refuse_file();
    written += static_cast<std::size_t>(more);
  }
  places_.push_back({end_, state.size(), file_});
  end_ += state.size();
  by_hash_.try_emplace(hash, places_.size());
  return places_.size();
}

std::vector<char> KeptStates::read(const Place& place) const {
  std::vector<char> state(place.size);
  for (std::size_t got = 0; got < state.size();) {
    const ssize_t more =
        ::pread(place.file, state.data() + got, state.size() - got, static_cast<off_t>(place.offset + got));
    if (more <= 0) refuse_file();
    got += static_cast<std::size_t>(more);
  }
  return state;
}

std::vector<char> KeptStates::at(std::size_t number) const {
  const std::lock_guard lock(guard_);
  if (number == 0 || number > places_.size())
    throw FmuError("a state from an event of another run is asked for",
                   "What an FMU keeps at events goes with the process: begin the run anew.");
  return read(places_[number - 1]);
}

}  // namespace polyform::fmus
