// Whatever the bytes, an import neither throws nor crashes nor goes on without end: it gives a model that can be read,
// or a message.
#include <random>

#include "tests/support/imported.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

void try_bytes(const ImporterType& importer, const std::string& bytes) {
  host::Diagnostics diagnostics;
  const auto got = host::import_model(importer, "robot", bytes, {}, diagnostics);
  if (!got) {
    REQUIRE(diagnostics.failed());
    REQUIRE_FALSE(diagnostics.all().front().message.empty());
    return;
  }
  host::Diagnostics of_model;
  bool missing = false;
  host::read_model_text(got->text, "model.yaml", registry().catalog(), of_model, missing);
  std::string messages;
  for (const Diagnostic& d : of_model.all()) messages += host::format(d) + "\n";
  INFO(messages << got->text << bytes);
  REQUIRE_FALSE(of_model.failed());
}

std::string mutated(std::string bytes, std::mt19937& random) {
  const auto place = [&] { return bytes.empty() ? 0 : random() % bytes.size(); };
  for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = place(), length = random() % 40;
    switch (random() % 6) {
      case 0: bytes.resize(at); break;
      case 1: bytes.erase(at, length); break;
      case 2: bytes.insert(at, bytes.substr(place(), length)); break;
      case 3:
        if (!bytes.empty()) bytes[at] = static_cast<char>(random() % 256);
        break;
      case 4:
        bytes.insert(at, std::array{"-1", "nan", "1e999", "\"", "<", "/>", " ", "0", "&amp;", "1e-320"}[random() % 10]);
        break;
      default:
        if (const std::size_t digit = bytes.find_first_of("0123456789", at); digit != std::string::npos)
          bytes[digit] = static_cast<char>('0' + random() % 10);
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("mutated files are imported or refused") {
  const std::string models = POLYFORM_MODELS;
  std::mt19937 random(7);
  for (const auto& [name, importer] : registry().catalog().importers) {
    std::vector<std::string> seeds{std::string(importer->example())};
    for (const char* file : {"/arm.urdf", "/gripper.sdf", "/leg.xml"})
      if (const std::string bytes = bytes_of(models + file); importer->recognises(bytes)) seeds.push_back(bytes);
    for (const std::string& seed : seeds)
      for (int i = 0; i < 400; ++i) try_bytes(*importer, mutated(seed, random));
  }
}

TEST_CASE("deep, huge, binary and malicious files end in a message") {
  for (const auto& [name, importer] : registry().catalog().importers) {
    INFO(name);
    const std::string example(importer->example());
    const std::string tag = example.substr(1, example.find_first_of(" >") - 1);
    std::string deep = "<" + tag + ">";
    for (int i = 0; i < 200'000; ++i) deep += "<body>";
    try_bytes(*importer, deep);
    for (int i = 0; i < 200'000; ++i) deep += "</body>";
    try_bytes(*importer, deep + "</" + tag + ">");
    try_bytes(*importer, "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><" + tag +
                             " name=\"&b;\">&b;</" + tag + ">");
    std::string binary;
    std::mt19937 random(3);
    for (int i = 0; i < 100'000; ++i) binary += static_cast<char>(random() % 256);
    try_bytes(*importer, binary);
    try_bytes(*importer, "<" + tag + ">" + binary);
    try_bytes(*importer, "");
    try_bytes(*importer, std::string(1000, '\0'));
  }
}
