#include "apps/formulas/writing.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace polyform::apps::formulas {
namespace {

/// The size of a coefficient.
std::string number_text(double size, Language language) {
  if (language == Language::c)
    return size == std::floor(size) ? fmt::format("{:.1f}", size) : fmt::format("{:.17g}", size);
  std::string text = fmt::format("{:.15g}", size);
  const std::size_t exponent = text.find('e');
  if (language == Language::latex && exponent != std::string::npos)
    text = fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, exponent), std::stoi(text.substr(exponent + 1)));
  return text;
}

/// A term without its sign.
std::string term_text(const Symbols& symbols, const Monomial& m, Language language) {
  const bool latex = language == Language::latex;
  const char* const times = latex ? " " : "*";
  const double size = std::abs(m.coefficient);
  std::string text = size == 1 && !m.powers.empty() ? "" : number_text(size, language);
  for (const Monomial::Power& p : m.powers) {
    const std::string name = symbols.name(p.symbol, latex);
    if (language != Language::c) {
      text += (text.empty() ? "" : times) + name;
      if (p.exponent > 1) text += latex ? fmt::format("^{{{}}}", p.exponent) : fmt::format("^{}", p.exponent);
      continue;
    }
    for (unsigned k = 0; k < p.exponent; ++k) text += (text.empty() ? "" : times) + name;
  }
  return text;
}

/// Printed in lines of 80 characters, where terms are short enough: broken before the sign of a term.
void put_wrapped(std::ostream& out, const Symbols& symbols, Language language, const std::string& left, const ex& value,
                 const char* end) {
  constexpr std::size_t page = 80, indent = 6;
  std::string line = left;
  bool first = true;
  for (const Monomial& m : symbols.terms(value)) {
    const std::string term = (m.coefficient < 0 ? "-" : first ? "" : "+") + term_text(symbols, m, language);
    if (!first && line.size() + term.size() > page && line.size() > indent) {
      out << line << "\n";
      line = std::string(indent, ' ');
    }
    line += term;
    first = false;
  }
  out << line << end << "\n";
}

void write_text(std::ostream& out, const Expansion& expansion, bool latex) {
  const Symbols& symbols = expansion.symbols();
  if (latex) out << "% M22 q2'' = Q2 - N22; entries that are not listed are zero\n\\begin{align*}\n";
  if (!latex) out << "M22 q2'' = Q2 - N22; entries that are not listed are zero\n";
  const auto put = [&](const std::string& left, const ex& value) {
    put_wrapped(out, symbols, latex ? Language::latex : Language::text, latex ? left + " &= " : "  " + left + " = ",
                value, latex ? " \\\\" : "");
  };
  const auto intermediates = symbols.of(Symbols::Kind::intermediate);
  if (!latex && !intermediates.empty()) out << "intermediate results, each of those before it\n";
  for (const Symbols::Entry* e : intermediates) put(symbols.name_of(*e, latex), e->formula);
  for (const Expansion::Kinematics& ball : expansion.balls()) {
    if (!latex) out << "B of " << ball.joint << ": w = B b', of its Euler angles\n";
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        if (!ball.rows[r][c].is_zero())
          put(latex ? fmt::format("B^{{\\mathrm{{{}}}}}_{{{},{}}}", ball.joint, r + 1, c + 1)
                    : fmt::format("B[{},{}]", r + 1, c + 1),
              ball.rows[r][c]);
  }
  for (const Expansion::Matrix& m : expansion.matrices()) {
    if (!latex) out << m.name << ": " << m.meaning << "\n";
    for (std::size_t r = 0; r < m.rows; ++r)
      for (std::size_t c = m.symmetric ? r : 0; c < m.columns; ++c) {
        const ex& value = m.values[r * m.columns + c];
        if (value.is_zero()) continue;
        const std::string index = m.columns == 1 ? std::to_string(r + 1) : fmt::format("{},{}", r + 1, c + 1);
        put(latex ? fmt::format("({})_{{{}}}", m.tex, index) : fmt::format("{}[{}]", m.name, index), value);
      }
  }
  if (latex) out << "\\end{align*}\n% symbols\n";
  if (!latex) out << "columns of H2, and q2'\n";
  for (std::size_t k = 0; !latex && k < expansion.freedoms().size(); ++k)
    out << "  " << k + 1 << ": " << expansion.freedoms()[k].name << "\n";
  if (!latex) out << "symbols\n";
  for (const Symbols::Entry& e : symbols.entries()) {
    if (e.kind == Symbols::Kind::intermediate) continue;
    out << (latex ? "% " : "  ") << e.name.get_name() << fmt::format(" = {:.10g}: {}\n", e.value, e.meaning);
  }
}

void write_c(std::ostream& out, const Expansion& expansion) {
  const Symbols& symbols = expansion.symbols();
  out << "#include <math.h>\n#include <string.h>\n\n"
      << "/* M22 q2'' = Q2 - N22 (Thompson 2011, Eq 15); matrices rows first. */\n";
  const auto list = [&](Symbols::Kind kind) { return symbols.of(kind); };
  out << "struct polyform_parameters {\n";
  for (const Symbols::Entry* e : list(Symbols::Kind::parameter))
    out << "  double " << e->name.get_name() << "; /* " << e->meaning << " */\n";
  out << "  double unused;\n};\nstatic const struct polyform_parameters polyform_values = {\n";
  for (const Symbols::Entry* e : list(Symbols::Kind::parameter)) out << fmt::format("  {:.17g},\n", e->value);
  out << "  0\n};\n";
  for (const auto& [name, kind] :
       {std::pair("positions", Symbols::Kind::position), std::pair("velocities", Symbols::Kind::velocity),
        std::pair("loads", Symbols::Kind::load)}) {
    out << "/* " << name << ":";
    for (const Symbols::Entry* e : list(kind)) out << " " << e->name.get_name();
    out << " */\nstatic const double polyform_" << name << "_at_start[] = {";
    for (const Symbols::Entry* e : list(kind)) out << fmt::format("{:.17g}, ", e->value);
    out << "0};\n";
  }
  out << "void polyform_equations(const struct polyform_parameters *p, const double *q, const double *u, const double "
         "*load,\n                        double *H2, double *G, double *M22, double *Q2, double *N22)\n{\n";
  for (const Symbols::Entry* e : list(Symbols::Kind::parameter))
    out << "  const double " << e->name.get_name() << " = p->" << e->name.get_name() << ";\n";
  for (const auto& [array, kind] : {std::pair("q", Symbols::Kind::position), std::pair("load", Symbols::Kind::load)}) {
    std::size_t k = 0;
    for (const Symbols::Entry* e : list(kind))
      out << "  const double " << e->name.get_name() << " = " << array << "[" << k++ << "];\n";
  }
  for (std::size_t k = 0; k < expansion.freedoms().size(); ++k)
    out << "  const double " << expansion.freedoms()[k].name << " = u[" << k << "];\n";
  for (const Symbols::Entry* e : list(Symbols::Kind::intermediate))
    put_wrapped(out, symbols, Language::c, "  const double " + e->name.get_name() + " = ", e->formula, ";");
  for (const Expansion::Matrix& m : expansion.matrices()) {
    out << "  memset(" << m.name << ", 0, " << m.values.size() << " * sizeof(double));\n";
    for (std::size_t k = 0; k < m.values.size(); ++k)
      if (!m.values[k].is_zero())
        put_wrapped(out, symbols, Language::c, fmt::format("  {}[{}] = ", m.name, k), m.values[k], ";");
  }
  for (const Symbols::Entry& e : symbols.entries()) out << "  (void)" << e.name.get_name() << ";\n";
  out << "  (void)load;\n}\n";
}

}  // namespace

std::string write(const Expansion& expansion, Language language) {
  std::ostringstream out;
  if (language == Language::c)
    write_c(out, expansion);
  else
    write_text(out, expansion, language == Language::latex);
  return std::move(out).str();
}

}  // namespace polyform::apps::formulas
