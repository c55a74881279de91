#include "conversion.hpp"

#include <string>
#include <string_view>

namespace polyform::python {

using library::Error;
using library::Value;

namespace {

constexpr int most_levels = 200;

/// Sets the Python error of what a Python function has raised. False if that is no failure of the function.
bool set_error(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (py::error_already_set& raised) {
    // Not by restore(), which an exception that is raised again would not bear.
    if (raised.trace()) PyException_SetTraceback(raised.value().ptr(), raised.trace().ptr());
    PyErr_SetObject(raised.type().ptr(), raised.value().ptr());
    return raised.matches(PyExc_Exception);
  } catch (const py::builtin_exception& raised) {
    raised.set_error();
  } catch (const std::exception& raised) {
    PyErr_SetString(PyExc_RuntimeError, raised.what());
  }
  return true;
}

struct ToObject {
  py::object operator()(std::monostate) const { return py::none(); }
  py::object operator()(bool x) const { return py::bool_(x); }
  py::object operator()(std::int64_t x) const { return py::int_(x); }
  py::object operator()(double x) const { return py::float_(x); }
  py::object operator()(const std::string& x) const {
    // Names of files may be any bytes.
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(x.data(), static_cast<py::ssize_t>(x.size()), "replace"));
  }
  py::object operator()(const Value::List& all) const {
    py::list list(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) list[k] = object_of(all[k]);
    return list;
  }
  py::object operator()(const Value::Map& all) const {
    py::dict dict;
    for (const Value::Entry& entry : all) dict[(*this)(entry.key)] = object_of(entry.value);
    return dict;
  }
};

/// Where a value stands in the data of a model: `bodies[0].mass`.
struct Step {
  const Step* outer = nullptr;
  std::string_view key{};  ///< of a map, or
  std::size_t place = 0;   ///< in a list
  int depth = 0;

  std::string path() const {
    if (outer == nullptr) return {};
    std::string before = outer->path();
    if (key.data() == nullptr) return before + "[" + std::to_string(place) + "]";
    return before.empty() ? std::string(key) : before + "." + std::string(key);
  }
  std::string told(const std::string& what) const {
    const std::string where = path();
    return where.empty() ? what : where + ": " + what;
  }
};

std::string shown(py::handle object) { return py::repr(object).cast<std::string>(); }

/// Texts of Python may hold halves of characters, which no encoding has.
std::string text_of(py::handle object, const Step& here) {
  py::ssize_t size = 0;
  if (const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &size))
    return {text, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw py::value_error(here.told("the text " + shown(object) + " has characters that UTF-8 does not have"));
}

Value value_at(py::handle object, const Step& here);

Value list_of(py::handle object, const Step& here) {
  Value::List list;
  for (const py::handle item : object)
    list.push_back(value_at(item, {.outer = &here, .place = list.size(), .depth = here.depth + 1}));
  return Value(std::move(list));
}

Value map_of(const py::dict& dict, const Step& here) {
  Value::Map map;
  map.reserve(dict.size());
  for (const auto& [key, item] : dict) {
    if (!py::isinstance<py::str>(key))
      throw py::type_error(here.told("keys of a model are texts, found " + shown(key)));
    std::string name = text_of(key, here);
    Value value = value_at(item, {.outer = &here, .key = name, .depth = here.depth + 1});
    map.push_back({std::move(name), std::move(value)});
  }
  return Value(std::move(map));
}

Value value_at(py::handle object, const Step& here) {
  if (here.depth > most_levels) throw py::value_error("the data of a model is nested too deeply");
  PyObject* const p = object.ptr();
  if (p == Py_None) return {};
  if (PyBool_Check(p)) return Value(p == Py_True);
  if (PyFloat_Check(p)) return Value(PyFloat_AS_DOUBLE(p));
  if (PyLong_Check(p)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(p, &overflow);
    return overflow == 0 ? Value(static_cast<std::int64_t>(number)) : Value(object.cast<double>());
  }
  if (PyUnicode_Check(p)) return Value(text_of(object, here));
  if (PyList_Check(p) || PyTuple_Check(p)) return list_of(object, here);
  if (PyDict_Check(p)) return map_of(py::reinterpret_borrow<py::dict>(object), here);
  if (py::hasattr(object, "tolist")) {  // NumPy
    const Step inside{here.outer, here.key, here.place, here.depth + 1};
    return value_at(object.attr("tolist")(), inside);
  }
  throw py::type_error(here.told("expected a number, a text, a list or a dict, found " + shown(object)));
}

}  // namespace

py::object object_of(const Value& value) { return std::visit(ToObject(), value.content()); }

Value value_of(py::handle object) { return value_at(object, {}); }

py::list messages_of(const std::vector<library::Message>& messages) {
  py::list list;
  const py::object make = py::module_::import("polyform._errors").attr("message_of_command");
  constexpr const char* severities[] = {"note", "warning", "error"};
  const ToObject text;
  for (const library::Message& m : messages)
    list.append(make(severities[static_cast<int>(m.severity)], text(m.text), text(m.remedy), text(m.path), text(m.file),
                     m.line, m.column));
  return list;
}

void raise_error(const Error& error, py::object result) {
  py::object cause = py::none();
  if (error.thrown() && !set_error(error.thrown())) return;
  if (PyErr_Occurred() != nullptr) cause = py::error_already_set().value();
  const py::module_ errors = py::module_::import("polyform._errors");
  const char* const name = error.kind() == Error::Kind::bad_input     ? "ModelError"
                           : error.kind() == Error::Kind::no_plugin   ? "PluginError"
                           : error.kind() == Error::Kind::interrupted ? "Interrupted"
                                                                      : "SimulationError";
  py::object raised = errors.attr(name)(messages_of(error.messages()));
  if (!result.is_none()) raised.attr("result") = result;
  if (!cause.is_none()) PyException_SetCause(raised.ptr(), cause.release().ptr());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
}

}  // namespace polyform::python
