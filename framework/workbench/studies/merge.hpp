// Shards of a study put together.
#pragma once

#include <string>
#include <vector>

#include "framework/workbench/studies/journal.hpp"

namespace polyform::host::inline studies {

/// Puts the shards of a study together by the files of their tables, in the order of the cases. A shard in CSV without
/// its journal gives no record, and all of its columns are taken as factors; with `needs_record` that is a failure.
/// other_build: as of the function of this name, for the shards. Failure (bad_input) also if shards are not of one
/// study, or cases are missing or there twice.
JournalContent merge_shards(const std::vector<std::string>& files, bool needs_record, std::string& other_build);

}  // namespace polyform::host::inline studies
