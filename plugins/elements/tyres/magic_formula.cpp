#include "magic_formula.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace polyform::tyres {
namespace {

double sign(double x) noexcept { return x < 0 ? -1 : 1; }
/// B x − E (B x − atan(B x)).
double bent(double b, double e, double x) noexcept { return b * x - e * (b * x - std::atan(b * x)); }
/// A quotient whose divisor may vanish where the load does.
double ratio(double a, double b) noexcept { return b == 0 ? 0 : a / b; }

std::string_view trimmed(std::string_view s) noexcept {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

struct Name {
  std::string_view name;
  double MagicFormula::*member;
};
#define POLYFORM_NAME(name, value) Name{#name, &MagicFormula::name},
constexpr Name names[] = {POLYFORM_MAGIC_COEFFICIENTS(POLYFORM_NAME)};
#undef POLYFORM_NAME

}  // namespace

/// Lines `NAME = value $comment`; sections in brackets, comments after `$` or `!`, texts in quotes. Only one format of
/// the file is another one than this: that says so under FITTYP or PROPERTY_FILE_FORMAT.
std::optional<MagicFormula::Mistake> MagicFormula::read(std::string_view text) {
  std::size_t line_number = 0, found = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    line = trimmed(line.substr(0, std::min(line.find('$'), line.find('!'))));
    const std::size_t equals = line.find('=');
    if (line.empty() || line.front() == '[' || equals == std::string_view::npos) continue;
    std::string name(trimmed(line.substr(0, equals)));
    for (char& c : name)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    std::string_view value = trimmed(line.substr(equals + 1));
    if (name == "PROPERTY_FILE_FORMAT" && value.find("MF_05") == value.npos && value.find("PAC2002") == value.npos &&
        value.find("MF-TYRE") == value.npos && value.find("USER") == value.npos)
      return Mistake{line_number,
                     "the file has the format " + std::string(value) + ", not that of the magic formula 5"};
    if (name == "FITTYP" && value != "5" && value != "51" && value != "52" && value != "6")
      return Mistake{line_number, "the file is for version " + std::string(value) + " of the formula, not 5.2"};
    const auto known = std::ranges::find(names, std::string_view(name), &Name::name);
    if (known == std::end(names)) continue;
    if (value.starts_with('+')) value.remove_prefix(1);
    double number = 0;
    const auto [stopped, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || stopped != value.data() + value.size() || !std::isfinite(number))
      return Mistake{line_number, name + " is " + std::string(value) + ", which is no number"};
    this->*known->member = number;
    ++found;
  }
  if (found == 0) return Mistake{line_number, "the file gives no coefficient of the magic formula"};
  if (!(FNOMIN > 0) || !(UNLOADED_RADIUS > 0) || !(LFZO > 0) || PKY2 == 0 || PCX1 == 0 || PCY1 == 0)
    return Mistake{line_number, "FNOMIN, UNLOADED_RADIUS and LFZO are greater than zero, PKY2, PCX1 and PCY1 not zero"};
  return std::nullopt;
}

/// Pacejka, Tire and Vehicle Dynamics, 2002, Sect. 4.3.2; names of quantities as there.
MagicForces MagicFormula::forces(double Fz, double kappa, double alpha, double camber, double speed) const noexcept {
  const double Fz0 = LFZO * FNOMIN, R0 = UNLOADED_RADIUS, dfz = (Fz - Fz0) / Fz0;
  const double gx = camber * LGAX, gy = camber * LGAY, gz = camber * LGAZ;

  // Longitudinal force of pure slip.
  const double kx = kappa + (PHX1 + PHX2 * dfz) * LHX, Dx = Fz * (PDX1 + PDX2 * dfz) * (1 - PDX3 * gx * gx) * LMUX;
  const double Ex = std::min(1.0, (PEX1 + PEX2 * dfz + PEX3 * dfz * dfz) * (1 - PEX4 * sign(kx)) * LEX);
  const double Cx = PCX1 * LCX, Kx = Fz * (PKX1 + PKX2 * dfz) * std::exp(PKX3 * dfz) * LKX, Bx = ratio(Kx, Cx * Dx);
  const double Fx0 = Dx * std::sin(Cx * std::atan(bent(Bx, Ex, kx))) + Fz * (PVX1 + PVX2 * dfz) * LVX * LMUX;

  // Lateral force of pure slip.
  const double SHy = (PHY1 + PHY2 * dfz) * LHY + PHY3 * gy, ay = alpha + SHy;
  const double muy = (PDY1 + PDY2 * dfz) * (1 - PDY3 * gy * gy) * LMUY, Dy = muy * Fz, Cy = PCY1 * LCY;
  const double Ey = std::min(1.0, (PEY1 + PEY2 * dfz) * (1 - (PEY3 + PEY4 * gy) * sign(ay)) * LEY);
  const double Ky = PKY1 * FNOMIN * std::sin(2 * std::atan(Fz / (PKY2 * Fz0))) * (1 - PKY3 * std::abs(gy)) * LFZO * LKY;
  const double By = ratio(Ky, Cy * Dy);
  const double SVy = Fz * ((PVY1 + PVY2 * dfz) * LVY + (PVY3 + PVY4 * dfz) * gy) * LMUY;
  const double Fy0 = Dy * std::sin(Cy * std::atan(bent(By, Ey, ay))) + SVy;

  // Both together.
  const double Bxa = RBX1 * std::cos(std::atan(RBX2 * kappa)) * LXAL, Exa = std::min(1.0, REX1 + REX2 * dfz);
  const auto Gx = [&](double a) { return std::cos(RCX1 * std::atan(bent(Bxa, Exa, a))); };
  const double fx = Fx0 * ratio(Gx(alpha + RHX1), Gx(RHX1));
  const double Byk = RBY1 * std::cos(std::atan(RBY2 * (alpha - RBY3))) * LYKA, Eyk = std::min(1.0, REY1 + REY2 * dfz);
  const auto Gy = [&](double k) { return std::cos(RCY1 * std::atan(bent(Byk, Eyk, k))); };
  const double SHyk = RHY1 + RHY2 * dfz;
  const double DVyk = Dy * (RVY1 + RVY2 * dfz + RVY3 * camber) * std::cos(std::atan(RVY4 * alpha));
  const double SVyk = DVyk * std::sin(RVY5 * std::atan(RVY6 * kappa)) * LVYKA;
  const double pure = Fy0 * ratio(Gy(kappa + SHyk), Gy(SHyk)), fy = pure + SVyk;

  // Aligning torque: that of the trail, the residual one, and that of the force along x, which acts off the middle.
  const double at = alpha + QHZ1 + QHZ2 * dfz + (QHZ3 + QHZ4 * dfz) * gz, ar = alpha + SHy + ratio(SVy, Ky);
  const double slips = ratio(Kx, Ky) * kappa;
  const auto with_slip = [&](double a) {
    const double tangent = std::tan(a);
    return std::atan(std::sqrt(tangent * tangent + slips * slips)) * sign(a);
  };
  const double at_eq = with_slip(at), ar_eq = with_slip(ar);
  const double Bt = (QBZ1 + QBZ2 * dfz + QBZ3 * dfz * dfz) * (1 + QBZ4 * gz + QBZ5 * std::abs(gz)) * ratio(LKY, LMUY);
  const double Dt = Fz * (QDZ1 + QDZ2 * dfz) * (1 + QDZ3 * gz + QDZ4 * gz * gz) * R0 / Fz0 * LTR;
  const double Et = std::min(1.0, (QEZ1 + QEZ2 * dfz + QEZ3 * dfz * dfz) *
                                      (1 + (QEZ4 + QEZ5 * gz) * 2 / std::numbers::pi * std::atan(Bt * QCZ1 * at)));
  const double Br = QBZ9 * ratio(LKY, LMUY) + QBZ10 * By * Cy;
  const double Dr = Fz * ((QDZ6 + QDZ7 * dfz) * LRES + (QDZ8 + QDZ9 * dfz) * gz) * R0 * LMUY;
  const double trail = Dt * std::cos(QCZ1 * std::atan(bent(Bt, Et, at_eq))) * std::cos(alpha);
  const double residual = Dr * std::cos(std::atan(Br * ar_eq)) * std::cos(alpha);
  const double beside = R0 * (SSZ1 + SSZ2 * fy / Fz0 + (SSZ3 + SSZ4 * dfz) * camber) * LS;

  const double share = ratio(speed, LONGVL), square = share * share;
  return {fx, fy, R0 * Fz * (QSX1 * LVMX - QSX2 * camber + QSX3 * fy / Fz0) * LMX,
          R0 * Fz * (QSY1 + QSY2 * fx / Fz0 + QSY3 * std::abs(share) + QSY4 * square * square) * LMY,
          -trail * pure + residual + beside * fx};
}

double MagicFormula::length_x(double Fz, double) const noexcept {
  const double Fz0 = LFZO * FNOMIN, dfz = (Fz - Fz0) / Fz0;
  return std::max(1e-2 * UNLOADED_RADIUS,
                  Fz * (PTX1 + PTX2 * dfz) * std::exp(-PTX3 * dfz) * UNLOADED_RADIUS / Fz0 * LSGKP);
}
double MagicFormula::length_y(double Fz, double camber) const noexcept {
  const double Fz0 = LFZO * FNOMIN;
  return std::max(1e-2 * UNLOADED_RADIUS, PTY1 * std::sin(2 * std::atan(Fz / (PTY2 * Fz0))) *
                                              (1 - PKY3 * std::abs(camber)) * UNLOADED_RADIUS * LFZO * LSGAL);
}

}  // namespace polyform::tyres
