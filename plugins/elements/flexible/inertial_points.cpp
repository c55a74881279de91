#include "inertial_points.hpp"

#include <cmath>
#include <numeric>
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
  double coefficient(std::size_t a, const std::vector<double>& function) const {
    return product(vectors_[a], function);
  }

 private:
  static double product(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
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
  for (std::size_t i = 0; i < 3; ++i) basis.add(place(i));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < m; ++k) basis.add(shape(i, k));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < m && bends(body, i); ++k)
      for (std::size_t l = 0; l <= k; ++l) basis.add(second(i, k, l));

  points_.resize(basis.size());
  for (std::size_t a = 0; a < basis.size(); ++a) points_[a].one = basis.coefficient(a, one);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto u = place(i);
    for (std::size_t a = 0; a < basis.size(); ++a) points_[a].place[i] = basis.coefficient(a, u);
    std::vector<std::vector<double>> found(basis.size(), std::vector<double>(m));
    for (std::size_t k = 0; k < m; ++k) {
      const auto phi = shape(i, k);
      for (std::size_t a = 0; a < basis.size(); ++a) found[a][k] = basis.coefficient(a, phi);
    }
    for (std::size_t a = 0; a < basis.size(); ++a)
      if (std::ranges::any_of(found[a], [](double x) { return x != 0; })) points_[a].shapes[i] = std::move(found[a]);
    if (!bends(body, i)) continue;
    std::vector<std::vector<double>> pairs(basis.size(), std::vector<double>(m * m));
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t l = 0; l <= k; ++l) {
        const auto gamma = second(i, k, l);
        for (std::size_t a = 0; a < basis.size(); ++a)
          pairs[a][k * m + l] = pairs[a][l * m + k] = basis.coefficient(a, gamma);
      }
    for (std::size_t a = 0; a < basis.size(); ++a)
      points_[a].second_order[i] =
          ModalMatrix::of(m, [&](std::size_t k, std::size_t l) { return pairs[a][k * m + l]; });
  }
}

}  // namespace polyform::flexible
