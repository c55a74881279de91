// The treatment of everything in a file: collected while the file is converted, reported at the end.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "polyform/contract/importer.hpp"

namespace polyform::importers {

/// A place in the file, from 1; 0 if not known.
struct Place {
  int line = 0, column = 0;
};

/// Counts the things of each kind. Kinds are reported in the order in which they first occurred.
class Ledger {
 public:
  void add(Treatment, const std::string& what, std::string_view remark, Place, std::size_t count = 1);
  void tell(ConversionSink&) const;

 private:
  struct Entry {
    std::size_t order = 0, count = 0;
    Place first;
  };
  std::map<std::tuple<std::string, Treatment, std::string>, Entry> entries_;
};

// Remedies of errors that several readers tell.
inline constexpr std::string_view add_name = "Add name=\"...\".";
inline constexpr std::string_view change_name = "Give each a name of its own.";
inline constexpr std::string_view name_a_joint = "Name a <joint> of the model.";
inline constexpr std::string_view name_a_site = "Name a <site> of the model.";

/// Reports errors of one file to the host.
class Reporter {
 public:
  Reporter(DiagnosticSink& sink, std::string_view file) : sink_(sink), file_(file) {}
  void error(Place, std::string_view message, std::string_view remedy = {});
  void warning(Place, std::string_view message, std::string_view remedy = {});
  std::size_t errors() const noexcept { return errors_; }

 private:
  static constexpr std::size_t most = 100;
  DiagnosticSink& sink_;
  std::string file_;
  std::size_t errors_ = 0;
};

}  // namespace polyform::importers
