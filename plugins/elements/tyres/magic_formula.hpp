// Pacejka's magic formula, versions 5.2 and 6.1, with the coefficients of a .tir file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "rolling_tyre.hpp"

namespace polyform::tyres {

/// Names of coefficients as .tir files have them, with the values of a made-up symmetric tyre of a car.
// clang-format off
#define POLYFORM_MAGIC_COEFFICIENTS(X)                                                                                 \
  X(FNOMIN, 4000) X(LONGVL, 16.7) X(UNLOADED_RADIUS, 0.313) X(LFZO, 1) X(LCX, 1) X(LMUX, 1) X(LEX, 1) X(LKX, 1)        \
  X(LHX, 1) X(LVX, 1) X(LGAX, 1) X(LCY, 1) X(LMUY, 1) X(LEY, 1) X(LKY, 1) X(LHY, 1) X(LVY, 1) X(LGAY, 1) X(LTR, 1)     \
  X(LRES, 1) X(LGAZ, 1) X(LXAL, 1) X(LYKA, 1) X(LVYKA, 1) X(LS, 1) X(LSGKP, 1) X(LSGAL, 1) X(LMX, 1) X(LVMX, 1)        \
  X(LMY, 1) X(PCX1, 1.65) X(PDX1, 1.2) X(PDX2, -0.04) X(PDX3, 0) X(PEX1, 0.3) X(PEX2, 0.1) X(PEX3, 0) X(PEX4, 0)       \
  X(PKX1, 21) X(PKX2, 0) X(PKX3, 0.2) X(PHX1, 0) X(PHX2, 0) X(PVX1, 0) X(PVX2, 0) X(RBX1, 12) X(RBX2, -10)             \
  X(RCX1, 1.1) X(REX1, 0) X(REX2, 0) X(RHX1, 0) X(PTX1, 1.8) X(PTX2, 0) X(PTX3, 0.2) X(PCY1, 1.3) X(PDY1, 1)           \
  X(PDY2, -0.12) X(PDY3, 0) X(PEY1, -0.8) X(PEY2, -0.5) X(PEY3, 0) X(PEY4, 0) X(PKY1, -18) X(PKY2, 2) X(PKY3, 0)       \
  X(PHY1, 0) X(PHY2, 0) X(PHY3, 0) X(PVY1, 0) X(PVY2, 0) X(PVY3, 0) X(PVY4, 0) X(RBY1, 7) X(RBY2, 3) X(RBY3, 0)        \
  X(RCY1, 1.05) X(REY1, 0) X(REY2, 0) X(RHY1, 0) X(RHY2, 0) X(RVY1, 0) X(RVY2, 0) X(RVY3, 0) X(RVY4, 0)                \
  X(RVY5, 1.9) X(RVY6, 0) X(PTY1, 1.8) X(PTY2, 2) X(QBZ1, 9) X(QBZ2, -1) X(QBZ3, 0) X(QBZ4, 0) X(QBZ5, 0)              \
  X(QBZ9, 18) X(QBZ10, 0) X(QCZ1, 1.2) X(QDZ1, 0.1) X(QDZ2, 0) X(QDZ3, 0) X(QDZ4, 0) X(QDZ6, 0) X(QDZ7, 0)             \
  X(QDZ8, 0) X(QDZ9, 0) X(QEZ1, -1.5) X(QEZ2, 0) X(QEZ3, 0) X(QEZ4, 0) X(QEZ5, 0) X(QHZ1, 0) X(QHZ2, 0) X(QHZ3, 0)     \
  X(QHZ4, 0) X(SSZ1, 0) X(SSZ2, 0) X(SSZ3, 0) X(SSZ4, 0) X(QSX1, 0) X(QSX2, 0) X(QSX3, 0) X(QSY1, 0) X(QSY2, 0)        \
  X(QSY3, 0) X(QSY4, 0)
// clang-format on

/// What version 6.1 has beside these: the pressure of the tyre, further parts of camber, the overturning moment,
/// carcass stiffnesses for the relaxation lengths. With these values, at nominal pressure and upright, 6.1 has the
/// forces of 5.2 at the slip angle whose size is tan α.
// clang-format off
#define POLYFORM_MAGIC_COEFFICIENTS_61(X)                                                                              \
  X(NOMPRES, 200000) X(LKYC, 1) X(LKZC, 1) X(LONGITUDINAL_STIFFNESS, 0) X(LATERAL_STIFFNESS, 0) X(PCFX1, 0)            \
  X(PCFX2, 0) X(PCFX3, 0) X(PCFY1, 0) X(PCFY2, 0) X(PCFY3, 0) X(PPX1, 0) X(PPX2, 0) X(PPX3, 0) X(PPX4, 0)              \
  X(RBX3, 0) X(PEY5, 0) X(PKY4, 2) X(PKY5, 0) X(PKY6, 0) X(PKY7, 0) X(PPY1, 0) X(PPY2, 0) X(PPY3, 0) X(PPY4, 0)        \
  X(PPY5, 0) X(RBY4, 0) X(QBZ6, 0) X(QDZ10, 0) X(QDZ11, 0) X(PPZ1, 0) X(PPZ2, 0) X(QSX4, 0) X(QSX5, 0) X(QSX6, 0)      \
  X(QSX7, 0) X(QSX8, 0) X(QSX9, 0) X(QSX10, 0) X(QSX11, 0) X(PPMX1, 0) X(QSY5, 0) X(QSY6, 0) X(QSY7, 0) X(QSY8, 0)
// clang-format on

/// Forces along the road and moments, as the formula has them: slip positive where it drives, slip angle α with
/// tan α = V_sy/|V_x|, camber positive about x; x forward, y to the left, z up.
struct MagicForces {
  double fx, fy, mx, my, mz;
};

class MagicFormula {
 public:
  /// What is wrong with the text of a .tir file.
  struct Mistake {
    std::size_t line;
    std::string what;
  };
  /// Takes the coefficients that a .tir file gives; what it does not give stays. May throw std::bad_alloc.
  std::optional<Mistake> read(std::string_view text);

  /// What the last file that was read gives no coefficient of, so that those of the made-up tyre stand for it:
  /// "combined slip", "the aligning moment"; empty if it gives some of each.
  std::string left_out() const;
  /// Whether a file gave FNOMIN, the load that all its coefficients refer to.
  bool has_nominal_load() const noexcept { return has_nominal_load_; }
  /// Coefficients of the last file without which there is no force, and that it does not give: "PDY1, PKY1"; or empty.
  const std::string& missing() const noexcept { return missing_; }
  /// Names in its sections of coefficients that the formula does not have; or empty.
  const std::string& unknown() const noexcept { return unknown_; }

  MagicForces forces(double load, double kappa, double alpha, double camber, double speed) const noexcept;
  double length_x(double load, double camber) const noexcept;
  double length_y(double load, double camber) const noexcept;
  /// Fills the tyre to this pressure, Pa; without it, that is INFLPRES of the file, or else NOMPRES. 5.2 knows none.
  void fill(double pressure) noexcept { INFLPRES = pressure; }
  bool knows_pressure() const noexcept { return is_61_; }
  /// The side of the vehicle on which the tyre was measured, TYRESIDE of the file.
  enum class Side { unsaid, left, right, symmetric };
  Side side() const noexcept { return side_; }
  /// Mounts the tyre on a side of the vehicle: on the other side than that of the measurement it is its mirror image. A
  /// symmetric tyre, or one of which the file says no side, stays as it is.
  void mount(Side on) noexcept {
    is_mirrored_ = (side_ == Side::left && on == Side::right) || (side_ == Side::right && on == Side::left);
  }

#define POLYFORM_MEMBER(name, value) double name = value;
  POLYFORM_MAGIC_COEFFICIENTS(POLYFORM_MEMBER)
  POLYFORM_MAGIC_COEFFICIENTS_61(POLYFORM_MEMBER)
#undef POLYFORM_MEMBER
  double INFLPRES = 0;

 private:
  struct Slip;
  struct Units;
  MagicForces measured_forces(double load, double kappa, double alpha, double camber, double speed) const noexcept;
  double pressure_change() const noexcept;
  double slip_stiffness(double load) const noexcept;
  double cornering_stiffness(double load, double camber) const noexcept;
  double overturning(const Slip&, double fy) const noexcept;
  double rolling_resistance(const Slip&, double fx, double speed) const noexcept;

  bool is_61_ = false, is_mirrored_ = false;
  Side side_ = Side::unsaid;
  bool has_combined_ = false, has_aligning_ = false, has_nominal_load_ = false;
  std::string missing_, unknown_;
};

}  // namespace polyform::tyres
