// What must hold of the data of a modal body.
#include <Eigen/Eigenvalues>
#include <cmath>

#include "modal_body_data.hpp"
#include "modal_fields.hpp"

namespace polyform::flexible {
namespace {

using namespace modal_body_field;

/// Data come with six digits at least.
constexpr double data_precision = 1e-6;

class Check {
 public:
  Check(const FlexibleInstance& instance, std::size_t number, FieldSink& sink)
      : data_(instance), number_(number), sink_(sink) {}

  bool run() {
    // The shapes first: without them no other field can be read.
    const std::size_t columns = data_[nodes].numbers.size() / data_[nodes].rows;
    if (columns != 3) {
      error(nodes, Message("a row of {} number{}, expected 3: x, y, z of a node", columns, plural(columns)),
            "Give the undeformed positions as [[x, y, z], ...] in body axes.");
      return false;
    }
    if (!has_shape(mode_displacements, data_.modes(), 3 * data_.nodes())) return false;
    if (data_[mode_rotations].given) has_shape(mode_rotations, data_.modes(), 3 * data_.nodes());
    stiffness();
    damping();
    inertia();
    second_order();
    for (const std::size_t field :
         {std::size_t{damping_ratio}, std::size_t{modal_position}, std::size_t{modal_velocity}})
      good_ &= check_per_mode(data_[field], modal_body_fields()[field], field, data_.modes(), number_, sink_);
    return good_;
  }

 private:
  std::string_view name(std::size_t field) const { return modal_body_fields()[field].name; }
  void error(std::size_t field, std::string_view message, std::string_view remedy) {
    sink_.report(Severity::error, number_, field, message, remedy);
    good_ = false;
  }
  bool has_shape(std::size_t field, std::size_t rows, std::size_t columns) {
    const std::size_t found_rows = data_[field].rows, found_columns = data_[field].numbers.size() / found_rows;
    if (found_rows == rows && found_columns == columns) return true;
    error(field,
          Message("{} has {} row{} of {}, expected {} of {} for {} mode{} and {} node{}", name(field), found_rows,
                  plural(found_rows), found_columns, rows, columns, data_.modes(), plural(data_.modes()), data_.nodes(),
                  plural(data_.nodes())),
          Message("{}: {}.", name(field), modal_body_fields()[field].meaning));
    return false;
  }
  bool has_count(std::size_t field, std::size_t expected, std::string_view what) {
    const std::size_t found = data_[field].numbers.size();
    if (found == expected) return true;
    error(field,
          Message("{} value{} given for {}, but the body has {} {}{}", found, plural(found), name(field), expected,
                  what, plural(expected)),
          Message("Give one number per {}.", what));
    return false;
  }
  void is_positive_semidefinite(std::size_t field, std::string_view why) {
    const FieldValue& value = data_[field];
    const Eigen::Index n = value.rows;
    Eigen::MatrixXd a(n, n);
    double scale = 0, unsymmetric = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto at = [&](Eigen::Index r, Eigen::Index c) {
          return value.numbers[static_cast<std::size_t>(r * n + c)];
        };
        a(i, j) = 0.5 * (at(i, j) + at(j, i));
        scale = std::max(scale, std::abs(at(i, j)));
        if (std::abs(at(i, j) - at(j, i)) > unsymmetric) unsymmetric = std::abs(at(i, j) - at(j, i));
      }
    if (unsymmetric > data_precision * scale) {
      error(field,
            Message("{} is not symmetric: two elements that should be equal differ by {:g}, the largest element "
                    "is {:g}",
                    name(field), unsymmetric, scale),
            "Check the order of rows and columns.");
      return;
    }
    const double lowest =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
    if (lowest < -data_precision * scale)
      error(field,
            Message("{} has the negative eigenvalue {:g} (its largest element is {:g})", name(field), lowest, scale),
            why);
  }

  void stiffness() {
    const bool diagonal = data_[modal_stiffness].given, full = data_[stiffness_matrix].given;
    if (diagonal == full) {
      error(full ? stiffness_matrix : modal_stiffness,
            full ? "both modal_stiffness and stiffness_matrix are given" : "no stiffness is given",
            "Give either modal_stiffness, one number per mode, or stiffness_matrix, m rows of m.");
      return;
    }
    if (diagonal)
      has_count(modal_stiffness, data_.modes(), "mode");
    else if (has_shape(stiffness_matrix, data_.modes(), data_.modes()))
      is_positive_semidefinite(stiffness_matrix, "The strain energy ½ ηᵀ K η of a stable body is never negative.");
  }
  void damping() {
    if (!data_[damping_matrix].given) return;
    if (data_[damping_ratio].given)
      error(damping_matrix, "both damping_ratio and damping_matrix are given", "Give one of the two, or none.");
    else if (has_shape(damping_matrix, data_.modes(), data_.modes()))
      is_positive_semidefinite(damping_matrix, "Damping never adds energy.");
  }
  void inertia() {
    constexpr std::size_t integrals[] = {integral_phi, integral_u_phi, integral_phi_phi};
    std::size_t given = 0, missing = integral_phi;
    for (const std::size_t field : integrals) {
      if (data_[field].given)
        ++given;
      else
        missing = field;
    }
    if (data_.is_lumped() && given > 0) {
      error(node_masses, "both node_masses and integrals of the modes are given",
            "Give the inertia once: lumped at the nodes, or by the three integrals.");
    } else if (data_.is_lumped()) {
      has_count(node_masses, data_.nodes(), "node");
    } else if (given < 3) {
      error(
          given == 0 ? node_masses : missing,
          given == 0 ? Message("no inertia is given") : Message("the integrals are not complete: no {}", name(missing)),
          "Give either node_masses or all of integral_phi, integral_u_phi and integral_phi_phi.");
    } else {
      const std::size_t m = data_.modes();
      has_shape(integral_phi, m, 3);
      has_shape(integral_u_phi, m, 9);
      if (has_shape(integral_phi_phi, 3 * m, 3 * m))
        is_positive_semidefinite(integral_phi_phi,
                                 "No distribution of mass has such integrals; check order and signs.");
    }
  }

  /// Data of second order, with the integrals where the inertia is given by integrals.
  void second_order() {
    const std::size_t m = data_.modes(), pairs = m * m;
    const auto given = [&](std::size_t field) { return data_[field].given; };
    if (data_[geometric_stiffening].given && data_[geometric_stiffening].integer != 0 && !data_.has_second_order())
      error(geometric_stiffening,
            "the body is to be stiffened by its tension, but how bending draws it in is not given",
            "Give second_order_displacements, or divide the body into flexible-beams.");
    if (given(second_order_displacements)) has_shape(second_order_displacements, pairs, 3 * data_.nodes());
    for (const auto& [field, columns] :
         {std::pair{std::size_t{integral_gamma}, 3}, std::pair{std::size_t{integral_u_gamma}, 9}}) {
      if (given(field) && (data_.is_lumped() || !given(second_order_displacements)))
        error(field, Message("{} does not go with what else is given", name(field)),
              "Give it with second_order_displacements, where the inertia is given by integrals, not by node_masses.");
      else if (given(field))
        has_shape(field, pairs, static_cast<std::size_t>(columns));
      else if (given(second_order_displacements) && !data_.is_lumped())
        error(field, Message("second_order_displacements are given without {}", name(field)),
              "Give both integrals of Γ beside those of Φ.");
    }
  }

  ModalBodyData data_;
  std::size_t number_;
  FieldSink& sink_;
  bool good_ = true;
};

}  // namespace

bool check_modal_body(const FlexibleInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  try {
    return Check(instance, number, sink).run();
  } catch (const std::bad_alloc&) {
    sink.report(Severity::error, number, FieldSink::no_field, "memory ran out while the matrices were checked",
                "Use fewer modes.");
    return false;
  }
}

}  // namespace polyform::flexible
