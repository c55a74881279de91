// Text that would exhaust stack, memory or patience is refused.
#include <fmt/format.h>

#include "framework/host/reading/document.hpp"
#include "tests/support/growth.hpp"
#include "tests/unit/reading/reading.hpp"

using namespace polyform::host;
using namespace polyform::host::testing;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

bool mentions(const std::string& messages, const std::string& part) {
  INFO(messages);
  CHECK(messages.find(part) != std::string::npos);
  return messages.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("deep nesting of any kind is refused before the stack is") {
  for (const char* opening : {"[", "{a: ", "- ", "? ", "[[{", "{? ", "- ? ", ": ", "[: "}) {
    INFO(opening);
    REQUIRE(mentions(messages_of(repeated(opening, 100'000)), "error:"));
  }
  std::string indented;
  for (std::size_t i = 0; i < 3000; ++i) indented += std::string(i, ' ') + "a:\n";
  mentions(messages_of(indented), "nested more than 200 levels deep");
}

TEST_CASE("aliases of aliases are counted, not written out") {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 30; ++i)
    bomb += fmt::format("a{0}: &a{0} [{1}*a{2}]\n", i, repeated(fmt::format("*a{}, ", i - 1), 9), i - 1);
  mentions(messages_of(bomb), "with its aliases (*) written out, this value is more than 5000000 values");
  std::string ladder = "a0: &a0 [1]\n";
  for (int i = 1; i < 10'000; ++i) ladder += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  mentions(messages_of(ladder), "or 200 levels");
}

TEST_CASE("an alias within its own anchor is refused") {
  mentions(messages_of("&a [*a]"), "refers to a value that contains it");
  mentions(messages_of("a: &a {b: {c: *a}}"), "refers to a value that contains it");
}

TEST_CASE("a large text is refused") { mentions(messages_of(std::string((64u << 20) + 1, ' ')), "more than 64 MiB"); }

TEST_CASE("many errors are counted, not listed, and take linear time") {
  const auto errors = [](std::size_t count) {
    std::string text = "polyform: 1\nbodies:\n";
    for (std::size_t i = 0; i < count; ++i)
      text += fmt::format("  - {{name: b{}, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n", i);
    text += "joints:\n";
    for (std::size_t i = 0; i < count; ++i)
      text += fmt::format("  - {{name: j{0}, type: free, base: ground, moving: c{0}}}\n", i);
    Diagnostics diagnostics;
    bool missing = false;
    read_model_text(text, "model.yaml", fake_catalog(), diagnostics, missing);
    REQUIRE(diagnostics.all().size() == 101);
    return std::string(diagnostics.all().back().message);
  };
  REQUIRE(polyform::test::grows_linearly(errors, 320));
  REQUIRE(errors(5000) == "… and 4900 more errors");
}

TEST_CASE("UTF-8 is told from what is not") {
  for (const std::string good : {"", "abc", "äö", "€", "😀"}) REQUIRE(first_bad_byte(good) == good.size());
  for (const std::string bad : {"\x80", "\xC0\x80", "\xE4", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\xFF"})
    REQUIRE(first_bad_byte("ab" + bad) == 2);
  REQUIRE(first_bad_byte(std::string("a\0b", 3)) == 1);
}
