// A solver, driven from Python.
#pragma once

#include <atomic>
#include <string>

#include "conversion.hpp"

namespace polyform::python {

class PythonSolver {
 public:
  PythonSolver(library::Solver, bool releases_lock);
  PythonSolver(PythonSolver&&) = delete;

  const std::string& name() const { return solver_.name(); }
  py::ssize_t state_size() const { return size_; }
  py::array encode(const py::object& coordinates);
  py::object derivative(py::handle t, py::handle y, py::handle out);
  double correct(py::handle t, py::handle y);
  /// Of one state, or of many (K, state_size) at one time or at K times.
  py::dict observe(py::handle t, py::handle y);
  py::dict units() const;

 private:
  /// Refuses a second thread, and a function of the model that calls its own solver.
  class Turn {
   public:
    explicit Turn(std::atomic_flag& busy);
    ~Turn() { busy_.clear(std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::atomic_flag& busy_;
  };

  library::Solver solver_;
  py::ssize_t size_;
  bool releases_lock_;
  std::atomic_flag busy_;
};

}  // namespace polyform::python
