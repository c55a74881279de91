// A dense system of linear equations, compiled once for any CPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace polyform::particles {

/// As many equations as unknowns. Nothing allocates after construction.
class FullSystem {
 public:
  explicit FullSystem(std::size_t unknowns);
  ~FullSystem();
  FullSystem(const FullSystem&) = delete;
  FullSystem& operator=(const FullSystem&) = delete;

  void clear() noexcept;
  /// Adds to a coefficient; the other adds to a right-hand side.
  void add(std::size_t row, std::size_t column, double value) noexcept;
  void add_right(std::size_t row, double value) noexcept;
  /// Solves. Rows may have different units: each counts by its largest coefficient. False if the solution is not finite
  /// or has no digit left. The solution is valid until the next call.
  bool solve() noexcept;
  /// Whether the last solve() met a pivot that was nothing but rounding.
  bool is_singular() const noexcept { return singular_; }
  std::span<const double> solution() const noexcept;

 private:
  struct Numbers;
  std::unique_ptr<Numbers> numbers_;
  bool singular_ = false;
};

}  // namespace polyform::particles
