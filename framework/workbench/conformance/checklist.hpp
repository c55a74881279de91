// How a battery measures: a claim has a name, a tolerance, a remedy and a body that reports errors.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "framework/workbench/conformance/claim.hpp"

namespace polyform::host::inline conformance {

/// Thrown by the body of a claim that cannot be decided here.
class Undecided : public std::exception {
 public:
  explicit Undecided(std::string why) : why_(std::move(why)) {}
  const std::string& why() const noexcept { return why_; }
  const char* what() const noexcept override { return why_.c_str(); }

 private:
  std::string why_;
};

/// Keeps the largest error of a claim, and where it was.
class Measure {
 public:
  /// sink: gets the models; may be nullptr.
  explicit Measure(double tolerance, ClaimSink* sink = nullptr) : tolerance_(tolerance), sink_(sink) {}

  /// where: a text, or a function that makes it. It is asked for only if the error is beyond the tolerance and larger
  /// than all before. NaN is beyond every tolerance.
  template <class Where>
  void see(double error, const Where& where) {
    ++seen_;
    if (error <= worst_) return;
    worst_ = error == error ? error : infinite();
    if (worst_ <= tolerance_) return;
    if constexpr (std::invocable<Where>)
      where_ = where();
    else
      where_ = where;
    model_ = current_model_;
  }
  /// Names the model in which the errors that follow are seen.
  void in_model(const std::string& text) {
    if (text == current_model_) return;
    current_model_ = text;
    if (sink_ != nullptr) sink_->in_model(text);
  }

  /// Adds a remark that is shown if the claim passes.
  void remark(std::string text) { remark_ = std::move(text); }

  bool good() const { return worst_ <= tolerance_; }
  std::size_t seen() const { return seen_; }
  double worst() const { return worst_; }
  const std::string& where() const { return where_; }
  const std::string& remark() const { return remark_; }
  const std::string& model() const { return model_; }
  const std::string& current_model() const { return current_model_; }

 private:
  static double infinite();
  double tolerance_, worst_ = 0;
  std::size_t seen_ = 0;
  ClaimSink* sink_;
  std::string where_, current_model_, model_, remark_;
};

/// The first claim of the battery of an element, its remedy, and its remedy if no instance can be made.
inline constexpr std::string_view instances_are_made = "random instances of it are accepted";
inline constexpr std::string_view sound_instances =
    "define(), create() and the sizes that the type declares must fit each other and the contract";
inline constexpr std::string_view needs_example =
    "nothing of the type is checked without an instance: where fields must fit each other, give a model of yours that "
    "uses it, polyform conform PLUGIN --model FILE";

class Checklist {
 public:
  Checklist(std::string kind, std::string type, ClaimSink& sink)
      : kind_(std::move(kind)), type_(std::move(type)), sink_(sink) {}

  /// Decides one claim. An exception of the body makes it undecided (Undecided) or failed; it is also undecided if the
  /// body saw nothing.
  void claim(std::string_view name, double tolerance, std::string_view remedy,
             const std::function<void(Measure&)>& body);
  /// Decides a claim whose body makes what later claims need. The body runs even if the verdict is known. False if it
  /// made nothing; need: the remedy in this case, because then nothing else can be checked.
  bool prepare(std::string_view name, std::string_view remedy, const std::function<void(Measure&)>& body,
               std::string_view need = {});
  /// Reports a claim for which nothing was tried.
  void unsupported(std::string_view name, std::string why);

  const std::string& type() const { return type_; }

 private:
  Claim decide(std::string_view name, double tolerance, std::string_view remedy,
               const std::function<void(Measure&)>& body) const;

  std::string kind_, type_;
  ClaimSink& sink_;
};

}  // namespace polyform::host::conformance
