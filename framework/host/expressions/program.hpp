// Programs: some expressions of a graph in an order in which they are evaluated, without look-ups and allocation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/expressions/graph.hpp"
#include "framework/host/expressions/jet.hpp"
#include "framework/host/expressions/tape.hpp"

namespace polyform::host::inline expressions {

/// Why a value is not finite: what failed, and where in which text.
struct Trouble {
  std::string what;  ///< "division by zero", "the logarithm of -1"
  TextPlace place;
};

/// Values of roots from values of inputs. Its registers hold first the inputs, then constants, then results. Immutable:
/// each thread has registers of its own.
class Program {
 public:
  Program() = default;
  /// input_numbers: of the graph's inputs, in the order in which their values are given.
  Program(const Graph&, std::span<const NodeIndex> roots, std::span<const std::uint32_t> input_numbers);

  std::size_t registers() const { return inputs_ + constants_.size() + operations_.size(); }
  std::size_t inputs() const { return inputs_; }
  /// Registers with the constants in place.
  template <class T>
  void prepare(std::span<T> work) const noexcept {
    for (std::size_t i = 0; i < constants_.size(); ++i) work[inputs_ + i] = T{constants_[i]};
  }
  /// Computes all registers; the inputs stand in the first ones.
  template <class T>
  void run(std::span<T> work) const noexcept;
  std::size_t roots() const { return roots_.size(); }
  /// The register of a root.
  std::size_t root(std::size_t k) const { return roots_[k]; }
  /// Where the operation of a root stands; nowhere for a plain number or input.
  TextPlace place(std::size_t k) const {
    const std::size_t first = inputs_ + constants_.size();
    return roots_[k] < first ? TextPlace{} : places_[roots_[k] - first];
  }
  /// Why the root is not finite or beyond any scale, after run(); nothing if it is neither.
  std::optional<Trouble> trouble(std::size_t root, std::span<const double> after) const;
  /// The operation that the root needs and that is next to a place where it has no value or no slope, such as a
  /// division by a difference that is next to nothing compared with its two terms; after run().
  std::optional<Trouble> strained(std::size_t root, std::span<const double> after) const;

 private:
  template <class T>
  T apply(const Operation&, const T* work) const noexcept;
  /// All registers, also those that the tape has left out because one operation alone needs them.
  std::vector<double> all_registers(std::span<const double> after) const;
  double remaining_part(std::uint32_t at, std::span<const double> work, int depth = 8) const;

  std::size_t inputs_ = 0;
  std::vector<double> constants_;
  std::vector<Operation> operations_;
  Tape tape_;
  std::vector<TextPlace> places_;  ///< of the operations
  std::vector<std::uint32_t> roots_;
  std::vector<Table> tables_;
  std::vector<Surface> surfaces_;
};

template <class T>
T Program::apply(const Operation& o, const T* work) const noexcept {
  if (o.code <= Code::disjunction) return binary(o.code, work[o.a], work[o.b]);
  if (o.code == Code::select) return choose(work[o.a], work[o.b], work[o.c]);
  if (o.code < Code::table) return unary(o.code, work[o.a]);
  if (o.code == Code::table) return look_up(tables_[o.b], work[o.a]);
  if (o.code == Code::knot) return knot_of(tables_[o.b], work[o.a]);
  return look_up(surfaces_[o.c], work[o.a], work[o.b]);
}

template <class T>
void Program::run(std::span<T> work) const noexcept {
  T* const registers = work.data();
  T* out = registers + inputs_ + constants_.size();
  for (const Operation& o : operations_) *out++ = apply(o, registers);
}

/// Plain numbers use the tape. If a sum forms products by itself, the registers of the products are left as they are.
template <>
inline void Program::run<double>(std::span<double> work) const noexcept {
  double* const w = work.data();
  tape_.run(w, [this, w](std::uint32_t k) { return apply(operations_[k], w); });
}

}  // namespace polyform::host::inline expressions
