// Shards of a study put together.
#pragma once

#include <string>
#include <vector>

#include "framework/workbench/studies/journal.hpp"

namespace polyform::host::inline studies {

/// The whole study of shards by the files of their tables, in the order of the cases. A shard in CSV without its
/// journal gives no record, and all of its columns are taken as factors; `needs_record`: that does not do. Failure
/// (bad_input) where shards are not of one study, or cases are missing or there twice.
JournalContent merge_shards(const std::vector<std::string>& files, bool needs_record);

}  // namespace polyform::host::inline studies
