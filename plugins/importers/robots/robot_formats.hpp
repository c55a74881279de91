// The formats of robot descriptions.
#pragma once

#include <array>
#include <exception>

#include "polyform/contract/importer.hpp"

namespace polyform::importers {

const ImporterType& urdf() noexcept;  ///< Unified Robot Description Format
const ImporterType& sdf() noexcept;   ///< Simulation Description Format
const ImporterType& mjcf() noexcept;  ///< MuJoCo's XML format

/// Runs a conversion. Nothing that it throws reaches the host.
template <class Convert>
Status guarded(std::string_view file, DiagnosticSink& sink, Convert convert) noexcept {
  try {
    return convert() ? Status::ok : Status::failed;
  } catch (const std::bad_alloc&) {
    sink.report({.message = "there is not enough memory to convert this", .file = file});
  } catch (const std::exception& e) {
    sink.report({.message = e.what(), .file = file});
  }
  return Status::failed;
}

}  // namespace polyform::importers
