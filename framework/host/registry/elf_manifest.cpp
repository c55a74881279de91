#include "framework/host/registry/elf_manifest.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "framework/host/registry/file_bytes.hpp"

namespace polyform::host::inline registry {

namespace {

/// Thrown within this file if the manifest cannot be found.
struct Stop {
  Refusal refusal;
  std::string finding, remedy;
};

constexpr const char* export_remedy =
    "remove it from the plugin folder, or build it with POLYFORM_PLUGIN and export its symbols";

Stop not_a_library(std::string finding) {
  return {Refusal::not_a_library, std::move(finding), "remove it from the plugin folder"};
}
Stop damaged(std::string_view what) {
  return {Refusal::not_a_library, fmt::format("is a damaged or truncated shared library ({})", what),
          "copy or build it again"};
}

constexpr Elf64_Half this_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__riscv)
  return EM_RISCV;
#elif defined(__powerpc64__)
  return EM_PPC64;
#else
  return EM_NONE;  // not compared; the loader decides
#endif
}

Elf64_Ehdr read_header(const FileBytes& file) {
  Elf64_Ehdr header{};
  if (file.size() == 0) throw not_a_library("is empty, where a shared library is expected");
  const bool magic = file.read(0, header.e_ident, SELFMAG) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  if (!magic) throw not_a_library("is no ELF shared library, in spite of its name");
  if (!file.read(0, header)) throw damaged("its header is cut short");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) throw not_a_library("is not a 64-bit library, which is expected");
  constexpr unsigned char order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  const bool foreign =
      header.e_ident[EI_DATA] != order || (this_machine() != EM_NONE && header.e_machine != this_machine());
  if (foreign) throw not_a_library("is a library for another kind of processor");
  if (header.e_type != ET_DYN) throw not_a_library("is an ELF file but no shared library");
  return header;
}

/// The loader maps segments without looking at the size of the file; one beyond its end would be a bus error later.
void check_segments(const FileBytes& file, const Elf64_Ehdr& header) {
  if (header.e_phentsize != sizeof(Elf64_Phdr)) throw damaged("its program headers have a wrong size");
  const auto segments = file.read_all<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  if (!segments || segments->empty()) throw damaged("its program headers are missing");
  for (const Elf64_Phdr& segment : *segments)
    if (segment.p_type != PT_NULL && !file.contains(segment.p_offset, segment.p_filesz))
      throw damaged("a segment lies beyond the end of the file");
}

std::vector<Elf64_Shdr> read_sections(const FileBytes& file, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0) return {};
  if (header.e_shentsize != sizeof(Elf64_Shdr)) throw damaged("its section headers have a wrong size");
  std::uint64_t count = header.e_shnum;
  if (count == 0) {  // more than an Elf64_Half can say: the first section holds the number
    Elf64_Shdr first{};
    if (!file.read(header.e_shoff, first)) throw damaged("its section headers lie beyond the end of the file");
    count = first.sh_size;
  }
  auto sections = file.read_all<Elf64_Shdr>(header.e_shoff, count);
  if (!sections) throw damaged("its section headers lie beyond the end of the file");
  return *std::move(sections);
}

/// A table of texts, each ended by a zero byte.
class Texts {
 public:
  Texts(const FileBytes& file, const std::vector<Elf64_Shdr>& sections, std::size_t index) {
    if (index >= sections.size() || sections[index].sh_type != SHT_STRTAB) throw damaged("a table of names is missing");
    auto bytes = file.read_all<char>(sections[index].sh_offset, sections[index].sh_size);
    if (!bytes) throw damaged("a table of names lies beyond the end of the file");
    bytes_ = *std::move(bytes);
  }
  /// The text at an offset; empty when it lies outside or has no end.
  std::string_view at(std::size_t offset) const {
    if (offset >= bytes_.size()) return {};
    const char* const begin = bytes_.data() + offset;
    const auto* const end = static_cast<const char*>(std::memchr(begin, 0, bytes_.size() - offset));
    return end ? std::string_view(begin, end) : std::string_view{};
  }

 private:
  std::vector<char> bytes_;
};

struct Exports {
  bool manifest = false, registration = false;
};

Exports read_exports(const FileBytes& file, const std::vector<Elf64_Shdr>& sections) {
  Exports found;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM) continue;
    if (section.sh_entsize != sizeof(Elf64_Sym)) throw damaged("its symbols have a wrong size");
    const auto symbols = file.read_all<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
    if (!symbols) throw damaged("its symbols lie beyond the end of the file");
    const Texts names(file, sections, section.sh_link);
    for (const Elf64_Sym& symbol : *symbols) {
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      const std::string_view name = names.at(symbol.st_name);
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if (name == "polyform_manifest" && type == STT_OBJECT) found.manifest = true;
      if (name == "polyform_register" && type == STT_FUNC) found.registration = true;
    }
  }
  return found;
}

const Elf64_Shdr* manifest_section(const FileBytes& file, const Elf64_Ehdr& header,
                                   const std::vector<Elf64_Shdr>& sections) {
  if (sections.empty()) return nullptr;
  const std::size_t names_index = header.e_shstrndx == SHN_XINDEX ? sections[0].sh_link : header.e_shstrndx;
  const Texts names(file, sections, names_index);
  for (const Elf64_Shdr& section : sections)
    if (section.sh_type == SHT_PROGBITS && names.at(section.sh_name) == POLYFORM_MANIFEST_SECTION) return &section;
  return nullptr;
}

/// The section may be shorter than our struct (a manifest of another SDK); what is missing stays zero.
PluginManifest read_section(const FileBytes& file, const Elf64_Shdr& section) {
  constexpr std::size_t least = offsetof(PluginManifest, kind);
  if (section.sh_size < least)
    throw Stop{Refusal::bad_manifest,
               fmt::format("has a manifest of {} bytes, where at least {} are expected", section.sh_size, least),
               "rebuild the plugin against the SDK of this polyform"};
  PluginManifest manifest{};
  if (!file.read(section.sh_offset, &manifest, std::min<std::size_t>(section.sh_size, sizeof manifest)))
    throw damaged("its manifest lies beyond the end of the file");
  return manifest;
}

PluginManifest manifest_of(const std::filesystem::path& path) {
  const FileBytes file(path);
  if (file.error() != 0)
    throw Stop{Refusal::unreadable, fmt::format("cannot be read ({})", std::generic_category().message(file.error())),
               "check that it exists and make it readable (chmod a+r), or remove it from the plugin folder"};
  if (!file.regular()) throw not_a_library("is a folder or a special file, where a shared library is expected");
  const Elf64_Ehdr header = read_header(file);
  check_segments(file, header);
  const std::vector<Elf64_Shdr> sections = read_sections(file, header);
  const Elf64_Shdr* const section = manifest_section(file, header, sections);
  const Exports exports = read_exports(file, sections);
  if (!section || !exports.manifest)
    throw Stop{Refusal::missing_symbol,
               "is a shared library without a Polyform manifest (section .polyform, symbol polyform_manifest)",
               export_remedy};
  if (!exports.registration)
    throw Stop{Refusal::missing_symbol, "has a Polyform manifest but does not export the function polyform_register",
               export_remedy};
  return read_section(file, *section);
}

}  // namespace

ManifestReading read_manifest(const std::filesystem::path& path) {
  ManifestReading reading;
  try {
    reading.manifest = manifest_of(path);
  } catch (Stop& stop) {
    reading.refusal = stop.refusal;
    reading.finding = std::move(stop.finding);
    reading.remedy = std::move(stop.remedy);
  }
  return reading;
}

}  // namespace polyform::host::registry
