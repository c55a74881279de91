// Reading in tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "framework/host/reading/reader.hpp"
#include "tests/unit/reading/fake_catalog.hpp"

namespace polyform::host::testing {

/// All diagnostics as printed.
inline std::string printed(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += format(d) + "\n";
  return out;
}

/// A model that must be free of errors.
inline Description read_good(const std::string& text) {
  Diagnostics diagnostics;
  bool missing_plugin = true;
  Description model = read_model_text(text, "model.yaml", fake_catalog(), diagnostics, missing_plugin);
  INFO(printed(diagnostics));
  REQUIRE_FALSE(diagnostics.failed());
  REQUIRE_FALSE(missing_plugin);
  return model;
}

/// What is printed for a model.
inline std::string messages_of(const std::string& text, const Catalog& catalog = fake_catalog()) {
  Diagnostics diagnostics;
  bool missing_plugin = false;
  read_model_text(text, "model.yaml", catalog, diagnostics, missing_plugin);
  return printed(diagnostics);
}

inline void require_near(const Vec3& a, const Vec3& b) { REQUIRE(norm(a - b) <= 1e-15 * (1 + norm(b))); }

}  // namespace polyform::host::testing
