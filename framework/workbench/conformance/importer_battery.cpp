// An importer on its own example, on pieces of it, and on files that are not of its format.
#include <fmt/format.h>

#include <array>
#include <random>

#include "framework/host/reading/reader.hpp"
#include "framework/workbench/conformance/batteries.hpp"

namespace polyform::host::inline conformance {

namespace {

constexpr const char* file_name = "example";

std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? std::string("no message") : std::string(diagnostics.all().front().message);
}

/// The conversion of some bytes with default options; nothing after a message.
std::optional<Conversion> convert(const ImporterType& type, std::string_view bytes, Diagnostics& diagnostics) {
  return import_model(type, file_name, bytes, {}, diagnostics);
}

Description read(const Conversion& got, const Catalog& catalog, Diagnostics& diagnostics) {
  bool missing_plugin = false;
  return read_model_text(got.text, file_name, catalog, diagnostics, missing_plugin);
}

void check_example(const ImporterType& type, const Catalog& catalog, Checklist& list) {
  list.claim("its example becomes a model that can be read", 0,
             "the text must be a model file: polyform check tells what is wrong with one", [&](Measure& m) {
               Diagnostics diagnostics;
               const auto got = convert(type, type.example(), diagnostics);
               if (got) read(*got, catalog, diagnostics);
               m.see(got && !diagnostics.failed() ? 0 : 1, [&] { return first_message(diagnostics); });
             });
  list.claim("it tells what became of the things in its example", 0,
             "give a finding for every kind of thing in the file, with its path and how many there are",
             [&](Measure& m) {
               Diagnostics diagnostics;
               const auto got = convert(type, type.example(), diagnostics);
               m.see(got && !got->findings.empty() ? 0 : 1, "there are no findings");
               if (!got) return;
               for (const FoundThing& thing : got->findings)
                 m.see(!thing.what.empty() && thing.count > 0 ? 0 : 1,
                       [&] { return fmt::format("the finding '{}' has no name or counts nothing", thing.what); });
             });
  list.claim("it does the same with the same bytes", 0, "keep no memory of files that were read before",
             [&](Measure& m) {
               Diagnostics diagnostics;
               const auto first = convert(type, type.example(), diagnostics);
               convert(type, "something else", diagnostics);
               Diagnostics again;
               const auto second = convert(type, type.example(), again);
               m.see(first && second && first->text == second->text ? 0 : 1, "the texts differ");
             });
}

void check_recognition(const ImporterType& type, Checklist& list) {
  list.claim("it knows its files from what they begin with", 0,
             "recognises() says yes to a file of the format, and no to what could be of another", [&](Measure& m) {
               m.see(type.recognises(type.example()) ? 0 : 1, "it does not know its example");
               for (const std::string_view other : {std::string_view("polyform: 1\nbodies: []\n"),
                                                    std::string_view("{\"polyform\": 1}"), std::string_view("")})
                 m.see(type.recognises(other) ? 1 : 0, [&] { return fmt::format("it takes '{}' for its own", other); });
             });
}

/// Pieces of the example, with changes.
std::string spoilt(std::string bytes, std::mt19937& random) {
  constexpr std::array<std::string_view, 8> bits{"-1", "nan", "1e999", "\"", "<", ">", " ", "0"};
  for (std::size_t changes = 1 + random() % 3; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0: bytes.resize(at); break;
      case 1: bytes.erase(at, random() % 20); break;
      case 2: bytes[at] = static_cast<char>(random() % 256); break;
      default: bytes.insert(at, bits[random() % bits.size()]);
    }
  }
  return bytes;
}

void check_spoilt(const ImporterType& type, const Catalog& catalog, Checklist& list) {
  list.claim("spoilt files become models that can be read, or messages", 0,
             "check what the file says before it is written: names, numbers, references", [&](Measure& m) {
               std::mt19937 random(11);
               for (int i = 0; i < 500; ++i) {
                 const std::string bytes = spoilt(std::string(type.example()), random);
                 m.in_model(bytes);
                 Diagnostics diagnostics;
                 const auto got = convert(type, bytes, diagnostics);
                 if (!got) {
                   m.see(diagnostics.failed() ? 0 : 1, "it fails without a message");
                   continue;
                 }
                 read(*got, catalog, diagnostics);
                 m.see(diagnostics.failed() ? 1 : 0, [&] { return first_message(diagnostics); });
               }
             });
  list.claim("bytes that are no file of the format end in a message", 0,
             "find out what the bytes are before anything is made of them", [&](Measure& m) {
               std::mt19937 random(5);
               std::string noise;
               for (int i = 0; i < 10'000; ++i) noise += static_cast<char>(random() % 256);
               std::string deep;
               for (int i = 0; i < 100'000; ++i) deep += "<a>";
               const std::string example(type.example());
               for (const std::string& bytes : {std::string(), noise, std::string(1000, '\0'), deep}) {
                 Diagnostics diagnostics;
                 const auto got = convert(type, bytes, diagnostics);
                 m.see(got || !diagnostics.failed() ? 1 : 0, "there is no message");
               }
             });
}

void check_export(const ImporterType& type, const Catalog& catalog, Checklist& list) {
  constexpr std::string_view name = "what it writes it can read";
  if (ask<Exporter>(type) == nullptr) {
    list.unsupported(name, "not applicable: it writes no files");
    return;
  }
  list.claim(name, 0, "import what export_model gives: bodies and joints must be those of the model", [&](Measure& m) {
    Diagnostics diagnostics;
    const auto first = convert(type, type.example(), diagnostics);
    if (!first) throw Undecided("the example is not read");
    const Description before = read(*first, catalog, diagnostics);
    const auto file = export_model(type, before, diagnostics);
    const auto second = file ? convert(type, file->text, diagnostics) : std::nullopt;
    m.see(second ? 0 : 1, [&] { return first_message(diagnostics); });
    if (!second) return;
    const Description after = read(*second, catalog, diagnostics);
    m.see(diagnostics.failed() ? 1 : 0, [&] { return first_message(diagnostics); });
    for (const BodyItem& body : before.bodies) {
      const auto same = [&](const BodyItem& other) { return other.name == body.name; };
      m.see(std::ranges::any_of(after.bodies, same) ? 0 : 1,
            [&] { return fmt::format("body `{}` is not there any more", body.name); });
    }
  });
}

}  // namespace

void check_importer(const ImporterType& type, const Catalog& catalog, Checklist& list) {
  check_recognition(type, list);
  check_example(type, catalog, list);
  check_spoilt(type, catalog, list);
  check_export(type, catalog, list);
}

}  // namespace polyform::host::inline conformance
