// Python functions as forces, controllers and events.
#pragma once

#include <vector>

#include "conversion.hpp"

namespace polyform::python {

/// From dicts that polyform/_functions.py makes: name, law (or None), joints, points (body and place each), states,
/// modes, events.
std::vector<library::FunctionForce> functions_of(const py::list&);

/// A Python object that C++ may copy and drop in any thread, with or without the interpreter's lock.
class Kept {
 public:
  explicit Kept(py::object object)
      : object_(new py::object(std::move(object)), [](py::object* kept) {
          if (Py_IsInitialized() == 0) return;  // the interpreter has ended; the rest goes with the process
          const py::gil_scoped_acquire lock;
          delete kept;
        }) {}
  const py::object& operator*() const noexcept { return *object_; }

 private:
  std::shared_ptr<py::object> object_;
};

/// progress and stop, each a function or None; and Ctrl-C. Called without the lock.
library::Watch watch_of(const py::object& progress, const py::object& stop);

}  // namespace polyform::python
