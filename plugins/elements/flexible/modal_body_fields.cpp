#include <array>

#include "modal_body_data.hpp"
#include "modal_fields.hpp"

namespace polyform::flexible {
namespace {

constexpr std::array specs{
    FieldSpec{.name = "nodes",
              .type = FieldType::matrix,
              .unit = "m",
              .meaning = "undeformed positions of the n nodes, a row [x, y, z] each, body axes",
              .required = true},
    FieldSpec{.name = "mode_displacements",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "per mode a row of 3n: displacements x, y, z of node after node, body axes, m per unit of the "
                         "modal coordinate",
              .required = true},
    FieldSpec{.name = "mode_rotations",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "per mode a row of 3n: rotations x, y, z of node after node, body axes, rad per unit of the "
                         "modal coordinate; none unless given"},
    FieldSpec{.name = "modal_stiffness",
              .type = FieldType::numbers,
              .unit = "",
              .meaning = "stiffness of each mode, for uncoupled modes: the diagonal of K; ½ K η² in J",
              .minimum = 0},
    FieldSpec{.name = "stiffness_matrix",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "modal stiffness K of coupled modes, m rows of m, instead of modal_stiffness"},
    damping_ratio_spec,
    FieldSpec{.name = "damping_matrix",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "modal damping D, m rows of m, instead of damping_ratio"},
    FieldSpec{.name = "node_masses",
              .type = FieldType::numbers,
              .unit = "kg",
              .meaning = "mass of each node: the inertia of the flexible body, lumped",
              .minimum = 0},
    FieldSpec{.name = "integral_phi",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "∫Φ dm, instead of node_masses: per mode a row [x, y, z]"},
    FieldSpec{.name = "integral_u_phi",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "∫u Φᵀ dm with u the undeformed position, instead of node_masses: per mode a row [xx, xy, xz, "
                         "yx, yy, yz, zx, zy, zz]"},
    FieldSpec{.name = "integral_phi_phi",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "∫Φ Φᵀ dm, instead of node_masses: 3m rows of 3m, for mode after mode x, y, z"},
    modal_position_spec,
    modal_velocity_spec,
    FieldSpec{.name = "second_order_displacements",
              .type = FieldType::matrix,
              .unit = "1/m",
              .meaning = "Γ_kl of the displacement ½ Σ Γ_kl η_k η_l by which bending draws points in: for modes k, l = "
                         "1 1, 1 2, ..., m m a row of 3n, x, y, z of node after node"},
    FieldSpec{.name = "integral_gamma",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "∫Γ_kl dm, with integral_phi: per pair of modes a row [x, y, z]"},
    FieldSpec{.name = "integral_u_gamma",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "∫u Γ_klᵀ dm, with integral_u_phi: per pair of modes a row [xx, xy, xz, yx, ..., zz]"},
    geometric_stiffening_spec};

}  // namespace

Strided<const FieldSpec> modal_body_fields() noexcept { return specs; }

}  // namespace polyform::flexible
