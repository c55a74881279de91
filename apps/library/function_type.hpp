// The force type behind a function of the program, which the host takes like that of any plugin.
#pragma once

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/type_descriptor.hpp"
#include "polyform/library/function_force.hpp"

namespace polyform::library {

/// While it lives, keeps what functions of the program did in this thread. Calls may nest: a function may use the
/// library.
class FunctionCalls {
 public:
  FunctionCalls() noexcept;
  ~FunctionCalls();
  FunctionCalls(const FunctionCalls&) = delete;
  FunctionCalls& operator=(const FunctionCalls&) = delete;

  /// The first exception; from then on functions are not called.
  const std::exception_ptr& thrown() const noexcept { return thrown_; }
  const std::string& whose() const noexcept { return whose_; }
  /// The event that has asked for the end of the run; "" if none has.
  const std::string& ended_by() const noexcept { return ended_by_; }

  static FunctionCalls* current() noexcept;
  void keep(std::exception_ptr, std::string_view whose) noexcept;
  void end_run(std::string_view event) noexcept;
  /// Drops the exception, which is reported elsewhere.
  void forget() noexcept { thrown_ = nullptr; }

 private:
  FunctionCalls* outer_;
  std::exception_ptr thrown_;
  std::string whose_, ended_by_;
};

class FunctionType final : public ForceType {
 public:
  explicit FunctionType(FunctionForce);
  FunctionType(const FunctionType&) = delete;
  FunctionType& operator=(const FunctionType&) = delete;

  /// Adds the one force of this type to a model. Failure (bad_input) for names that are not valid, or taken.
  void add_to(host::Description&) const;

  const FunctionForce& force() const noexcept { return force_; }
  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override;

 private:
  FunctionForce force_;
  std::vector<Variable> states_;
  std::vector<std::string_view> modes_;
  std::array<DiscreteVariable, 1> discrete_;
  TypeDescriptor descriptor_;
};

}  // namespace polyform::library
