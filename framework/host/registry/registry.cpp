#include "framework/host/registry/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/host/registry/checks.hpp"
#include "framework/host/registry/crash_guard.hpp"
#include "framework/host/registry/file_bytes.hpp"
#include "framework/host/registry/library.hpp"
#include "framework/host/registry/trial.hpp"

namespace polyform::host::inline registry {

namespace {

std::vector<Offer> offers_of(const Catalog& offered) {
  std::vector<Offer> offers;
  const auto list = [&offers](std::string_view kind, const auto& names) {
    for (const auto& [name, type] : names) offers.push_back({std::string(kind), name, std::string(type->meaning())});
  };
  for_each_kind(list, offered);
  return offers;
}

/// False when the plugin ends a process that loads it, which the record then says.
bool survives_trial(PluginRecord& record, const Candidate& candidate) {
  const std::string crash = crash_in_trial(candidate.file, candidate.manifest);
  if (!crash.empty()) refuse(record, Refusal::failed_to_register, crash, "report this to the author of the plugin");
  return crash.empty();
}

bool are_builds_of_one(const PluginRecord& a, const PluginRecord& b) {
  return a.kind == b.kind && a.version == b.version && a.instruction_set != b.instruction_set;
}

}  // namespace

Registry::Registry(const RegistryOptions& options)
    : trial_(options.trial), places_(places_to_search(options)), libraries_(std::make_shared<Libraries>()) {
  std::vector<Candidate> candidates;
  for (const FoundFile& file : candidate_files(places_)) {
    PluginRecord& record = records_.emplace_back();
    record.file = file.path.string();
    record.chosen = file.chosen;
    Candidate candidate;
    candidate.file = file.path;
    candidate.chosen = file.chosen;
    candidate.record = records_.size() - 1;
    candidate.named = std::ranges::find(places_, file.path, &SearchedPlace::path) != places_.end();
    if (examine(record, candidate)) candidates.push_back(candidate);
  }
  for (auto& builds : group_builds(candidates)) load_builds(builds);
}

Registry::~Registry() = default;

std::shared_ptr<const void> Registry::keep_alive() const noexcept { return libraries_; }

/// Candidates of one name, in the order of search. The first decides what the plugin is; builds of it for further
/// instruction sets stay, everything else of that name is passed over or refused.
std::vector<std::vector<Candidate*>> Registry::group_builds(std::vector<Candidate>& candidates) {
  std::vector<std::vector<Candidate*>> groups;
  for (Candidate& candidate : candidates) {
    const auto same_name = [&](const std::vector<Candidate*>& group) {
      return records_[group.front()->record].name == records_[candidate.record].name;
    };
    const auto group = std::find_if(groups.begin(), groups.end(), same_name);
    if (group == groups.end())
      groups.push_back({&candidate});
    else if (joins(*group, candidate))
      group->push_back(&candidate);
  }
  return groups;
}

/// Whether a candidate is a further build of the plugin in the group; its record says what else it is.
bool Registry::joins(const std::vector<Candidate*>& group, const Candidate& candidate) {
  PluginRecord& record = records_[candidate.record];
  for (const Candidate* member : group) {
    const PluginRecord& other = records_[member->record];
    if (record.instruction_set != other.instruction_set || !have_same_bytes(candidate.file, member->file)) continue;
    record.status = PluginStatus::passed_over;
    record.explanation = fmt::format("{} is the same, byte by byte.", other.file);
    return false;
  }
  if (const PluginRecord& first = records_[group.front()->record]; group.front()->chosen && !candidate.chosen) {
    record.status = PluginStatus::passed_over;
    record.replaced = true;
    record.explanation =
        fmt::format("{} stands in for {}, the installed plugin of the same name.", first.file, record.file);
    return false;
  }
  const auto clashes = [&](const Candidate* other) { return !are_builds_of_one(record, records_[other->record]); };
  const auto clash = std::ranges::find_if(group, clashes);
  if (clash == group.end()) return true;
  const PluginRecord& other = records_[(*clash)->record];
  refuse(record, Refusal::duplicate_name,
         fmt::format("has the plugin name '{}' (version {}, {}), which {} (version {}, {}) already has", record.name,
                     record.version, record.instruction_set, other.file, other.version, other.instruction_set),
         "remove one of the two, rename yours in POLYFORM_PLUGIN, or name only one of their folders in --plugin-path "
         "and POLYFORM_PLUGIN_PATH");
  return false;
}

void Registry::load_builds(std::vector<Candidate*> builds) {
  const auto rank = [this](const Candidate* c) { return usable_rank(records_[c->record].instruction_set); };
  std::stable_sort(builds.begin(), builds.end(), [&](const Candidate* a, const Candidate* b) {
    return std::pair(a->named && rank(a) > 0, rank(a)) > std::pair(b->named && rank(b) > 0, rank(b));
  });
  const PluginRecord* loaded = nullptr;
  for (const Candidate* build : builds) {
    PluginRecord& record = records_[build->record];
    if (loaded) {
      record.status = PluginStatus::passed_over;
      record.explanation =
          fmt::format("{} is loaded: the build that was named, or else the best for this CPU.", loaded->file);
    } else if (rank(build) == 0) {
      refuse_instruction_set(record);
    } else if (load(*build)) {
      loaded = &record;
    }
  }
}

bool Registry::load(const Candidate& candidate) {
  PluginRecord& record = records_[candidate.record];
  if (trial_ && !survives_trial(record, candidate)) return false;
  const CrashGuard guard(candidate.file);
  try {
    Library library(candidate.file, candidate.manifest);
    if (!names_are_free(record, library.offered())) return false;
    record.offers = offers_of(library.offered());
    libraries_->push_back(std::move(library));
  } catch (const LoadFailure& failure) {
    refuse(record, failure.refusal, failure.finding, failure.remedy);
    return false;
  }
  const auto take = [&](std::string_view, const auto& offered, auto& known) {
    for (const auto& [name, type] : offered) {
      known.emplace(name, type);
      owners_.emplace(type, candidate.record);
    }
  };
  for_each_kind(take, libraries_->back().offered(), catalog_);
  return true;
}

bool Registry::names_are_free(PluginRecord& record, const Catalog& offered) const {
  const auto compare = [&](std::string_view kind, const auto& names, const auto& known) {
    for (const auto& [name, type] : names) {
      const auto* const other = find(known, name);
      if (!other || record.refusal) continue;
      refuse(record, Refusal::duplicate_name,
             fmt::format("offers the {} '{}', which {} already offers", kind, name, records_[owners_.at(other)].file),
             "remove one of the two or its folder from --plugin-path and POLYFORM_PLUGIN_PATH, or rename the type in "
             "yours");
    }
  };
  for_each_kind(compare, offered, catalog_);
  return !record.refusal;
}

std::string Registry::plugin_at(const void* type) const {
  const auto found = owners_.find(type);
  return found == owners_.end() ? std::string() : records_[found->second].name;
}

std::string Registry::plugin_of(std::string_view type_name) const {
  for (const PluginRecord& record : records_)
    for (const Offer& offer : record.offers)
      if (offer.name == type_name) return record.name;
  return {};
}

PluginRecord check_plugin_file(const std::filesystem::path& path) {
  std::error_code error;
  Candidate candidate;
  candidate.file = std::filesystem::absolute(path, error).lexically_normal();
  PluginRecord record;
  record.file = candidate.file.string();
  if (!examine(record, candidate)) return record;
  if (usable_rank(record.instruction_set) == 0) {
    refuse_instruction_set(record);
    return record;
  }
  if (!survives_trial(record, candidate)) return record;
  const CrashGuard guard(candidate.file);  // the system may have no process to spare for a trial
  try {
    const Library library(candidate.file, candidate.manifest);
    record.offers = offers_of(library.offered());
  } catch (const LoadFailure& failure) {
    refuse(record, failure.refusal, failure.finding, failure.remedy);
  }
  return record;
}

}  // namespace polyform::host::registry
