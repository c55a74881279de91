// The model description of an FMU, of FMI 2.0 or 3.0.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fmi_calls.hpp"

namespace polyform::fmus {

/// Why something cannot be done with an FMU, and what to do about it.
struct FmuError : std::runtime_error {
  FmuError(const std::string& what, std::string then) : std::runtime_error(what), remedy(std::move(then)) {}
  std::string remedy;
};

/// A unit by its base units: a value in SI units is factor · value + offset. Angles count as numbers, as in SI.
struct FmuUnit {
  std::string name = "1";
  bool known = false;  ///< whether the description tells its base units
  double factor = 1, offset = 0;
  enum Base : std::size_t { kg, m, s, others, count };
  std::array<int, count> powers{};  ///< others: the sum of the absolute powers of A, K, mol and cd
};

struct FmuVariable {
  Reference reference = 0;
  std::string causality;
  FmuUnit unit;
  bool real = false;  ///< a number of 64 bits
  NumberType type = NumberType::none;
  std::size_t values = 1;            ///< number of elements of an array, in version 3
  std::vector<std::size_t> lengths;  ///< of an array, one per dimension
};

/// All names are those of the file.
struct Description {
  int version = 2;  ///< of the standard
  std::string token, identifier;
  std::map<std::string, FmuVariable, std::less<>> variables;
  std::vector<std::string> states;  ///< of model exchange, in the order of the FMU; elements of an array with [k]
  std::size_t events = 0;           ///< of model exchange
  bool can_serialize = false;
  bool needs_step_endings = false;  ///< of model exchange: whether it is told of each accepted step
};

/// Throws FmuError if the file does not describe an FMU of that kind.
Description read_description(const std::filesystem::path& file, Kind);

}  // namespace polyform::fmus
