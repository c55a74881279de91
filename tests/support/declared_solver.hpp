// A solver that tells the kernels it is told to, and may feel another gravity than there is.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/kernels.hpp"

namespace polyform::test {

class DeclaredSolver final : public Solver {
 public:
  using Make = std::function<Solver*(const SystemView&)>;
  /// share: of gravity. No kernels: it tells of none. What names them outlives it.
  DeclaredSolver(const SystemView& view, double share, const std::vector<std::string_view>& kernels, const Make& make)
      : view_(view) {
    view_.gravity = share * view_.gravity;
    for (const std::string_view kernel : kernels) kernels_.add(kernel);
    sound_ = make(view_);
  }
  std::string_view failure() const noexcept override { return sound_->failure(); }
  void* query(std::string_view name) noexcept override {
    if (name != Kernels::interface_name) return sound_->query(name);
    return kernels_.count() > 0 ? static_cast<Kernels*>(&kernels_) : nullptr;
  }
  void destroy() noexcept override {
    sound_->destroy();
    delete this;
  }

 private:
  ~DeclaredSolver() = default;
  std::size_t do_state_size() const noexcept override { return sound_->state_size(); }
  Status do_encode(const ConstStateView& s, std::span<double> y) noexcept override { return sound_->encode(s, y); }
  Status do_decode(std::span<const double> y, const StateView& s) noexcept override { return sound_->decode(y, s); }
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    return sound_->derivative(t, y, ydot);
  }
  Status do_correct(double t, std::span<double> y, Correction& c) noexcept override { return sound_->correct(t, y, c); }
  Status do_observe(double t, std::span<const double> y, Observation& o) noexcept override {
    return sound_->observe(t, y, o);
  }

  SystemView view_;
  KernelList kernels_;
  Solver* sound_ = nullptr;
};

}  // namespace polyform::test
