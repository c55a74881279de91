// Formulations that go wrong in every way a plugin can.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::test {

/// A solver whose derivative does what it is told.
class FaultySolver final : public Solver {
 public:
  explicit FaultySolver(std::function<void()> fault) : fault_(std::move(fault)) {}
  std::string_view failure() const noexcept override { return "it was told to fail"; }
  void destroy() noexcept override { delete this; }

 private:
  std::size_t do_state_size() const noexcept override { return 1; }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override {
    y[0] = 0;
    return Status::ok;
  }
  Status do_decode(std::span<const double>, const StateView&) noexcept override { return Status::ok; }
  Status do_derivative(double, std::span<const double>, std::span<double>) noexcept override {
    fault_();
    return Status::failed;
  }
  Status do_correct(double, std::span<double>, Correction&) noexcept override { return Status::ok; }
  Status do_observe(double, std::span<const double>, Observation&) noexcept override { return Status::ok; }

  std::function<void()> fault_;
};

/// Compiles what the function gives.
class ToldFormulation final : public Formulation {
 public:
  using Compile = std::function<Solver*(const SystemView&, DiagnosticSink&)>;
  ToldFormulation(std::string name, Compile compile) : name_(std::move(name)), compile_(std::move(compile)) {}
  std::string_view name() const noexcept override { return name_; }
  std::string_view meaning() const noexcept override { return "for tests"; }
  std::string_view source() const noexcept override { return ""; }
  Strided<const FieldSpec> options() const noexcept override { return {}; }
  std::uint32_t abilities() const noexcept override { return ~0u; }
  int preference() const noexcept override { return 0; }
  Solver* compile(const SystemView& view, Strided<const FieldValue>, DiagnosticSink& sink) const noexcept override {
    return compile_(view, sink);
  }

 private:
  std::string name_;
  Compile compile_;
};

inline ToldFormulation faulty(const std::string& name, std::function<void()> fault) {
  return {name, [fault](const SystemView&, DiagnosticSink&) { return new FaultySolver(fault); }};
}

}  // namespace polyform::test
