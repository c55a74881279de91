#include "apps/formulas/symbols.hpp"

#include <cln/cln.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace polyform::apps::formulas {

Vector operator+(const Vector& a, const Vector& b) { return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}}; }
Vector operator-(const Vector& a, const Vector& b) { return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}}; }
Vector operator*(const ex& s, const Vector& a) { return {{s * a[0], s * a[1], s * a[2]}}; }
Vector cross(const Vector& a, const Vector& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
ex dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Rotation Rotation::transposed() const {
  Rotation t;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) t.rows[r][c] = rows[c][r];
  return t;
}

ex number(double value) { return GiNaC::numeric(cln::cl_N(cln::rational(cln::cl_DF(value)))); }
Vector numbers(const Vec3& v) { return {{number(v.x), number(v.y), number(v.z)}}; }

namespace {

/// A symbol as a number: its kind, or that it is the cosine or sine of an angle, then which of them it is.
constexpr std::size_t per_kind = std::size_t{1} << 32U, circle_kind = 5;

double double_of(const ex& e) { return GiNaC::ex_to<GiNaC::numeric>(e).to_double(); }

/// Terms that may be multiplied out before formulas are too large for a reader: less than a second.
constexpr double most_terms = 1e4;

/// How many terms multiplying out makes, at most.
double terms_of(const ex& e) {
  if (GiNaC::is_a<GiNaC::add>(e)) {
    double sum = 0;
    for (const ex& term : e) sum += terms_of(term);
    return sum;
  }
  if (GiNaC::is_a<GiNaC::mul>(e)) {
    double product = 1;
    for (const ex& factor : e) product *= terms_of(factor);
    return product;
  }
  if (GiNaC::is_a<GiNaC::power>(e) && e.op(1).info(GiNaC::info_flags::posint))
    return std::pow(terms_of(e.op(0)), double_of(e.op(1)));
  return 1;
}

/// Less the terms that rounding of axes which are no whole numbers leaves over.
ex without_rounding(const ex& e) {
  constexpr double rounding = 1e-13;
  const auto size = [](const ex& term) {
    double c = 1;
    const auto look = [&](const ex& factor) {
      if (GiNaC::is_a<GiNaC::numeric>(factor)) c *= std::abs(double_of(factor));
    };
    if (GiNaC::is_a<GiNaC::mul>(term))
      for (const ex& factor : term) look(factor);
    else
      look(term);
    return c;
  };
  if (!GiNaC::is_a<GiNaC::add>(e)) return size(e) < rounding ? ex(0) : e;
  ex sum = 0;
  for (const ex& term : e)
    if (size(term) >= rounding) sum += term;
  return sum;
}

}  // namespace

ex Symbols::add(Kind kind, const std::string& name, double value, std::string meaning) {
  std::string plain;
  for (const char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  std::string unique = plain;
  for (int k = 2; !taken_.insert(unique).second; ++k) unique = fmt::format("{}_{}", plain, k);
  const std::size_t line = unique.find('_');
  std::string tex = unique;
  if (line != std::string::npos) {
    std::string index = unique.substr(line + 1);
    for (std::size_t at = 0; (at = index.find('_', at)) != std::string::npos; at += 2) index.insert(at, "\\");
    tex = unique.substr(0, line) + "_{\\mathrm{" + index + "}}";
  }
  const std::size_t place = static_cast<std::size_t>(kind) * per_kind + entries_.size();
  entries_.push_back({symbol(unique, tex), kind, value, std::move(meaning), {}});
  places_.emplace(entries_.back().name, place);
  return entries_.back().name;
}

ex Symbols::parameter(const std::string& name, double value, std::string meaning) {
  return value == 0 ? ex(0) : add(Kind::parameter, name, value, std::move(meaning));
}

Vector Symbols::parameters(const char* letter, std::string_view owner, const Vec3& value, const std::string& meaning) {
  Vector v;
  constexpr const char* axes[] = {"x", "y", "z"};
  for (std::size_t k = 0; k < 3; ++k)
    v[k] = parameter(fmt::format("{}{}{}{}", letter, axes[k], owner.empty() ? "" : "_", owner), value[k], meaning);
  return v;
}

std::pair<ex, ex> Symbols::angle(const ex& q) {
  const Circle& circle = circles_.emplace_back(Circle{q, {}, {}});
  const std::size_t place = circle_kind * per_kind + 2 * (circles_.size() - 1);
  places_.emplace(circle.cosine, place);
  places_.emplace(circle.sine, place + 1);
  return {circle.cosine, circle.sine};
}

std::vector<const Symbols::Entry*> Symbols::of(Kind kind) const {
  std::vector<const Entry*> found;
  for (const Entry& e : entries_)
    if (e.kind == kind) found.push_back(&e);
  return found;
}

ex Symbols::expanded(const ex& e) {
  spent_ += terms_of(e);
  if (!intermediates_ && spent_ > most_terms) throw TooLarge{};
  ex out = e.expand();
  for (const Circle& circle : circles_) {
    const int degree = out.degree(circle.sine);
    if (degree < 2) continue;
    ex sum = 0;
    for (int k = 0; k <= degree; ++k)
      sum += out.coeff(circle.sine, k) * GiNaC::pow(circle.sine, k % 2) *
             GiNaC::pow(1 - GiNaC::pow(circle.cosine, 2), k / 2);
    out = sum.expand();
  }
  return without_rounding(out);
}

/// A product stands for itself, a sum is named once.
ex Symbols::kept(const ex& e) {
  if (!GiNaC::is_a<GiNaC::add>(e)) return e;
  if (const auto found = kept_.find(e); found != kept_.end()) return found->second;
  if (const auto found = kept_.find((-e).expand()); found != kept_.end()) return -found->second;
  const ex named = add(Kind::intermediate, fmt::format("z_{}", kept_.size() + 1), value(e), "intermediate result");
  entries_.back().formula = e;
  kept_.emplace(e, named);
  return named;
}

Monomial Symbols::term(const ex& e) const {
  Monomial m;
  const auto take = [&](const ex& factor) {
    const bool is_power = GiNaC::is_a<GiNaC::power>(factor);
    const auto place = places_.find(is_power ? factor.op(0) : factor);
    if (GiNaC::is_a<GiNaC::numeric>(factor))
      m.coefficient *= double_of(factor);
    else if (place != places_.end() && (!is_power || factor.op(1).info(GiNaC::info_flags::posint)))
      m.powers.push_back({place->second, is_power ? static_cast<unsigned>(double_of(factor.op(1))) : 1});
    else
      throw std::logic_error("a term of a formula is no product of powers");
  };
  if (GiNaC::is_a<GiNaC::mul>(e))
    for (const ex& factor : e) take(factor);
  else
    take(e);
  std::sort(m.powers.begin(), m.powers.end());
  return m;
}

std::vector<Monomial> Symbols::terms(const ex& e) const {
  std::vector<Monomial> found;
  if (GiNaC::is_a<GiNaC::add>(e))
    for (const ex& part : e) found.push_back(term(part));
  else
    found.push_back(term(e));
  std::sort(found.begin(), found.end(), [](const Monomial& a, const Monomial& b) {
    if (a.powers.empty() || b.powers.empty()) return !a.powers.empty();
    return a.powers < b.powers;
  });
  return found;
}

double Symbols::value_of(std::size_t symbol) const {
  const std::size_t kind = symbol / per_kind, index = symbol % per_kind;
  if (kind < circle_kind) return entries_[index].value;
  const double angle = value(circles_[index / 2].angle);
  return index % 2 == 0 ? std::cos(angle) : std::sin(angle);
}

double Symbols::value(const ex& e) const {
  double sum = 0;
  for (const Monomial& m : terms(e)) {
    double product = m.coefficient;
    for (const Monomial::Power& p : m.powers) product *= std::pow(value_of(p.symbol), p.exponent);
    sum += product;
  }
  return sum;
}

std::string Symbols::name(std::size_t symbol, bool latex) const {
  const std::size_t kind = symbol / per_kind, index = symbol % per_kind;
  if (kind < circle_kind) {
    std::ostringstream out;
    if (latex) out << GiNaC::latex;
    out << entries_[index].name;
    return std::move(out).str();
  }
  return fmt::format("{}{}({})", latex ? "\\" : "", index % 2 == 0 ? "cos" : "sin",
                     name(places_.at(circles_[index / 2].angle), latex));
}

}  // namespace polyform::apps::formulas
