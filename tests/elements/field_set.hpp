// Field values as the host would hand them over, and a sink that keeps what a type reports about them.
#pragma once

#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/field.hpp"

namespace polyform::test {

/// Values for the fields of a type by name; the others hold their defaults.
class FieldSet {
 public:
  explicit FieldSet(Strided<const FieldSpec> specs) : specs_(specs), values_(specs.size()) {
    for (std::size_t i = 0; i < specs.size(); ++i) read_default(specs[i], values_[i]);
  }
  FieldSet(FieldSet&&) = default;

  FieldSet& number(std::string_view name, double x) {
    return set(name, [&](FieldValue& v) { v.number = x; });
  }
  FieldSet& integer(std::string_view name, std::int64_t x) {
    return set(name, [&](FieldValue& v) { v.integer = x; });
  }
  FieldSet& vector(std::string_view name, const Vec3& x) {
    return set(name, [&](FieldValue& v) { v.vector = x; });
  }
  FieldSet& text(std::string_view name, std::string_view x) {
    return set(name, [&](FieldValue& v) { v.text = x; });
  }
  FieldSet& joint(std::string_view name, JointIndex x) {
    return set(name, [&](FieldValue& v) { v.joint = x; });
  }
  FieldSet& marker(std::string_view name, BodyIndex body, const Vec3& point = {}) {
    return set(name, [&](FieldValue& v) {
      v.body = body;
      v.vector = point;
    });
  }
  FieldSet& numbers(std::string_view name, std::vector<double> x) {
    return set(name, [&](FieldValue& v) { v.numbers = numbers_.emplace_back(std::move(x)); });
  }
  /// The numbers of a matrix stand rows first.
  FieldSet& matrix(std::string_view name, std::size_t rows, std::vector<double> x) {
    return set(name, [&](FieldValue& v) {
      v.rows = static_cast<std::uint32_t>(rows);
      v.numbers = numbers_.emplace_back(std::move(x));
    });
  }
  FieldSet& functions(std::string_view name, std::vector<TimeFunction> x) {
    return set(name, [&](FieldValue& v) { v.functions = functions_.emplace_back(std::move(x)); });
  }
  /// Takes a value away, as if it had never been given.
  FieldSet& omit(std::string_view name) {
    return set(name, [&](FieldValue& v) { v = {}; });
  }

  Strided<const FieldSpec> specs() const { return specs_; }
  Strided<const FieldValue> values() const { return values_; }

 private:
  template <class Change>
  FieldSet& set(std::string_view name, Change change) {
    for (std::size_t i = 0; i < specs_.size(); ++i)
      if (specs_[i].name == name) {
        values_[i].given = true;
        change(values_[i]);
        return *this;
      }
    throw std::invalid_argument("no field " + std::string(name));
  }

  /// Understands what the standard elements declare: a number, a list of numbers, a word.
  void read_default(const FieldSpec& spec, FieldValue& value) {
    if (spec.default_text.empty()) return;
    std::vector<double> list;
    std::string text(spec.default_text);
    for (char& c : text)
      if (c == '[' || c == ']' || c == ',') c = ' ';
    for (char *from = text.data(), *to = nullptr;; from = to) {
      const double x = std::strtod(from, &to);
      if (to == from) break;
      list.push_back(x);
    }
    value.text = spec.default_text;
    if (list.size() == 1) value.number = list[0];
    if (list.size() == 3) value.vector = {list[0], list[1], list[2]};
    auto& functions = functions_.emplace_back();
    for (const double x : list) functions.emplace_back().constant = x;
    value.functions = functions;
    value.numbers = numbers_.emplace_back(std::move(list));
  }

  Strided<const FieldSpec> specs_;
  std::vector<FieldValue> values_;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<TimeFunction>> functions_;
};

/// Keeps "field: message | remedy" of every report.
class RecordingSink final : public FieldSink {
 public:
  explicit RecordingSink(Strided<const FieldSpec> specs) : specs_(specs) {}
  void report(Severity severity, std::size_t instance, std::size_t field, std::string_view message,
              std::string_view remedy) noexcept override {
    severities.push_back(severity);
    instances.push_back(instance);
    const std::string name = field < specs_.size() ? std::string(specs_[field].name) : "?";
    reports.push_back(name + ": " + std::string(message) + " | " + std::string(remedy));
  }
  std::vector<std::string> reports;
  std::vector<Severity> severities;
  std::vector<std::size_t> instances;

 private:
  Strided<const FieldSpec> specs_;
};

}  // namespace polyform::test
