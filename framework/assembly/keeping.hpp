// Which of the given rates are kept.
#pragma once

#include <memory>
#include <vector>

#include "framework/assembly/nearest_rates.hpp"

namespace polyform::host {

/// Modes and joints whose rates are to stay as given, all if the rows allow it. Otherwise they are taken one after the
/// other, each if it goes with those before it.
class Keeping {
 public:
  /// In a list of what to keep: the modes of all flexible bodies, else the number of a joint.
  static constexpr std::size_t modes = static_cast<std::size_t>(-1);

  /// given: rates of all joints. at: the state, at which the Jacobian is evaluated; the Jacobian gets rows for the
  /// rates of cut joints that are kept.
  Keeping(const SystemView&, ConstraintJacobian&, const std::vector<double>& given, const StateView& at);

  /// Keeps these, whether the rows allow it or not.
  void keep(std::vector<std::size_t> list);
  /// Keeps as many of them as the rows allow, which start from the rates w. False where the rows alone cannot be met.
  bool find(std::span<const double> w);

  NearestRates& rates() { return *rates_; }
  const std::vector<char>& columns() const { return columns_; }

 private:
  bool goes(std::span<const double> w, const std::vector<std::size_t>& list, NearestRates::Margin);

  const SystemView& view_;
  ConstraintJacobian& jacobian_;
  const std::vector<double>& given_;
  StateView at_;
  std::vector<std::size_t> wanted_;
  std::vector<char> columns_;
  std::unique_ptr<NearestRates> rates_;
};

}  // namespace polyform::host
