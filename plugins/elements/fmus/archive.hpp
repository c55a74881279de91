// Archives in the ZIP format, unpacked.
#pragma once

#include <filesystem>

namespace polyform::fmus {

/// Unpacks all files of an archive below a folder. Throws std::runtime_error, with a sentence that tells what is wrong
/// with the archive: no ZIP file, cut short, encrypted, too large (4 GiB), a name that leads out of the folder, a sum
/// that does not fit.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace polyform::fmus
