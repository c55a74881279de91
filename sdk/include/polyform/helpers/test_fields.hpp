// Fields of an instance under test, by their names: the common part of ElementTest and JointTest.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/field.hpp"
#include "polyform/contract/type_descriptor.hpp"

namespace polyform::testing {

/// Test: the class that derives from this one. Misuse throws std::invalid_argument with a sentence.
template <class Test>
class TestFields {
 public:
  /// Sets a field of type number, integer or boolean; a constant function of time; a list of one number.
  Test& set(std::string_view field, double value) {
    FieldValue& to = value_of(field);
    to.number = value;
    to.integer = static_cast<std::int64_t>(value);
    to.numbers = numbers_.emplace_back(1, value);
    to.functions = functions_.emplace_back(1, constant(value));
    return self();
  }
  Test& set(std::string_view field, const Vec3& value) {
    FieldValue& to = value_of(field);
    const FieldType type = specs_[index_of(field)].type;
    to.vector = type == FieldType::direction ? (1 / norm(value)) * value : value;
    const double list[] = {value.x, value.y, value.z};
    to.numbers = numbers_.emplace_back(list, list + 3);
    std::vector<TimeFunction>& functions = functions_.emplace_back();
    for (const double x : list) functions.push_back(constant(x));
    to.functions = functions;
    return self();
  }
  Test& set(std::string_view field, std::vector<double> numbers, std::uint32_t rows = 0) {
    FieldValue& to = value_of(field);
    to.numbers = numbers_.emplace_back(std::move(numbers));
    to.rows = rows;
    return self();
  }
  Test& set(std::string_view field, std::vector<TimeFunction> functions) {
    value_of(field).functions = functions_.emplace_back(std::move(functions));
    return self();
  }
  Test& set(std::string_view field, const Quat& orientation) {
    value_of(field).orientation = orientation;
    return self();
  }
  /// Gives a field of type text or choice its value.
  Test& set(std::string_view field, std::string_view text) {
    set_text(specs_[index_of(field)], value_of(field), text);
    return self();
  }
  Test& set(std::string_view field, const char* text) { return set(field, std::string_view(text)); }

 protected:
  /// Fields that are not set have their defaults.
  explicit TestFields(Strided<const FieldSpec> specs) : specs_(specs), fields_(specs.size()) {
    for (std::size_t f = 0; f < fields_.size(); ++f) read_default(specs_[f], fields_[f]);
  }
  TestFields(const TestFields&) = delete;
  TestFields& operator=(const TestFields&) = delete;
  ~TestFields() = default;

  /// Keeps the first error that define() reports.
  struct Sink final : FieldSink {
    void report(Severity severity, std::size_t, std::size_t, std::string_view text,
                std::string_view) noexcept override {
      if (severity != Severity::error) return;
      if (!failed) message = std::string(text);
      failed = true;
    }
    bool failed = false;
    std::string message;
  };

  static TimeFunction constant(double value) {
    TimeFunction f;
    f.constant = value;
    return f;
  }
  [[noreturn]] static void misuse(std::string_view field, std::string_view what) {
    throw std::invalid_argument("field '" + std::string(field) + "' " + std::string(what));
  }
  std::size_t index_of(std::string_view field) const {
    for (std::size_t f = 0; f < fields_.size(); ++f)
      if (specs_[f].name == field) return f;
    misuse(field, "is none of this type");
  }
  FieldValue& value_of(std::string_view field) {
    FieldValue& value = fields_[index_of(field)];
    value.given = true;
    return value;
  }
  void set_text(const FieldSpec& spec, FieldValue& to, std::string_view text) {
    to.text = texts_.emplace_back(text);
    if (spec.type != FieldType::choice) return;
    for (std::size_t k = 0; k < spec.choices.size(); ++k)
      if (spec.choices[k] == text) {
        to.integer = static_cast<std::int64_t>(k);
        return;
      }
    misuse(spec.name, "has no choice '" + std::string(text) + "'");
  }
  /// Reads a default that is a number, a list of numbers, a text, true or false; the test has to set other fields.
  void read_default(const FieldSpec& spec, FieldValue& to) {
    const std::string_view text = spec.default_text;
    if (text.empty()) return;
    if (spec.type == FieldType::text || spec.type == FieldType::choice) return set_text(spec, to, text);
    std::vector<double> found;
    const char* const end = text.data() + text.size();
    for (const char* next = text.data(); next < end;) {
      double x = 0;
      const auto [rest, error] = std::from_chars(next, end, x);
      if (error == std::errc()) found.push_back(x);
      next = error == std::errc() ? rest : next + 1;
    }
    to.integer = text == "true" ? 1 : 0;
    if (found.empty()) return;
    to.number = found[0];
    if (text != "true" && text != "false") to.integer = static_cast<std::int64_t>(found[0]);
    if (found.size() == 3) to.vector = {found[0], found[1], found[2]};
    std::vector<TimeFunction>& functions = functions_.emplace_back();
    for (const double x : found) functions.push_back(constant(x));
    to.functions = functions;
    to.numbers = numbers_.emplace_back(std::move(found));
  }

  const Strided<const FieldSpec> specs_;
  std::vector<FieldValue> fields_;

 private:
  Test& self() { return static_cast<Test&>(*this); }

  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<TimeFunction>> functions_;
  std::deque<std::string> texts_;
};

}  // namespace polyform::testing
