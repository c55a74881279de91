// One plugin built for several instruction sets.
#include "framework/host/registry/checks.hpp"
#include "tests/bad_plugins/plugin_folder.hpp"

using namespace polyform::host;
using namespace polyform::host::test;
using Catch::Matchers::Contains;

#if defined(__x86_64__)

namespace {

/// Level of this CPU, from 1.
int level() { return usable_rank(best_instruction_set()); }

std::string build(int level_of_build) { return "builds-v" + std::to_string(level_of_build); }

}  // namespace

TEST_CASE("the best build that this CPU can run is loaded, and the others are passed over") {
  const PluginFolder folder, elsewhere;
  for (const int l : {1, 2, 3}) folder.add(build(l));
  for (const int l : {4, 9}) elsewhere.add(build(l));
  const Registry registry(only({folder.text(), elsewhere.text()}));
  REQUIRE(registry.plugins().size() == 5);
  REQUIRE(registry.catalog().joints.size() == 1);
  CHECK(registry.catalog().joints.begin()->first == "of-v" + std::to_string(level()));
  for (const PluginRecord& record : registry.plugins()) {
    INFO(record.file << ": " << record.explanation);
    const bool best = record.instruction_set == best_instruction_set();
    CHECK(record.status == (best ? PluginStatus::loaded : PluginStatus::passed_over));
    CHECK_FALSE(record.refusal);
    CHECK(record.explanation.empty() == best);
  }
}

TEST_CASE("a build that the search path names as a file comes before better ones") {
  if (level() < 2) {
    WARN("this CPU is below x86-64-v2: not tested");
    return;
  }
  const PluginFolder folder;
  const fs::path named = folder.add(build(1)), better = folder.add(build(2));
  const Registry registry(only({folder.text(), named.string()}));
  CHECK(record_of(registry, named).status == PluginStatus::loaded);
  CHECK(record_of(registry, better).status == PluginStatus::passed_over);
}

TEST_CASE("a build for a better CPU is refused when there is no other") {
  const PluginFolder folder;
  const fs::path file = folder.add(build(9));
  const Registry registry(only({folder.text()}));
  CHECK(record_of(registry, file).refusal == Refusal::instruction_set);
  CHECK_THAT(record_of(registry, file).explanation, Contains(std::string(best_instruction_set())));
}

TEST_CASE("a second build for the same instruction set is a duplicate") {
  const PluginFolder folder;
  folder.add(build(1), "a.so");
  const fs::path second = folder.add("builds-v1-other", "b.so");
  const Registry registry(only({folder.text()}));
  CHECK(record_of(registry, second).refusal == Refusal::duplicate_name);
}

TEST_CASE("when the best build cannot be loaded, the next one is, and the reason is kept") {
  if (level() < 3) {
    WARN("this CPU is below x86-64-v3: not tested");
    return;
  }
  const PluginFolder folder;
  const fs::path plain = folder.add(build(1)), broken = folder.add("builds-v3-unresolved");
  const Registry registry(only({folder.text()}));
  CHECK(record_of(registry, broken).refusal == Refusal::missing_dependency);
  CHECK(record_of(registry, plain).status == PluginStatus::loaded);
}

TEST_CASE("an instruction set that is not known cannot be run") {
  CHECK(usable_rank("x86-64") == 1);
  CHECK(usable_rank("x86-64-v9") == 0);
  CHECK(usable_rank("") == 0);
  CHECK(usable_rank("native") == 0);
}

#endif
