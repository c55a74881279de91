// Data of a modal body: its fields by name, and what must hold of them.
#pragma once

#include "polyform/contract/flexible_body.hpp"

namespace polyform::flexible {

namespace modal_body_field {
enum Field : std::size_t {
  nodes,
  mode_displacements,
  mode_rotations,
  modal_stiffness,
  stiffness_matrix,
  damping_ratio,
  damping_matrix,
  node_masses,
  integral_phi,
  integral_u_phi,
  integral_phi_phi,
  modal_position,
  modal_velocity,
  second_order_displacements,
  integral_gamma,
  integral_u_gamma,
  geometric_stiffening
};
}  // namespace modal_body_field

Strided<const FieldSpec> modal_body_fields() noexcept;

/// The fields of one instance with plain indices. i, j: 0 to 2. Matrices may be unsymmetric by rounding; half is taken
/// from either side.
class ModalBodyData {
 public:
  explicit ModalBodyData(const FlexibleInstance& instance) : fields_(instance.fields) {}

  const FieldValue& operator[](std::size_t field) const { return fields_[field]; }
  std::size_t modes() const { return fields_[modal_body_field::mode_displacements].rows; }
  std::size_t nodes() const { return fields_[modal_body_field::nodes].rows; }
  Vec3 node(std::size_t n) const { return vector(modal_body_field::nodes, n); }
  Vec3 displacement(std::size_t k, std::size_t n) const {
    return vector(modal_body_field::mode_displacements, k * nodes() + n);
  }
  Vec3 rotation(std::size_t k, std::size_t n) const {
    return fields_[modal_body_field::mode_rotations].given ? vector(modal_body_field::mode_rotations, k * nodes() + n)
                                                           : Vec3{};
  }
  bool is_lumped() const { return fields_[modal_body_field::node_masses].given; }
  double node_mass(std::size_t n) const { return fields_[modal_body_field::node_masses].numbers[n]; }
  Vec3 integral_phi(std::size_t k) const { return vector(modal_body_field::integral_phi, k); }
  double integral_u_phi(std::size_t k, std::size_t i, std::size_t j) const {
    return fields_[modal_body_field::integral_u_phi].numbers[9 * k + 3 * i + j];
  }
  double integral_phi_phi(std::size_t k, std::size_t l, std::size_t i, std::size_t j) const {
    return symmetric(modal_body_field::integral_phi_phi, 3 * k + i, 3 * l + j);
  }
  /// Γ_kl at a node; k and l may be exchanged. Zero if it is not given and not found from the line of nodes.
  Vec3 second_order(std::size_t k, std::size_t l, std::size_t n) const {
    return 0.5 * (vector(modal_body_field::second_order_displacements, (k * modes() + l) * nodes() + n) +
                  vector(modal_body_field::second_order_displacements, (l * modes() + k) * nodes() + n));
  }
  double integral_gamma(std::size_t k, std::size_t l, std::size_t i) const {
    return symmetric_row(modal_body_field::integral_gamma, 3, k, l, i);
  }
  double integral_u_gamma(std::size_t k, std::size_t l, std::size_t i, std::size_t j) const {
    return symmetric_row(modal_body_field::integral_u_gamma, 9, k, l, 3 * i + j);
  }
  bool has_second_order() const { return fields_[modal_body_field::second_order_displacements].given; }
  /// Whether the stiffening is asked for, by the model or the host, and its data are known.
  bool stiffens() const { return fields_[modal_body_field::geometric_stiffening].integer != 0 && has_second_order(); }
  double stiffness(std::size_t k, std::size_t l) const {
    if (fields_[modal_body_field::stiffness_matrix].given) return symmetric(modal_body_field::stiffness_matrix, k, l);
    return k == l ? fields_[modal_body_field::modal_stiffness].numbers[k] : 0;
  }
  double symmetric(std::size_t field, std::size_t k, std::size_t l) const {
    const FieldValue& f = fields_[field];
    return 0.5 * (f.numbers[k * f.rows + l] + f.numbers[l * f.rows + k]);
  }

 private:
  double symmetric_row(std::size_t field, std::size_t columns, std::size_t k, std::size_t l, std::size_t i) const {
    const FieldValue& f = fields_[field];
    return 0.5 * (f.numbers[(k * modes() + l) * columns + i] + f.numbers[(l * modes() + k) * columns + i]);
  }
  Vec3 vector(std::size_t field, std::size_t i) const {
    const double* x = fields_[field].numbers.data() + 3 * i;
    return {x[0], x[1], x[2]};
  }
  Strided<const FieldValue> fields_;
};

/// False after an error, which was reported.
bool check_modal_body(const FlexibleInstance&, std::size_t instance, FieldSink&) noexcept;

}  // namespace polyform::flexible
