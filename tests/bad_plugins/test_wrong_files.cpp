// Files that are no libraries, cut or changed libraries, and files that others may change.
#include <sys/stat.h>
#include <unistd.h>

#include <elf.h>

#include <cstring>

#include "framework/host/registry/elf_manifest.hpp"
#include "tests/bad_plugins/plugin_folder.hpp"

using namespace polyform::host;
using namespace polyform::host::test;
using Catch::Matchers::Contains;

namespace {

void require_refused(const PluginFolder& folder, const fs::path& file, Refusal refusal, const std::string& wording) {
  const Registry registry(only({folder.text()}));
  for (const PluginRecord& record : {record_of(registry, file), check_plugin_file(file)}) {
    INFO(record.explanation);
    REQUIRE(record.refusal);
    CHECK(name_of(*record.refusal) == name_of(refusal));
    CHECK_THAT(record.explanation, Contains(file.string()));
    CHECK_THAT(record.explanation, Contains(wording));
  }
}

}  // namespace

TEST_CASE("what is called .so but is no library is refused") {
  const PluginFolder folder;
  require_refused(folder, folder.write("text.so", "these are words\n"), Refusal::not_a_library,
                  "no ELF shared library");
  require_refused(folder,
                  folder.write("short.so",
                               "\x7f"
                               "EL"),
                  Refusal::not_a_library, "no ELF shared library");
  require_refused(folder,
                  folder.write("header.so",
                               "\x7f"
                               "ELF and no more"),
                  Refusal::not_a_library, "cut short");
  require_refused(folder, folder.write("empty.so", ""), Refusal::not_a_library, "is empty");
  fs::create_directory(folder.path() / "folder.so");
  require_refused(folder, folder.path() / "folder.so", Refusal::not_a_library, "is a folder");
  REQUIRE(::mkfifo((folder.path() / "pipe.so").c_str(), 0600) == 0);
  require_refused(folder, folder.path() / "pipe.so", Refusal::not_a_library, "special file");
  fs::create_symlink(folder.path() / "nowhere", folder.path() / "dangling.so");
  require_refused(folder, folder.path() / "dangling.so", Refusal::unreadable, "No such file");
}

TEST_CASE("a file that is not there is unreadable") {
  const PluginFolder folder;
  const PluginRecord record = check_plugin_file(folder.path() / "absent.so");
  REQUIRE(record.refusal == Refusal::unreadable);
  CHECK_THAT(record.explanation, Contains("absent.so cannot be read (No such file or directory)"));
}

TEST_CASE("a file without permission to read is unreadable") {
  if (::geteuid() == 0) {
    WARN("root may read everything: not tested");
    return;
  }
  const PluginFolder folder;
  const fs::path file = folder.add("good");
  REQUIRE(::chmod(file.c_str(), 0) == 0);
  require_refused(folder, file, Refusal::unreadable, "Permission denied");
}

TEST_CASE("a library for another kind of machine is refused") {
  const PluginFolder folder;
  std::string bytes = bytes_of(folder.add("good", "good.so"));
  Elf64_Ehdr header;
  const auto changed = [&](const char* name, auto change) {
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    std::string other = bytes;
    std::memcpy(other.data(), &header, sizeof header);
    return folder.write(name, other);
  };
  require_refused(folder, changed("machine.so", [](Elf64_Ehdr& h) { h.e_machine = EM_S390; }), Refusal::not_a_library,
                  "processor");
  require_refused(folder, changed("narrow.so", [](Elf64_Ehdr& h) { h.e_ident[EI_CLASS] = ELFCLASS32; }),
                  Refusal::not_a_library, "64-bit");
  require_refused(folder, changed("object.so", [](Elf64_Ehdr& h) { h.e_type = ET_REL; }), Refusal::not_a_library,
                  "no shared library");
}

TEST_CASE("a library cut at any length is refused, not loaded") {
  const PluginFolder folder;
  const std::string bytes = bytes_of(folder.add("good", "good.so"));
  const fs::path cut = folder.write("cut.so", bytes.substr(0, bytes.size() / 2));
  require_refused(folder, cut, Refusal::not_a_library, "damaged or truncated");
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 16) {
    folder.write("cut.so", bytes.substr(0, length));
    const ManifestReading reading = read_manifest(cut);
    INFO(length << " bytes of " << bytes.size());
    REQUIRE_FALSE(reading.manifest);
    REQUIRE(reading.refusal == Refusal::not_a_library);
  }
}

TEST_CASE("headers that lie are read within bounds") {
  const PluginFolder folder;
  const std::string bytes = bytes_of(folder.add("good", "good.so"));
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t sections_end = header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr);
  REQUIRE(sections_end <= bytes.size());
  const fs::path spoilt = folder.write("spoilt.so", bytes);
  std::fstream file(spoilt, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte).flush();
    REQUIRE(file.good());
  };
  const auto spoil = [&](std::size_t at) {
    for (const char byte : {'\xff', '\x7f', '\x80', '\0'}) {
      put(at, byte);
      read_manifest(spoilt);  // the claim: it returns, and no sanitizer complains
    }
    put(at, bytes[at]);
  };
  for (std::size_t at = 0; at < sizeof header + header.e_phnum * sizeof(Elf64_Phdr); ++at) spoil(at);
  for (std::size_t at = header.e_shoff; at < sections_end; ++at) spoil(at);
}

TEST_CASE("a file of many terabytes that claims to be a library is refused at once") {
  const PluginFolder folder;
  std::string bytes = bytes_of(folder.add("good", "good.so"));
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_shnum = 0;  // then the first section holds the number
  std::memcpy(bytes.data(), &header, sizeof header);
  const std::uint64_t count = std::uint64_t{1} << 33;
  std::memcpy(bytes.data() + header.e_shoff + offsetof(Elf64_Shdr, sh_size), &count, sizeof count);
  const fs::path huge = folder.write("huge.so", bytes);
  std::error_code error;
  fs::resize_file(huge, std::uintmax_t{1} << 40, error);
  if (error) {
    WARN("this file system has no sparse files of that size: not tested");
    return;
  }
  require_refused(folder, huge, Refusal::not_a_library, "section headers");
}

TEST_CASE("a plugin that others may change is refused") {
  const PluginFolder folder;
  const fs::path file = folder.add("good");
  REQUIRE(::chmod(file.c_str(), 0757) == 0);
  require_refused(folder, file, Refusal::unsafe_permissions, "chmod go-w '" + file.string() + "'");
  REQUIRE(::chmod(file.c_str(), 0755) == 0);
  CHECK(check_plugin_file(file).status == PluginStatus::loaded);
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  require_refused(folder, file, Refusal::unsafe_permissions, "chmod go-w '" + folder.text() + "'");
  SECTION("also through a link in a safe folder") {
    const PluginFolder safe;
    fs::create_symlink(file, safe.path() / "link.so");
    require_refused(safe, safe.path() / "link.so", Refusal::unsafe_permissions, folder.text());
  }
  REQUIRE(::chmod(folder.path().c_str(), 0700) == 0);
}

TEST_CASE("a folder above a plugin that everyone may write to is refused unless it is sticky") {
  const PluginFolder folder;
  const fs::path file = folder.add("good", "below/deeper/good.so");
  const PluginRecord sound = check_plugin_file(file);  // in a folder for temporary files, which is sticky
  INFO(sound.explanation);
  CHECK(sound.status == PluginStatus::loaded);
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  const PluginRecord refused = check_plugin_file(file);
  CHECK(refused.refusal == Refusal::unsafe_permissions);
  CHECK_THAT(refused.explanation, Contains("lies in the folder " + folder.text() + ", to which everyone may write"));
  REQUIRE(::chmod(folder.path().c_str(), 01777) == 0);
  CHECK(check_plugin_file(file).status == PluginStatus::loaded);
  REQUIRE(::chmod(folder.path().c_str(), 0700) == 0);
}

TEST_CASE("a plugin that is a stranger's, or lies in a stranger's folder, is refused") {
  if (::geteuid() != 0) {
    WARN("only root may give files away: not tested");
    return;
  }
  constexpr uid_t stranger = 54321;
  const PluginFolder folder;
  const fs::path file = folder.add("good", "below/good.so"), below = file.parent_path();
  REQUIRE(::chown(file.c_str(), stranger, 0) == 0);
  const PluginRecord of_stranger = check_plugin_file(file);
  CHECK(of_stranger.refusal == Refusal::unsafe_permissions);
  CHECK_THAT(of_stranger.explanation,
             Contains("belongs to the user 54321") && Contains("chown root '" + file.string()));
  REQUIRE(::chown(file.c_str(), 0, 0) == 0);
  for (const fs::path& place : {below, folder.path()}) {
    REQUIRE(::chown(place.c_str(), stranger, 0) == 0);
    const PluginRecord in_folder = check_plugin_file(file);
    CHECK(in_folder.refusal == Refusal::unsafe_permissions);
    CHECK_THAT(in_folder.explanation,
               Contains("lies in the folder " + place.string() + ", which belongs to the user 54321"));
    REQUIRE(::chown(place.c_str(), 0, 0) == 0);
  }
  CHECK(check_plugin_file(file).status == PluginStatus::loaded);
}

TEST_CASE("a group that is not the user's own may not change a plugin") {
  if (::geteuid() != 0) {
    WARN("only root may give a file to another group: not tested");
    return;
  }
  const PluginFolder folder;
  const fs::path file = folder.add("good");
  REQUIRE(::chmod(file.c_str(), 0775) == 0);
  REQUIRE(::chown(file.c_str(), 0, 0) == 0);
  CHECK(check_plugin_file(file).status == PluginStatus::loaded);  // group root of the user root
  REQUIRE(::chown(file.c_str(), 0, 1) == 0);
  require_refused(folder, file, Refusal::unsafe_permissions, "may be changed by its group");
}
