// The first sign change of several functions of time within a step. Nothing here knows mechanics.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace polyform::host::inline integration {

/// Functions of time along a step, whose sign changes are looked for. Zero counts as positive.
class Signals {
 public:
  virtual ~Signals() = default;
  virtual std::size_t size() const noexcept = 0;
  /// Values and rates at t. Returns the longest time to another sample, s, such that the two samples show the motion in
  /// between: to samples a whole turn apart a turning body looks at rest.
  virtual double sample(double t, std::span<double> values, std::span<double> rates) = 0;
  /// The value of function k alone at t, where that is cheaper than a sample; else nothing.
  virtual std::optional<double> value(double t, std::size_t k) {
    (void)t, (void)k;
    return std::nullopt;
  }
  /// Whether a change of the sign of function k is an event: to positive if `rising`.
  virtual bool counts(std::size_t k, bool rising) const noexcept = 0;
  /// How often a part of a step may be halved because function k does not do what its rates tell: a function that jumps
  /// never does, and changes of its sign in a shorter time are not looked for.
  virtual std::size_t halvings(std::size_t k) const noexcept {
    (void)k;
    return static_cast<std::size_t>(-1);
  }
};

struct SignChange {
  double time = 0;    ///< the first time found at which the function has its new sign
  double before = 0;  ///< shortly before it: this function, and all others that count, have their old signs
  std::size_t function = 0;
};

/// Looks along a step for the first sign change that counts, and for pairs of them too: a function that touches zero
/// and returns between two samples. A stretch between two samples is free of zeros when
///
///   - both values have one sign, and the values at its ends agree with the rates at its ends (trapezoidal rule), up to
///     a share of the values: else something happened between that neither end knows;
///   - where the function goes to zero at the first end and away from it at the last, the two tangents meet on the side
///     of the values: a convex function lies above its tangents.
///
/// A stretch that is not free is divided, where the tangents meet or in its middle. A step longer than Signals::sample
/// allows is first divided into stretches that are not. No allocation after construction.
class EventSearch {
 public:
  /// kinds: per function a number below `functions`, the same for those of one unit whose sizes compare (the gaps of
  /// all contacts): the rounding of one that has always been zero is told by the others. Empty: all differ.
  /// least_for_pace: a function sets the pace of samples by its largest value, or by this part of the largest of its
  /// kind: the changes of one that has always been small may be the rounding of what the others are differences of.
  explicit EventSearch(std::size_t functions, std::vector<std::size_t> kinds = {}, double least_for_pace = 1);

  /// Begins at the start of the next step: takes values and rates there.
  void begin(double t, Signals&);
  /// Searches from the time of the last call of begin or of this to t_end; if nothing is found, the samples at t_end
  /// are kept as the next beginning. `resolution`: how near the time of a sign change is located, s.
  std::optional<SignChange> find(double t_end, double resolution, Signals&);

  std::span<const double> values() const { return samples_.front().values; }
  std::span<const double> rates() const { return samples_.front().rates; }
  /// Values of function k below this are rounding.
  double noise(std::size_t k) const;
  /// The reach of the sample at the start of the next step, s.
  double reach() const { return samples_.front().reach; }

 private:
  struct Sample {
    double time = 0, reach = 0;
    std::vector<double> values, rates;
  };
  struct Cut {
    bool clear = true;
    double share = 0.5;  ///< where to divide
  };
  void take(double t, Signals&, Sample&);
  double value_at(double t, std::size_t k, Signals&);
  double size_for_pace(std::size_t k) const;
  double stretch(const Sample&) const;
  double end_of_stretch(double t_end, double shortest, Signals&);
  std::optional<SignChange> find_in_stretch(Signals&);
  Cut judge(const Sample& a, const Sample& b, std::size_t k, bool whole_step) const;
  Cut judge(const Sample& a, const Sample& b, const Signals&, bool whole_step, std::size_t depth = 0);
  bool changes(const Sample& a, const Sample& b, std::size_t k, const Signals&) const;
  bool any_changes(const Sample& a, const Sample& b, const Signals&) const;
  std::optional<SignChange> first(std::size_t a, std::size_t b, std::size_t depth, Signals&);
  std::optional<SignChange> sooner_than(const SignChange&, std::size_t a, std::size_t depth, Signals&);
  SignChange locate(const Sample& a, const Sample& b, std::size_t k, Signals&);

  std::size_t functions_;
  std::vector<std::size_t> kinds_;
  double least_for_pace_;
  double resolution_ = 0;
  std::vector<double> largest_;     ///< |value| of each kind, of all samples
  std::vector<double> widest_;      ///< |value| of each function, likewise
  std::vector<double> fastest_;     ///< |rate| of each function, of the samples of the last steps
  std::vector<std::size_t> jumps_;  ///< divisions that each function that jumps has asked for along the present step
  double finest_ = 0;     ///< the shortest stretch that the pace of the functions asks for in the present step, s
  std::size_t left_ = 0;  ///< samples that the search along this step may still take
  std::vector<Sample> samples_;
  Sample trial_;
};

}  // namespace polyform::host::integration
