#include "inertial_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace polyform::flexible {
namespace {

// Part of a function's norm: a smaller rest, when the others are taken off, is rounding of the samples and of the sums.
constexpr double rounding_of_functions = 1e-13;

/// Orthonormal vectors, to which those of functions are added one after the other.
class Basis {
 public:
  /// Takes a function, by its values times the square roots of the masses.
  void add(std::vector<double> function) {
    const double whole = norm_of(function);
    if (!(whole > 0)) return;             // beams that bend in one plane have many such functions
    for (int pass = 0; pass < 2; ++pass)  // the second time mends the rounding of the first
      for (const std::vector<double>& b : vectors_) {
        const double part = product(b, function);
        for (std::size_t i = 0; i < function.size(); ++i) function[i] -= part * b[i];
      }
    const double left = norm_of(function);
    if (!(left > rounding_of_functions * whole)) return;
    for (double& x : function) x /= left;
    vectors_.push_back(std::move(function));
  }
  std::size_t size() const { return vectors_.size(); }
  /// Of the first `count` vectors in a function.
  std::vector<double> coefficients(const std::vector<double>& function, std::size_t count) const {
    std::vector<double> out;
    for (std::size_t a = 0; a < count; ++a) out.push_back(product(vectors_[a], function));
    return out;
  }

 private:
  /// In four sums, so that no addition waits for the last one.
  static double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= a.size(); i += 4)
      for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  static double norm_of(const std::vector<double>& a) { return std::sqrt(product(a, a)); }
  std::vector<std::vector<double>> vectors_;
};

/// The values of a function at the samples, times the square roots of their masses.
template <class Value>
std::vector<double> weighted(const SampledBody& body, Value value) {
  std::vector<double> all;
  all.reserve(body.samples.size());
  for (const SampledBody::Sample& s : body.samples) all.push_back(std::sqrt(s.mass) * value(s));
  return all;
}

bool is_zero(const std::vector<double>& function) {
  return std::ranges::all_of(function, [](double x) { return x == 0; });
}

bool bends(const SampledBody& body, std::size_t axis) {
  return !body.samples.empty() && !body.samples.front().second_order[axis].empty();
}

}  // namespace

InertialPoints::InertialPoints(const SampledBody& body) {
  using Sample = SampledBody::Sample;
  const std::size_t m = body.modes;
  const auto one = weighted(body, [](const Sample&) { return 1.0; });
  const auto place = [&](std::size_t i) { return weighted(body, [i](const Sample& s) { return s.place[i]; }); };
  const auto shape = [&](std::size_t i, std::size_t k) {
    return weighted(body, [i, k](const Sample& s) { return s.shapes[k][i]; });
  };
  const auto second = [&](std::size_t i, std::size_t k, std::size_t l) {
    return weighted(body, [i, pair = k * m + l](const Sample& s) { return s.second_order[i][pair]; });
  };
  Basis basis;
  basis.add(one);
  for (std::size_t i = 0; i < 3; ++i) {
    basis.add(place(i));
    axes_[i].points = basis.size();
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < m; ++k) {
      const auto phi = shape(i, k);
      basis.add(phi);
      if (is_zero(phi)) continue;
      axes_[i].moves = true;
      axes_[i].points = basis.size();
    }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < m && bends(body, i); ++k) {
      for (std::size_t l = 0; l <= k; ++l) basis.add(second(i, k, l));
      axes_[i].moves = true;
      axes_[i].points = basis.size();
    }

  one_ = basis.coefficients(one, basis.size());
  for (std::size_t i = 0; i < 3; ++i) {
    Axis& axis = axes_[i];
    const std::size_t count = axis.points;
    axis.place = basis.coefficients(place(i), count);
    if (!axis.moves) continue;
    for (std::size_t k = 0; k < m; ++k) {
      const auto found = basis.coefficients(shape(i, k), count);
      axis.shapes.insert(axis.shapes.end(), found.begin(), found.end());
    }
    if (!bends(body, i)) continue;
    axis.second_order.resize(m * m * count);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t l = 0; l <= k; ++l) {
        const auto found = basis.coefficients(second(i, k, l), count);
        for (const std::size_t pair : {k * m + l, l * m + k})
          std::ranges::copy(found, axis.second_order.begin() + static_cast<std::ptrdiff_t>(pair * count));
      }
  }
}

}  // namespace polyform::flexible
