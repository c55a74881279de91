// Which of the given rates are kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "framework/host/assembly/nearest_rates.hpp"

namespace polyform::host::inline assembly {

/// Keeps as many items of a list as are possible together: all, or one after the other each that is possible with those
/// before it. Runs that grow, then halving find the longest possible run of further items, which takes few trials if
/// contradictions are few. goes(list) tries; the last trial succeeds. If an item is not possible, sift(kept, rest),
/// after a successful trial with `kept`, may move to `kept` the items that are possible without a trial, and drop those
/// that are not. False if the empty list fails too.
template <class Goes, class Sift = std::nullptr_t>
bool keep_most(const std::vector<std::size_t>& all, Goes goes, [[maybe_unused]] Sift sift = nullptr) {
  if (goes(all)) return true;
  if (all.empty() || !goes({})) return false;
  std::vector<std::size_t> kept, rest = all;
  bool last_went = true;
  while (!rest.empty()) {
    const auto with = [&](std::size_t count) {
      std::vector<std::size_t> list = kept;
      list.insert(list.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count));
      return list;
    };
    const auto try_with = [&](std::size_t count) { return last_went = goes(with(count)); };
    constexpr std::size_t growth = 8;
    std::size_t good = 0, bad = rest.size() + 1;  // so many further items are possible, so many are not possible
    for (std::size_t count = 1; good < rest.size() && bad > rest.size(); count = std::min(growth * count, rest.size()))
      (try_with(count) ? good : bad) = count;
    while (bad - good > 1) {
      const std::size_t middle = (good + bad) / 2;
      (try_with(middle) ? good : bad) = middle;
    }
    kept = with(good);
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(std::min(good + 1, rest.size())));
    if constexpr (!std::is_same_v<Sift, std::nullptr_t>) {
      if (rest.empty()) break;
      if (!last_went && !goes(kept)) return false;
      last_went = !sift(kept, rest);
    }
  }
  return last_went || goes(kept);
}

/// Modes and joints whose rates are to stay as given, as many as the rows allow.
class Keeping {
 public:
  /// An item of the lists: this stands for the modes of all flexible bodies, any other for the joint of that number.
  static constexpr std::size_t modes = static_cast<std::size_t>(-1);

  /// given: rates of all joints. The Jacobian is evaluated at the state; it gets rows for the rates of cut joints that
  /// are kept.
  Keeping(const SystemView&, ConstraintJacobian&, const std::vector<double>& given);

  /// Keeps these, whether the rows allow it or not.
  void keep(std::vector<std::size_t> list);
  /// A velocity that is given to a body.
  struct BodyVelocity {
    BodyIndex body;
    Spatial twist;
    bool whole;  ///< or its angular part alone
  };
  /// Whether the rows allow all kept rates together with these velocities, which are then kept, too.
  bool keeps_all(std::span<const double> w, std::span<const BodyVelocity>);
  /// Keeps as many rates as the rows allow, which start from the rates w. False if the rows alone cannot be met. moves:
  /// more is wanted than is kept, so rows that count as dependent must not lock it.
  bool find(std::span<const double> w, bool moves);
  /// The part of a row up to which the rates found meet it.
  double met_part() const { return margin_ == NearestRates::Margin::dependent ? rates_->met_part() : met; }

  /// The list that is kept.
  const std::vector<std::size_t>& kept() const { return wanted_; }
  NearestRates& rates() { return *rates_; }
  const std::vector<char>& columns() const { return columns_; }

 private:
  bool goes(std::span<const double> w, const std::vector<std::size_t>& list, NearestRates::Margin);
  bool sift(std::vector<std::size_t>& kept, std::vector<std::size_t>& rest);

  const SystemView& view_;
  ConstraintJacobian& jacobian_;
  const std::vector<double>& given_;
  std::vector<std::size_t> wanted_;
  std::vector<char> columns_;
  std::unique_ptr<NearestRates> rates_;
  NearestRates::Margin margin_ = NearestRates::Margin::wide;
  double dependence_ = 0;  ///< of the rows without the rows of rates, once it is needed
};

}  // namespace polyform::host::assembly
