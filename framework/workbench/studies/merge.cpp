#include "framework/workbench/studies/merge.hpp"

#include <fmt/format.h>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline studies {

namespace {

JournalContent read_shard_file(const std::string& shard, bool needs_record) {
  const std::string journal = Journal::path_of(shard);
  if (has_journal(journal)) return read_journal(journal);
  if (needs_record || is_hdf5_table(shard))
    throw Failure(Exit::bad_input, fmt::format("the journal {} is not there", journal),
                  "Keep it beside the shard, or merge tables in CSV into one.");
  return {{}, read_csv_table(shard)};
}

}  // namespace

JournalContent merge_shards(const std::vector<std::string>& files, bool needs_record, std::string& other_build) {
  JournalContent whole;
  for (const std::string& file : files) {
    JournalContent part = read_shard_file(file, needs_record);
    std::vector<CaseRow> rows = std::move(part.table.rows);
    if (&file == &files.front()) whole = part;
    std::string what = difference(whole.record, part.record, {"shard", "cases"});
    if (header_line(part.table) != header_line(whole.table)) what = "its columns are others";
    if (!what.empty())
      throw Failure(Exit::bad_input, fmt::format("{} is of another study than {}: {}", file, files.front(), what),
                    "Give the shards of one study.");
    if (other_build.empty()) other_build = studies::other_build(whole.record, part.record);
    whole.table.rows.insert(whole.table.rows.end(), std::make_move_iterator(rows.begin()),
                            std::make_move_iterator(rows.end()));
  }
  whole.table.sort();
  for (std::size_t i = 0; i < whole.table.rows.size(); ++i)
    if (whole.table.rows[i].number != i)
      throw Failure(Exit::bad_input, fmt::format("case {} is in none of the shards", i),
                    "Give all shards of the study, each brought to its end (--resume).");
  std::erase_if(whole.record, [](const auto& entry) { return entry.first == "shard"; });
  for (auto& [name, text] : whole.record)
    if (name == "cases") text = fmt::format("{}", whole.table.rows.size());
  return whole;
}

}  // namespace polyform::host::inline studies
