// Rows of a run, and tables of studies.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/library/value.hpp"

namespace polyform::library {

/// group: joints, bodies, energy, constraint, …; unit: "1" where it has none.
struct POLYFORM_SHOWN Column {
  std::string name, unit, group;
};

enum class RunStatus { done, failed, interrupted };

/// What a run gave. The rows of a run that failed or was stopped are those until then.
class POLYFORM_SHOWN Result {
 public:
  struct Parts;
  explicit Result(std::shared_ptr<Parts>);

  const std::vector<Column>& columns() const noexcept;
  std::size_t rows() const noexcept;
  /// rows() × columns(), row after row; lives as long as any copy of the result.
  std::span<const double> data() const noexcept;
  /// The place of a column. Error (bad_input), with a suggestion, if there is none of that name.
  std::size_t index(std::string_view name) const;
  /// A copy of one column.
  std::vector<double> column(std::string_view name) const;

  RunStatus status() const noexcept;
  /// What `polyform run --json` prints.
  const Value& record() const noexcept;
  /// The warnings of the run.
  const std::vector<Message>& warnings() const noexcept;
  /// Error (simulation_failed) if the run failed.
  void check() const;
  /// The page of `polyform run --report`: one file of HTML that opens offline. Error (simulation_failed) if this
  /// build has no page.
  std::string page() const;

 private:
  std::shared_ptr<Parts> parts_;
};

/// The table of a study: a row per case.
struct POLYFORM_SHOWN StudyTable {
  std::vector<std::string> factors, quantities;
  std::vector<std::string> units;  ///< of the quantities; "" if not known
  struct Case {
    std::vector<std::string> values;  ///< of the factors
    std::vector<double> quantities;   ///< NaN if the case failed
    bool done = false;
    std::string reason;  ///< why it failed, or what it warns of
  };
  std::vector<Case> cases;
};

}  // namespace polyform::library
