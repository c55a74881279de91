// Messages are part of the program: each kind of mistake has its wording, its place and its remedy pinned here.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "framework/host/reading/reader.hpp"
#include "tests/unit/reading/fake_catalog.hpp"

namespace polyform::host::testing {

/// A mistake, a model that makes it, and all that is printed about it.
struct MessageCase {
  std::string mistake, model, printed;
};

inline void check_messages(const std::vector<MessageCase>& cases) {
  for (const MessageCase& c : cases) {
    INFO(c.mistake);
    Diagnostics diagnostics;
    bool missing_plugin = false;
    read_model_text(c.model, "m.yaml", fake_catalog(), diagnostics, missing_plugin);
    std::string printed;
    for (const Diagnostic& d : diagnostics.all()) printed += format(d) + "\n";
    CHECK(printed == c.printed);
  }
}

}  // namespace polyform::host::testing
