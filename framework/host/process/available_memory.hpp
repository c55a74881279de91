// How much memory can be had now.
#pragma once

#include <cstdint>
#include <filesystem>

namespace polyform::host::inline process {

/// The memory that the machine could give without ending programs (MemAvailable), or what is left of the limits of the
/// control groups of this process, such as those of containers, whichever is less; bytes. `root`: the folder that holds
/// proc and sys.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

}  // namespace polyform::host::process
