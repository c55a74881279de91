// An element's instance as it would be read from the same model drawn in another way: turned as a whole, or with other
// body frames in the bodies.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "framework/workbench/conformance/batch_probe.hpp"

namespace polyform::host::inline conformance {

/// Results of two drawings of one model that differ by no more than this part of their size are the same.
inline constexpr double same_results = 1e-9;

struct Redrawing {
  Mat3 turn = Mat3::identity();           ///< of the whole drawing about the ground origin
  Mat3 frames = Mat3::identity();         ///< of each body frame in its body, its new axes in the old ones
  std::vector<std::size_t> as_of_body{};  ///< fields of the ground frame that are written as if they were of the body's
};

/// The vectors among the fields are turned: those in the ground frame (FieldSpec::tied_to_ground) with the drawing, the
/// others with the frames of the bodies.
class RedrawnInstance {
 public:
  RedrawnInstance(Strided<const FieldSpec>, const ElementInstance& read, const Redrawing&);
  RedrawnInstance(const RedrawnInstance&) = delete;
  RedrawnInstance& operator=(const RedrawnInstance&) = delete;

  /// Calls the type's define(). False if the type refuses the instance.
  template <class Type>
  bool define(const Type& type) {
    struct Deaf final : FieldSink {
      void report(Severity, std::size_t, std::size_t, std::string_view, std::string_view) noexcept override {}
    } deaf;
    return type.define(instance_, 0, deaf);
  }
  const ElementInstance& instance() const { return instance_; }
  /// The name of a field whose value could not be turned, because its meaning is not known; empty if there is none.
  const std::string& unknown() const { return unknown_; }
  /// The input of the instance for the same motion of the bodies. of_read: the input of the instance that was read.
  BatchInput input(const BatchInput& of_read) const;

 private:
  void turn(const FieldSpec&, FieldValue&, bool of_ground);
  Vec3 redraw_marker(BodyIndex, const Vec3& point);

  Redrawing how_;
  const ElementInstance& read_;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<TimeFunction>> functions_;
  std::vector<FieldValue> fields_;
  std::vector<Marker> markers_;
  std::vector<Pose> drawn_;
  std::vector<BodyInertia> inertias_;
  std::deque<std::vector<Vec3>> points_;
  ElementInstance instance_;
  std::string unknown_;
};

/// Whether a field holds directions or places, so that it can be turned.
bool holds_vectors(const FieldSpec&);

/// Checks that the directions in fields of the ground frame are those of the drawing, whatever the frames of the bodies
/// are. evaluate(instance, input) gives the results of an instance, differ(a, b) the difference of two of these
/// relative to their size. Sees nothing if the type also takes directions from elsewhere, such as the axes of a body.
template <class Type, class Evaluate, class Differ>
void see_drawn_axes(const Type& type, const ElementInstance& read, const BatchInput& in, const Mat3& frames,
                    Evaluate evaluate, Differ differ, Measure& m) {
  const Strided<const FieldSpec> specs = type.fields();
  const auto expected = evaluate(read, in);
  const auto error_of = [&](std::vector<std::size_t> as_of_body) {
    RedrawnInstance other(specs, read, {.frames = frames, .as_of_body = std::move(as_of_body)});
    if (!other.define(type)) return 1.0;
    return differ(expected, evaluate(other.instance(), other.input(in)));
  };
  const double error = error_of({});
  if (error <= same_results) return m.see(error, "");
  std::vector<std::size_t> tied;
  for (std::size_t f = 0; f < specs.size(); ++f)
    if (specs[f].tied_to_ground && holds_vectors(specs[f])) tied.push_back(f);
  for (const std::size_t f : tied)
    if (error_of({f}) <= same_results)
      return m.see(error, [&] {
        return "`" + std::string(specs[f].name) +
               "` is taken in the axes of the body, as it is written: with another frame of the body in the same "
               "drawing it points elsewhere";
      });
  if (tied.size() > 1 && error_of(tied) <= same_results)
    m.see(error,
          "directions are taken in the axes of the body, as they are written: with another frame of the body "
          "in the same drawing they point elsewhere");
}

/// Makes the claim of see_drawn_axes for all instances; on_each(see) calls see(instance, input, evaluate, differ, m)
/// for each.
template <class Type, class OnEach>
void claim_drawn_axes(const Type& type, std::size_t markers, Checklist& list, OnEach on_each) {
  constexpr std::string_view name = "its directions are as drawn, however the frames of the bodies stand";
  const auto tied = [](const FieldSpec& field) { return field.tied_to_ground && holds_vectors(field); };
  if (markers == 0) return list.unsupported(name, "not applicable: it has no markers");
  if (std::ranges::none_of(type.fields(), tied))
    return list.unsupported(name,
                            "not applicable: no field with a direction is tied to ground (FieldSpec::tied_to_ground)");
  list.claim(name, 1e-9,
             "turn what is given in ground into the axes of the body that it goes with: transpose_times("
             "rotation_matrix(instance.drawn[k].orientation), direction)",
             [&](Measure& m) {
               Random random(67);
               on_each(m, [&](const ElementInstance& read, const BatchInput& in, auto evaluate, auto differ) {
                 see_drawn_axes(type, read, in, rotation_matrix(random.quaternion()), evaluate, differ, m);
               });
               if (m.seen() == 0) throw Undecided("it takes directions from the axes of a body too");
             });
}

/// Checks that the results of an instance turn with everything to which it is attached. If they do not, checks the same
/// with gravity turned too, and if fields are tied to ground with all values of the ground frame turned.
/// error_of(instance, input) compares the results there with the former results, turned. Returns the error of the first
/// check; tied: the name of a field that prevents the last.
template <class Type, class Error>
double see_turned(const Type& type, const ElementInstance& read, const BatchInput& in, const Mat3& R, const Vec3& d,
                  Error error_of, std::string& tied, Measure& m) {
  const double error = error_of(read, carried(in, R, d));
  ElementInstance heavy = read;
  heavy.gravity = R * read.gravity;
  // Without an effect of gravity the error is the same. A shift changes the potential energy of weight.
  if (error > same_results && error_of(heavy, carried(in, R, d)) != error) {
    if (const double with_gravity = error_of(heavy, carried(in, R, {})); with_gravity <= same_results) {
      m.see(with_gravity, "after a turn of the whole system and of gravity");
      return error;
    }
  }
  if (error <= same_results || std::ranges::none_of(type.fields(), &FieldSpec::tied_to_ground)) {
    m.see(error, "after a turn and a shift of the whole system");
    return error;
  }
  RedrawnInstance turned(type.fields(), read, {.turn = R});
  if (!turned.unknown().empty() || !turned.define(type)) {
    tied = turned.unknown();
    return error;
  }
  m.see(error_of(turned.instance(), carried(turned.input(in), R, {})),
        "after a turn of the whole drawing, with all values of the ground frame");
  return error;
}
/// Runs the body of a claim for its side effects only.
template <class Body>
void see_quietly(Body body) {
  Measure unheard(0);
  try {
    body(unheard);
  } catch (const Undecided&) {
  }
}
inline std::string tied_by(const std::string& field) {
  return field.empty() ? "not applicable: its law holds on to ground"
                       : "not applicable: `" + field + "` says that its law holds on to ground";
}

}  // namespace polyform::host::conformance
