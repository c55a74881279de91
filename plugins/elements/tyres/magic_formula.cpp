#include "magic_formula.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace polyform::tyres {
namespace {

constexpr std::string_view sections_of_coefficients[] = {"[LONGITUDINAL_COEFFICIENTS", "[LATERAL_COEFFICIENTS",
                                                         "[ALIGNING_COEFFICIENTS", "[OVERTURNING_COEFFICIENTS",
                                                         "[ROLLING_COEFFICIENTS"};

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
constexpr Name names[] = {POLYFORM_MAGIC_COEFFICIENTS(POLYFORM_NAME)
                              POLYFORM_MAGIC_COEFFICIENTS_61(POLYFORM_NAME){"INFLPRES", &MagicFormula::INFLPRES}};
#undef POLYFORM_NAME

std::string upper(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}
/// A text of a file, which may stand in quotes, in capitals.
std::string text_of(std::string_view value) {
  const auto is_quote = [](char c) { return c == '\'' || c == '"'; };
  if (!value.empty() && is_quote(value.front())) value.remove_prefix(1);
  if (!value.empty() && is_quote(value.back())) value.remove_suffix(1);
  return upper(trimmed(value));
}

struct Unit {
  std::string_view name;
  double size;  ///< in SI units
};
constexpr double pound_force = 4.4482216152605;
constexpr Unit lengths[] = {
    {"METER", 1},   {"METERS", 1},        {"M", 1},         {"MM", 1e-3},       {"MILLIMETER", 1e-3},
    {"CM", 1e-2},   {"CENTIMETER", 1e-2}, {"KM", 1e3},      {"KILOMETER", 1e3}, {"INCH", 0.0254},
    {"IN", 0.0254}, {"FOOT", 0.3048},     {"FEET", 0.3048}, {"FT", 0.3048}};
constexpr Unit force_units[] = {{"NEWTON", 1},
                                {"NEWTONS", 1},
                                {"N", 1},
                                {"KILO_NEWTON", 1e3},
                                {"KNEWTON", 1e3},
                                {"KN", 1e3},
                                {"KILOGRAM_FORCE", 9.80665},
                                {"KG_FORCE", 9.80665},
                                {"KGF", 9.80665},
                                {"POUND_FORCE", pound_force},
                                {"LBF", pound_force},
                                {"KPOUND_FORCE", 1e3 * pound_force}};
constexpr Unit times[] = {{"SECOND", 1}, {"SECONDS", 1}, {"SEC", 1},  {"S", 1},       {"MILLISECOND", 1e-3},
                          {"MS", 1e-3},  {"MINUTE", 60}, {"MIN", 60}, {"HOUR", 3600}, {"H", 3600}};
// The formula knows angles in radians only, and no coefficient that is read has a mass.
constexpr Unit angles[] = {{"RADIANS", 1}, {"RADIAN", 1}, {"RAD", 1}};

}  // namespace

/// Units of the section [UNITS], in SI units, and the dimension of each coefficient that has one: the others are
/// numbers.
struct MagicFormula::Units {
  double length = 1, force = 1, time = 1;

  /// Takes one line of the section. What is wrong with it; empty if nothing is.
  std::string take(const std::string& name, std::string_view value) {
    const std::string unit = text_of(value);
    const auto set = [&](std::span<const Unit> all, double* size) -> std::string {
      const auto known = std::ranges::find(all, std::string_view(unit), &Unit::name);
      if (known == all.end()) return "the unit " + std::string(value) + " of " + name + " is not known here";
      if (size != nullptr) *size = known->size;
      return {};
    };
    if (name == "LENGTH") return set(lengths, &length);
    if (name == "FORCE") return set(force_units, &force);
    if (name == "TIME") return set(times, &time);
    if (name == "ANGLE") return set(angles, nullptr);
    return {};
  }
  double size_of(double MagicFormula::*member) const {
    if (member == &MagicFormula::FNOMIN) return force;
    if (member == &MagicFormula::UNLOADED_RADIUS) return length;
    if (member == &MagicFormula::LONGVL) return length / time;
    if (member == &MagicFormula::NOMPRES || member == &MagicFormula::INFLPRES) return force / (length * length);
    if (member == &MagicFormula::LONGITUDINAL_STIFFNESS || member == &MagicFormula::LATERAL_STIFFNESS)
      return force / length;
    return 1;
  }
};

/// Lines `NAME = value $comment`; sections in brackets, comments after `$` or `!`, texts in quotes. Only one format of
/// the file is another one than this: that says so under FITTYP or PROPERTY_FILE_FORMAT. The section [UNITS] holds for
/// the whole file, wherever it stands.
std::optional<MagicFormula::Mistake> MagicFormula::read(std::string_view text) {
  std::size_t line_number = 0;
  unknown_.clear();
  Units units;
  std::string section;
  struct Given {
    double MagicFormula::*member;
    std::size_t line;
  };
  std::vector<Given> given;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    line = trimmed(line.substr(0, std::min(line.find('$'), line.find('!'))));
    const std::size_t equals = line.find('=');
    if (!line.empty() && line.front() == '[') section = upper(line.substr(0, line.find(']')));
    if (line.empty() || line.front() == '[' || equals == std::string_view::npos) continue;
    const std::string name = upper(trimmed(line.substr(0, equals)));
    std::string_view value = trimmed(line.substr(equals + 1));
    if (section == "[UNITS") {
      if (std::string wrong = units.take(name, value); !wrong.empty()) return Mistake{line_number, std::move(wrong)};
      continue;
    }
    if (name == "TYRESIDE") {
      const std::string side = text_of(value);
      if (side != "LEFT" && side != "RIGHT" && side != "SYMMETRIC")
        return Mistake{line_number, "TYRESIDE is " + std::string(value) + ", not LEFT, RIGHT or SYMMETRIC"};
      side_ = side == "LEFT" ? Side::left : side == "RIGHT" ? Side::right : Side::symmetric;
    }
    if (name == "PROPERTY_FILE_FORMAT" && value.find("MF_05") == value.npos && value.find("PAC2002") == value.npos &&
        value.find("MF-TYRE") == value.npos && value.find("MF61") == value.npos && value.find("USER") == value.npos)
      return Mistake{line_number,
                     "the file has the format " + std::string(value) + ", not that of the magic formula 5 or 6.1"};
    if (name == "FITTYP") {
      constexpr std::string_view versions[] = {"5", "51", "52", "6", "60", "61"};
      if (std::ranges::find(versions, value) == std::end(versions))
        return Mistake{line_number,
                       "the file is for version " + std::string(value) + " of the formula, not 5.2 or 6.1"};
      is_61_ = value == "60" || value == "61";  // 6 is 5.2 too
    }
    const auto known = std::ranges::find(names, std::string_view(name), &Name::name);
    if (known == std::end(names)) {
      if (std::ranges::find(sections_of_coefficients, section) != std::end(sections_of_coefficients))
        unknown_ += (unknown_.empty() ? "" : ", ") + name;
      continue;
    }
    if (value.starts_with('+')) value.remove_prefix(1);
    double number = 0;
    const auto [stopped, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || stopped != value.data() + value.size() || !std::isfinite(number))
      return Mistake{line_number, name + " is " + std::string(value) + ", which is no number"};
    const auto before = std::ranges::find(given, known->member, &Given::member);
    if (before == given.end())
      given.push_back({known->member, line_number});
    else if (this->*known->member != number)
      return Mistake{line_number, name + " has another value here than in line " + std::to_string(before->line)};
    this->*known->member = number;
    has_combined_ = has_combined_ || name.starts_with('R');
    has_aligning_ = has_aligning_ || (name.starts_with('Q') && name.find('Z') != name.npos);
  }
  for (const Given& one : given) this->*one.member *= units.size_of(one.member);
  if (given.empty())
    return Mistake{std::max<std::size_t>(line_number, 1), "the file gives no coefficient of the magic formula"};
  const auto is_given = [&](double MagicFormula::*member) {
    return std::ranges::find(given, member, &Given::member) != given.end();
  };
  has_nominal_load_ = has_nominal_load_ || is_given(&MagicFormula::FNOMIN);
  constexpr std::string_view principal[] = {"PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2"};
  missing_.clear();
  for (const Name& name : names)
    if (std::ranges::find(principal, name.name) != std::end(principal) && !is_given(name.member))
      missing_ += (missing_.empty() ? "" : ", ") + std::string(name.name);
  struct Limit {
    double MagicFormula::*member;
    bool fits;
    std::string_view wanted;
  };
  constexpr std::string_view positive = "greater than zero", not_zero = "another number than zero";
  for (const Limit& limit :
       {Limit{&MagicFormula::NOMPRES, !is_61_ || NOMPRES > 0, positive},
        Limit{&MagicFormula::PKY4, !is_61_ || PKY4 != 0, not_zero},
        Limit{&MagicFormula::INFLPRES, !is_61_ || INFLPRES >= 0, "not below zero"},
        Limit{&MagicFormula::FNOMIN, FNOMIN > 0, positive},
        Limit{&MagicFormula::UNLOADED_RADIUS, UNLOADED_RADIUS > 0, positive},
        Limit{&MagicFormula::LFZO, LFZO > 0, positive}, Limit{&MagicFormula::PKY2, PKY2 != 0, not_zero},
        Limit{&MagicFormula::PCX1, PCX1 != 0, not_zero}, Limit{&MagicFormula::PCY1, PCY1 != 0, not_zero}}) {
    if (limit.fits) continue;
    const auto at = std::ranges::find(given, limit.member, &Given::member);
    const auto called = std::ranges::find(names, limit.member, &Name::member);
    return Mistake{at == given.end() ? line_number : at->line,
                   std::string(called->name) + " has to be " + std::string(limit.wanted)};
  }
  return std::nullopt;
}

std::string MagicFormula::left_out() const {
  std::string out = has_combined_ ? "" : "combined slip (RBX1 to RVY6)";
  if (!has_aligning_) out += std::string(out.empty() ? "" : " and ") + "the aligning moment (QBZ1 to QHZ4)";
  return out;
}

/// What the parts of the formula share.
struct MagicFormula::Slip {
  double Fz, Fz0, dfz, R0, camber, dpi;
};

/// (p − p₀)/p₀.
double MagicFormula::pressure_change() const noexcept {
  return is_61_ && INFLPRES > 0 ? (INFLPRES - NOMPRES) / NOMPRES : 0;
}

MagicForces MagicFormula::forces(double load, double kappa, double alpha, double camber, double speed) const noexcept {
  if (!is_mirrored_) return measured_forces(load, kappa, alpha, camber, speed);
  const MagicForces f = measured_forces(load, kappa, -alpha, -camber, speed);
  return {f.fx, -f.fy, -f.mx, f.my, -f.mz};
}

double MagicFormula::slip_stiffness(double Fz) const noexcept {
  const double Fz0 = LFZO * FNOMIN, dfz = (Fz - Fz0) / Fz0, dpi = pressure_change();
  return Fz * (PKX1 + PKX2 * dfz) * std::exp(PKX3 * dfz) * (1 + PPX1 * dpi + PPX2 * dpi * dpi) * LKX;
}

double MagicFormula::cornering_stiffness(double Fz, double camber) const noexcept {
  const double Fz0 = LFZO * FNOMIN, dpi = pressure_change(), g = camber * LGAY;
  const double most_at = (PKY2 + PKY5 * g * g) * (1 + PPY2 * dpi);  // a share of the nominal load
  return PKY1 * FNOMIN * (1 + PPY1 * dpi) * std::sin(PKY4 * std::atan(Fz / (most_at * Fz0))) *
         (1 - PKY3 * std::abs(g)) * LFZO * LKY;
}

/// 5.2: Pacejka, Tire and Vehicle Dynamics, 2002, Sect. 4.3.2. 6.1: Besselink, Schmeitz and Pacejka, An improved Magic
/// Formula/Swift tyre model that can handle inflation pressure changes, Vehicle System Dynamics 48 (2010), appendix,
/// without turn slip. Names of quantities as there. Terms that one version lacks have the coefficient zero in it; where
/// the versions differ in form, is_61_ tells.
MagicForces MagicFormula::measured_forces(double Fz, double kappa, double slip_angle, double inclination,
                                          double speed) const noexcept {
  const double Fz0 = LFZO * FNOMIN, R0 = UNLOADED_RADIUS, dfz = (Fz - Fz0) / Fz0, dpi = pressure_change();
  // 6.1 takes the tangent of the slip angle and the sine of the camber in their places; the longitudinal friction, the
  // overturning moment and the rolling resistance have the camber itself (Pacejka 2012, Eqs 4.E13, 4.E69, 4.E70).
  const double alpha = is_61_ ? std::tan(slip_angle) : slip_angle;
  const double camber = is_61_ ? std::sin(inclination) : inclination;
  const double gx = inclination * LGAX, gy = camber * LGAY, gz = camber * LGAZ;

  // Longitudinal force of pure slip.
  const double kx = kappa + (PHX1 + PHX2 * dfz) * LHX;
  const double Dx = Fz * (PDX1 + PDX2 * dfz) * (1 + PPX3 * dpi + PPX4 * dpi * dpi) * (1 - PDX3 * gx * gx) * LMUX;
  const double Ex = std::min(1.0, (PEX1 + PEX2 * dfz + PEX3 * dfz * dfz) * (1 - PEX4 * sign(kx)) * LEX);
  const double Cx = PCX1 * LCX, Kx = slip_stiffness(Fz), Bx = ratio(Kx, Cx * Dx);
  const double Fx0 = Dx * std::sin(Cx * std::atan(bent(Bx, Ex, kx))) + Fz * (PVX1 + PVX2 * dfz) * LVX * LMUX;

  // Lateral force of pure slip.
  const double Ky = cornering_stiffness(Fz, camber);
  const double SVyg = Fz * (PVY3 + PVY4 * dfz) * gy * (is_61_ ? LKYC : 1) * LMUY;
  const double SVy = Fz * (PVY1 + PVY2 * dfz) * LVY * LMUY + SVyg;
  const double Kyg = Fz * (PKY6 + PKY7 * dfz) * (1 + PPY5 * dpi) * LKYC;
  const double SHy = (PHY1 + PHY2 * dfz) * LHY + (is_61_ ? ratio(Kyg * gy - SVyg, Ky) : PHY3 * gy), ay = alpha + SHy;
  const double muy = (PDY1 + PDY2 * dfz) * (1 + PPY3 * dpi + PPY4 * dpi * dpi) * (1 - PDY3 * gy * gy) * LMUY;
  const double Dy = muy * Fz, Cy = PCY1 * LCY, By = ratio(Ky, Cy * Dy);
  const double Ey = std::min(1.0, (PEY1 + PEY2 * dfz) * (1 + PEY5 * gy * gy - (PEY3 + PEY4 * gy) * sign(ay)) * LEY);
  const double Fy0 = Dy * std::sin(Cy * std::atan(bent(By, Ey, ay))) + SVy;

  // Both together.
  const double Bxa = (RBX1 + RBX3 * camber * camber) * std::cos(std::atan(RBX2 * kappa)) * LXAL;
  const double Exa = std::min(1.0, REX1 + REX2 * dfz);
  const auto Gx = [&](double a) { return std::cos(RCX1 * std::atan(bent(Bxa, Exa, a))); };
  const double fx = Fx0 * ratio(Gx(alpha + RHX1), Gx(RHX1));
  const double Byk = (RBY1 + RBY4 * camber * camber) * std::cos(std::atan(RBY2 * (alpha - RBY3))) * LYKA;
  const double Eyk = std::min(1.0, REY1 + REY2 * dfz);
  const auto Gy = [&](double k) { return std::cos(RCY1 * std::atan(bent(Byk, Eyk, k))); };
  const double SHyk = RHY1 + RHY2 * dfz;
  const double DVyk = Dy * (RVY1 + RVY2 * dfz + RVY3 * camber) * std::cos(std::atan(RVY4 * alpha));
  const double SVyk = DVyk * std::sin(RVY5 * std::atan(RVY6 * kappa)) * LVYKA;
  const double pure = Fy0 * ratio(Gy(kappa + SHyk), Gy(SHyk)), fy = pure + SVyk;

  // Aligning torque: that of the trail, the residual one, and that of the force along x, which acts off the middle.
  const double at = alpha + QHZ1 + QHZ2 * dfz + (QHZ3 + QHZ4 * dfz) * gz, ar = alpha + SHy + ratio(SVy, Ky);
  const double slips = ratio(Kx, Ky) * kappa;
  const auto with_slip = [&](double a) {
    const double tangent = is_61_ ? a : std::tan(a), together = std::sqrt(tangent * tangent + slips * slips);
    return (is_61_ ? together : std::atan(together)) * sign(a);
  };
  const double at_eq = with_slip(at), ar_eq = with_slip(ar);
  const double Bt = (QBZ1 + QBZ2 * dfz + QBZ3 * dfz * dfz) * (1 + QBZ4 * gz + QBZ5 * std::abs(gz) + QBZ6 * gz * gz) *
                    ratio(LKY, LMUY);
  const double Dt = Fz * (QDZ1 + QDZ2 * dfz) * (1 - PPZ1 * dpi) * (1 + QDZ3 * gz + QDZ4 * gz * gz) * R0 / Fz0 * LTR;
  const double Et = std::min(1.0, (QEZ1 + QEZ2 * dfz + QEZ3 * dfz * dfz) *
                                      (1 + (QEZ4 + QEZ5 * gz) * 2 / std::numbers::pi * std::atan(Bt * QCZ1 * at)));
  const double Br = QBZ9 * ratio(LKY, LMUY) + QBZ10 * By * Cy;
  const double of_camber =
      ((QDZ8 + QDZ9 * dfz) * (1 + PPZ2 * dpi) + (QDZ10 + QDZ11 * dfz) * std::abs(gz)) * gz * (is_61_ ? LKZC : 1);
  const double Dr = Fz * ((QDZ6 + QDZ7 * dfz) * LRES + of_camber) * R0 * LMUY;
  const double along = std::cos(slip_angle);
  const double trail = Dt * std::cos(QCZ1 * std::atan(bent(Bt, Et, at_eq))) * along;
  const double residual = Dr * std::cos(std::atan(Br * ar_eq)) * along;
  const double beside = R0 * (SSZ1 + SSZ2 * fy / Fz0 + (SSZ3 + SSZ4 * dfz) * camber) * LS;

  const Slip slip{Fz, Fz0, dfz, R0, inclination, dpi};
  return {fx, fy, overturning(slip, fy), rolling_resistance(slip, fx, speed), -trail * pure + residual + beside * fx};
}

double MagicFormula::overturning(const Slip& s, double fy) const noexcept {
  const double load = s.Fz / s.Fz0, side = fy / s.Fz0, squared = QSX6 * load * QSX6 * load;
  return s.R0 * s.Fz * LMX *
         (QSX1 * LVMX - QSX2 * s.camber * (1 + PPMX1 * s.dpi) + QSX3 * side +
          QSX4 * std::cos(QSX5 * std::atan(squared)) * std::sin(QSX7 * s.camber + QSX8 * std::atan(QSX9 * side)) +
          QSX10 * std::atan(QSX11 * load) * s.camber);
}

double MagicFormula::rolling_resistance(const Slip& s, double fx, double speed) const noexcept {
  const double share = ratio(speed, LONGVL), square = share * share, load = s.Fz / s.Fz0;
  const double of_camber = (QSY5 + QSY6 * load) * s.camber * s.camber;
  double growth = 1;
  if (QSY7 != 0 || QSY8 != 0) growth = std::pow(std::max(load, 0.0), QSY7) * std::pow(1 + s.dpi, QSY8);
  return s.R0 * s.Fz * growth *
         (QSY1 + QSY2 * fx / s.Fz0 + QSY3 * std::abs(share) + QSY4 * square * square + of_camber) * LMY;
}

/// 6.1: the stiffness of the slip over that of the carcass, as in the paper; without the latter as in 5.2.
double MagicFormula::length_x(double Fz, double) const noexcept {
  const double Fz0 = LFZO * FNOMIN, dfz = (Fz - Fz0) / Fz0, least = 1e-2 * UNLOADED_RADIUS;
  if (is_61_ && LONGITUDINAL_STIFFNESS > 0) {
    const double carcass =
        LONGITUDINAL_STIFFNESS * (1 + PCFX1 * dfz + PCFX2 * dfz * dfz) * (1 + PCFX3 * pressure_change());
    return std::max(least, std::abs(ratio(slip_stiffness(Fz), carcass)));
  }
  return std::max(least, Fz * (PTX1 + PTX2 * dfz) * std::exp(-PTX3 * dfz) * UNLOADED_RADIUS / Fz0 * LSGKP);
}
double MagicFormula::length_y(double Fz, double camber) const noexcept {
  if (is_mirrored_) camber = -camber;
  const double Fz0 = LFZO * FNOMIN, dfz = (Fz - Fz0) / Fz0, least = 1e-2 * UNLOADED_RADIUS;
  if (is_61_ && LATERAL_STIFFNESS > 0) {
    const double carcass = LATERAL_STIFFNESS * (1 + PCFY1 * dfz + PCFY2 * dfz * dfz) * (1 + PCFY3 * pressure_change());
    return std::max(least, std::abs(ratio(cornering_stiffness(Fz, std::sin(camber)), carcass)));
  }
  return std::max(least, PTY1 * std::sin(2 * std::atan(Fz / (PTY2 * Fz0))) * (1 - PKY3 * std::abs(camber)) *
                             UNLOADED_RADIUS * LFZO * LSGAL);
}

}  // namespace polyform::tyres
