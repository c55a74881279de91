// Texts of expressions to nodes of a graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/expressions/graph.hpp"

namespace polyform::host::inline expressions {

/// What is wrong with a text, and at which of its bytes.
struct ExpressionError {
  std::size_t at = 0;
  std::string message, remedy;
};

/// What names mean where an expression stands.
class Vocabulary {
 public:
  struct Argument {
    std::string_view text;
    std::size_t at;
  };
  virtual ~Vocabulary() = default;
  /// A name by itself, such as a parameter; nothing if there is none of that name.
  virtual std::optional<NodeIndex> value(std::string_view name, std::size_t at) = 0;
  /// Whether it is a function of names, such as q(joint): its arguments are taken as they are written.
  virtual bool takes_names(std::string_view function) const {
    (void)function;
    return false;
  }
  /// A call of such a function. Throws ExpressionError.
  virtual NodeIndex call(std::string_view function, std::size_t at, const std::vector<Argument>&) {
    throw ExpressionError{at, "there is no function " + std::string(function), {}};
  }
  /// For suggestions: names and functions that are known here, and a sentence about them.
  virtual std::vector<std::string_view> known() const = 0;
  virtual std::string hint() const = 0;
  /// Why a name that is not known here cannot stand here although it can elsewhere; or "".
  virtual std::string why_not(std::string_view name) const {
    (void)name;
    return {};
  }
};

/// The node of an expression. Numbers, names, + - * / ^ (or **), comparisons, and, or, not, c ? a : b, parentheses and
/// functions. Throws ExpressionError. Nodes made on the way have places in `formula`.
NodeIndex parse_expression(std::string_view text, std::uint32_t formula, Graph&, Vocabulary&);

/// The names of the functions of numbers.
const std::vector<std::string_view>& function_names();

}  // namespace polyform::host::inline expressions
