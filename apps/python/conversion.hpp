// Conversion between Python objects and values of the library.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <exception>
#include <vector>

#include "polyform/polyform.hpp"

namespace polyform::python {

namespace py = pybind11;

py::object object_of(const library::Value&);
/// Converts numbers, texts, booleans, None, lists, tuples, dicts, and their counterparts in NumPy. TypeError for
/// anything else, with its place in the data: `bodies[0].mass: expected …`.
library::Value value_of(py::handle);
py::list messages_of(const std::vector<library::Message>&);

/// Makes an Error a Python exception: the class of its kind in polyform._errors. An exception that a Python function
/// has raised is its cause; one that is no failure of the function, such as KeyboardInterrupt, is raised as it is.
/// result: of the run that failed, or none.
void raise_error(const library::Error&, py::object result = py::none());

}  // namespace polyform::python
