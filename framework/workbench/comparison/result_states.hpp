// States of a system as its results hold them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/results/result_reader.hpp"

namespace polyform::host::inline comparison {

/// The rows of results as canonical states. First-order states are zero.
class ResultStates {
 public:
  /// Both arguments outlive the object.
  ResultStates(const System&, const Results&);

  /// Whether the results have all coordinates and velocities of joints and modes, and all discrete states of elements.
  bool complete() const { return complete_; }
  std::size_t rows() const { return rows_; }
  /// The state of a row, if it is complete; nothing if a number is not finite. Valid until the next call.
  std::optional<ConstStateView> state(std::size_t row);
  /// The orientation of a body in a row, if the results have it.
  std::optional<Mat3> orientation(BodyIndex, std::size_t row) const;

 private:
  using Columns = std::vector<const std::vector<double>*>;
  void find(Columns&, const Results&, std::size_t place, std::string_view object, std::string_view letter,
            std::size_t count, bool indexed);

  template <class Group>
  void find_discrete(const Results&, const Group&);

  Columns q_, v_, eta_, etadot_, discrete_;
  std::vector<Columns> orientations_;  ///< per body: w x y z, or empty
  std::vector<double> numbers_, x_;
  std::vector<std::int32_t> discrete_values_;
  std::size_t rows_ = 0;
  bool complete_ = true;
};

}  // namespace polyform::host::comparison
