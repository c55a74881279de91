// A number with which the law of a force is told to a recorder (contract/force_law.hpp): a law that is a template on
// its number computes with double, and with this number it is taken down.
//
//   template <class T> T tension(const SpringOf<T>& s, const T& length, const T& rate);
//
//   void record(LawRecorder& recorder, const LawInput& in, LawOutput& out) noexcept override {
//     const LawRecording recording(recorder);
//     ... tension(SpringOf<LawNumber>{in_parameter(in, 0), ...}, ...) ...
//   }
//
// What depends on comparisons is written with where_positive() and max(), which doubles have too.
#pragma once

#include <algorithm>
#include <cmath>

#include "polyform/contract/force_law.hpp"

namespace polyform {

/// Where numbers are taken down, from here to the end of the scope; one at a time in a thread.
class LawRecording {
 public:
  explicit LawRecording(LawRecorder& to) noexcept { recorder_ = &to; }
  ~LawRecording() { recorder_ = nullptr; }
  LawRecording(const LawRecording&) = delete;
  LawRecording& operator=(const LawRecording&) = delete;
  static LawRecorder& recorder() noexcept { return *recorder_; }

 private:
  static inline thread_local LawRecorder* recorder_ = nullptr;
};

/// To be made and used while a LawRecording is there; without an argument zero.
class LawNumber {
 public:
  constexpr LawNumber() noexcept : index_(0) {}
  explicit LawNumber(double x) noexcept : index_(x == 0 ? 0 : LawRecording::recorder().constant(x)) {}
  static LawNumber of(LawIndex index) noexcept {
    LawNumber number;
    number.index_ = index;
    return number;
  }
  LawIndex index() const noexcept { return index_; }

  LawNumber& operator+=(const LawNumber& b) noexcept { return *this = *this + b; }
  LawNumber& operator-=(const LawNumber& b) noexcept { return *this = *this - b; }
  LawNumber& operator*=(const LawNumber& b) noexcept { return *this = *this * b; }
  friend LawNumber operator+(const LawNumber& a, const LawNumber& b) noexcept { return told(LawOperation::add, a, b); }
  friend LawNumber operator-(const LawNumber& a, const LawNumber& b) noexcept {
    return told(LawOperation::subtract, a, b);
  }
  friend LawNumber operator*(const LawNumber& a, const LawNumber& b) noexcept {
    return told(LawOperation::multiply, a, b);
  }
  friend LawNumber operator/(const LawNumber& a, const LawNumber& b) noexcept {
    return told(LawOperation::divide, a, b);
  }
  friend LawNumber operator-(const LawNumber& a) noexcept { return told(LawOperation::negate, a); }
  friend LawNumber abs(const LawNumber& a) noexcept { return told(LawOperation::absolute, a); }
  friend LawNumber sqrt(const LawNumber& a) noexcept { return told(LawOperation::root, a); }
  friend LawNumber max(const LawNumber& a, const LawNumber& b) noexcept { return told(LawOperation::greater, a, b); }
  friend LawNumber where_positive(const LawNumber& a, const LawNumber& b) noexcept {
    return told(LawOperation::where_positive, a, b);
  }

 private:
  static LawNumber told(LawOperation operation, const LawNumber& a, const LawNumber& b = LawNumber()) noexcept {
    return of(LawRecording::recorder().apply(operation, a.index_, b.index_));
  }
  LawIndex index_;
};

/// b where a > 0, else zero, whatever b is there.
inline double where_positive(double a, double b) noexcept { return a > 0 ? b : 0; }

/// The motion of a marker in numbers of any kind; ground axes, as MarkerMotion.
template <class T>
struct MotionOfMarker {
  Matrix3<T> R;
  Vector3<T> position, velocity, angular_velocity;
};

inline LawNumber in_parameter(const LawInput& in, std::size_t k) noexcept { return LawNumber::of(in.parameters[k]); }
inline MotionOfMarker<LawNumber> in_marker(const LawInput& in, std::size_t k) noexcept {
  MotionOfMarker<LawNumber> out;
  const LawIndex* next = in.markers.data() + k * LawInput::of_marker;
  for (LawNumber& x : out.R.m) x = LawNumber::of(*next++);
  for (Vector3<LawNumber>* const v : {&out.position, &out.velocity, &out.angular_velocity})
    for (std::size_t i = 0; i < 3; ++i) (*v)[i] = LawNumber::of(*next++);
  return out;
}
/// The wrench on a marker.
inline void put_wrench(LawOutput& out, std::size_t marker, const SpatialVector<LawNumber>& w) noexcept {
  for (std::size_t i = 0; i < 3; ++i) {
    out.wrenches[6 * marker + i] = w.angular[i].index();
    out.wrenches[6 * marker + 3 + i] = w.linear[i].index();
  }
}
inline void put_effort(LawOutput& out, std::size_t k, const LawNumber& effort) noexcept {
  out.efforts[k] = effort.index();
}
inline void add_power(LawOutput& out, const LawNumber& power) noexcept {
  out.power = (LawNumber::of(out.power) + power).index();
}
inline LawNumber in_q(const LawInput& in, std::size_t k) noexcept { return LawNumber::of(in.q[k]); }
inline LawNumber in_v(const LawInput& in, std::size_t k) noexcept { return LawNumber::of(in.v[k]); }

}  // namespace polyform
