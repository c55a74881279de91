// Data as a model, and a model file as data.
#pragma once

#include <deque>
#include <string>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/import.hpp"
#include "framework/host/registry/catalog.hpp"
#include "framework/host/reading/document.hpp"
#include "polyform/library/value.hpp"

namespace polyform::library {

/// The nodes of a value, as reading takes them.
class Nodes {
 public:
  /// Failure (bad_input) for data that is nested too deeply.
  explicit Nodes(const Value&);
  const host::Node& root() const noexcept { return nodes_.front(); }

 private:
  void fill(host::Node&, const Value&, std::size_t depth);

  std::deque<host::Node> nodes_;
};

/// As JSON.
std::string text_of(const Value&);
/// The data of a model file, imported where it is one of another program; reports what is wrong with its syntax.
Value read_document(const std::string& file, const host::Catalog&, const host::ImportOptions&, host::Diagnostics&);

}  // namespace polyform::library
