// Every wrong library is refused for the right reason, in a sentence that names the file and says what to do.
#include <sys/wait.h>
#include <unistd.h>

#include "framework/diagnostics.hpp"
#include "tests/bad_plugins/plugin_folder.hpp"
#include "tests/support/sanitized.hpp"

using namespace polyform::host;
using namespace polyform::host::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

void require_refused(const PluginRecord& record, const fs::path& file, Refusal refusal, const std::string& wording) {
  INFO(record.file << ": " << record.explanation);
  REQUIRE(record.status == PluginStatus::refused);
  REQUIRE(record.refusal);
  CHECK(name_of(*record.refusal) == name_of(refusal));
  CHECK(record.offers.empty());
  CHECK_THAT(record.explanation, StartsWith(file.string() + " "));
  CHECK_THAT(record.explanation, EndsWith("."));
  CHECK_THAT(record.explanation, Contains("; "));
  CHECK_THAT(record.explanation, Contains(wording));
}

/// Requires that check_plugin_file and a search refuse the plugin, and that a good plugin in the same folder is
/// unharmed.
void require_refused_alone_and_beside_good(const std::string& fixture, Refusal refusal, const std::string& wording) {
  const PluginFolder folder;
  const fs::path good = folder.add("good");
  const fs::path bad = folder.add(fixture);
  require_refused(check_plugin_file(bad), bad, refusal, wording);
  const Registry registry(only({folder.text()}));
  require_refused(record_of(registry, bad), bad, refusal, wording);
  CHECK(record_of(registry, good).status == PluginStatus::loaded);
  CHECK(registry.catalog().joints.size() == 1);
}

}  // namespace

TEST_CASE("the fixture that the wrong plugins are made from is right") {
  const PluginFolder folder;
  const PluginRecord record = check_plugin_file(folder.add("good"));
  INFO(record.explanation);
  CHECK(record.status == PluginStatus::loaded);
  CHECK_FALSE(record.refusal);
  CHECK(record.explanation.empty());
  CHECK(record.kind == "elements");
  CHECK(record.name == "good");
  CHECK(record.version == "1.0");
  CHECK(record.abi == POLYFORM_ABI);
  REQUIRE(record.offers.size() == 1);
  CHECK(record.offers[0].kind == "joint");
  CHECK(record.offers[0].name == "fixture-joint");
  CHECK(record.offers[0].meaning == "a joint for tests");
}

TEST_CASE("a library without manifest or without registration is no plugin") {
  require_refused_alone_and_beside_good("no-manifest", Refusal::missing_symbol, "without a Polyform manifest");
  require_refused_alone_and_beside_good("no-register", Refusal::missing_symbol, "polyform_register");
}

TEST_CASE("a manifest that makes no sense is refused") {
  require_refused_alone_and_beside_good("wrong-magic", Refusal::bad_manifest, "'something-else'");
  require_refused_alone_and_beside_good(
      "wrong-manifest-size", Refusal::bad_manifest,
      "has a manifest of 12 bytes, where " + std::to_string(sizeof(polyform::PluginManifest)) +
          " are expected at least; rebuild the plugin against the SDK of this polyform");
  require_refused_alone_and_beside_good("wrong-kind", Refusal::bad_manifest, "'machinery'");
  require_refused_alone_and_beside_good("without-version", Refusal::bad_manifest, "no version");
  SECTION("a name that could command a terminal is shown with its unprintable bytes replaced") {
    require_refused_alone_and_beside_good("wrong-name", Refusal::bad_manifest, "'a?b'");
  }
}

TEST_CASE("texts without an end are read no further than their field") {
  require_refused_alone_and_beside_good("endless-texts", Refusal::compiler_abi, "'" + std::string(64, 'a') + "'");
  const PluginFolder folder;
  const PluginRecord record = check_plugin_file(folder.add("endless-texts"));
  CHECK(record.name == std::string(64, 'n'));
  CHECK(record.version == std::string(32, '1'));
  CHECK(record.instruction_set == std::string(16, 'i'));
}

TEST_CASE("a plugin of another SDK is refused with both versions") {
  const std::string mine = std::to_string(polyform::sdk_major) + "." + std::to_string(polyform::sdk_minor);
  require_refused_alone_and_beside_good("newer-sdk", Refusal::sdk_version,
                                        std::to_string(polyform::sdk_major + 1) + ".");
  require_refused_alone_and_beside_good("newer-sdk-minor", Refusal::sdk_version,
                                        "needs what came with SDK " + std::to_string(polyform::sdk_major) + "." +
                                            std::to_string(polyform::sdk_minor + 1) +
                                            ", but this polyform offers SDK " + mine);
  require_refused_alone_and_beside_good("older-sdk", Refusal::sdk_version, "rebuild");
}

TEST_CASE("a plugin that does not fit compiler, headers or CPU is refused") {
  require_refused_alone_and_beside_good("wrong-abi", Refusal::compiler_abi, "'itanium-0 other'");
  require_refused_alone_and_beside_good("wrong-layouts", Refusal::contract_sizes, "lays out Vec3 otherwise than SDK ");
  const PluginFolder folder;
  const fs::path bad = folder.add("wrong-cpu");
  require_refused(check_plugin_file(bad), bad, Refusal::instruction_set, "'x86-64-v9'");
  const Registry registry(only({folder.text()}));
  require_refused(record_of(registry, bad), bad, Refusal::instruction_set, "'x86-64-v9'");
}

TEST_CASE("a plugin name that is taken is refused with both files") {
  const PluginFolder folder;
  const fs::path first = folder.add("good", "a.so"), second = folder.add("same-name", "b.so");
  const Registry registry(only({folder.text()}));
  CHECK(record_of(registry, first).status == PluginStatus::loaded);
  require_refused(record_of(registry, second), second, Refusal::duplicate_name, first.string());
  CHECK(find(registry.catalog().joints, "another-joint") == nullptr);
}

TEST_CASE("a type name that is taken is refused with both files") {
  const PluginFolder folder;
  const fs::path first = folder.add("good", "a.so"), second = folder.add("same-type", "b.so");
  const Registry registry(only({folder.text()}));
  require_refused(record_of(registry, second), second, Refusal::duplicate_name, first.string());
  CHECK_THAT(record_of(registry, second).explanation, Contains("'fixture-joint'"));
  CHECK(registry.plugin_of("fixture-joint") == "good");
}

TEST_CASE("what a plugin needs and does not find is named") {
  require_refused_alone_and_beside_good("unresolved", Refusal::missing_dependency, "polyform_fixture_that_is_nowhere");
  require_refused_alone_and_beside_good("needs-helper", Refusal::missing_dependency, "libfixture_helper.so");
}

TEST_CASE("a plugin whose registration makes no sense is refused") {
  require_refused_alone_and_beside_good("registers-nothing", Refusal::failed_to_register, "registers nothing");
  require_refused_alone_and_beside_good("registers-twice", Refusal::failed_to_register, "'fixture-joint' twice");
  require_refused_alone_and_beside_good("nameless-type", Refusal::failed_to_register, "joint without a name");
}

TEST_CASE("a type that is not of the kind in the manifest is refused") {
  require_refused_alone_and_beside_good("joint-as-formulation", Refusal::bad_manifest,
                                        "of kind 'formulation', but registers the joint 'fixture-joint'");
}

TEST_CASE("a type that declares impossible sizes or fields is refused when it is registered") {
  const auto refused = [](const std::string& fixture, const std::string& wording) {
    require_refused_alone_and_beside_good(fixture, Refusal::failed_to_register,
                                          "registers the joint 'fixture-joint', " + wording);
  };
  refused("kernel-of-nothing", "whose kernel declares 0 velocities, where a joint has 1 to 6");
  refused("kernel-of-seven", "whose kernel declares 7 velocities");
  refused("kernel-of-few", "whose kernel declares 2 coordinates for 3 velocities");
  refused("kernel-of-many", "whose kernel declares 1000000000 coordinates, where 64 are the most");
  refused("sizes-without-kernel", "which declares 1 coordinates and 1 velocities but has no kernel");
  refused("nameless-field", "one of whose fields has no name");
}

TEST_CASE("an exception from a static object is survived") {
  require_refused_alone_and_beside_good("throws", Refusal::failed_to_register, "out of luck");
}

TEST_CASE("a check survives plugins that end the program") {
  const PluginFolder folder;
  const auto refused = [&](const std::string& fixture, const std::string& wording) {
    const fs::path bad = folder.add(fixture);
    require_refused(check_plugin_file(bad), bad, Refusal::failed_to_register, wording);
  };
  refused("throws-registering", "threw an exception while it was loaded (out of luck); report this to the author");
  refused("throws-number-registering", "threw an exception while it was loaded (of a type unknown here)");
  refused("crashes", "signal 6 (Aborted) when it is loaded");
  refused("exits", "status 0 when it is loaded");
  refused("crashes-unloading", "signal 6 (Aborted) when it is unloaded");
  refused("exits-unloading", "status 3 when it is unloaded");
}

TEST_CASE("a plugin that asks for memory without end while it is loaded is told so") {
  if (polyform::test::has_address_sanitizer) return;
  const PluginFolder folder;
  for (const std::string fixture : {"hungry", "hungry-registering"}) {
    const fs::path bad = folder.add(fixture);
    const PluginRecord record = check_plugin_file(bad);
    require_refused(record, bad, Refusal::failed_to_register, "GiB of memory while it is loaded");
  }
}

TEST_CASE("a search that a plugin ends says which one, and why, with the exit code for plugins") {
  const auto [fixture, why] = GENERATE(table<std::string, std::string>(
      {{"throws-registering", "threw an exception while it was loaded (out of luck)"},
       {"throws-number-registering", "threw an exception while it was loaded (of a type unknown here)"},
       {"crashes", "crashed while it was loaded"},
       {"exits", "ended the program by calling exit while it was loaded"},
       {"hungry", "asked for more memory than there is while it was loaded"},
       {"hungry-registering", "asked for more memory than there is while it was loaded"}}));
  if (polyform::test::has_address_sanitizer && fixture.starts_with("hungry")) return;
  const PluginFolder folder;
  const fs::path bad = folder.add(fixture);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    const Registry registry(only({folder.text()}));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[256];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == static_cast<int>(Exit::plugin));
  CHECK_THAT(said, Contains("error: " + bad.string() + " " + why));
}
