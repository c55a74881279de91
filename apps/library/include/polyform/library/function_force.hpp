// Forces, controllers and events that are functions of the program: for trial, in every formulation.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "polyform/library/error.hpp"

namespace polyform::library {

/// The motion of a point of a body, ground axes, SI units.
struct Motion {
  std::array<double, 9> rotation;  ///< of the body, rows first
  std::array<double, 3> position, velocity, angular_velocity;
};

/// What a function is given: coordinates and velocities of its joints, motions of its points, its own states, its mode.
struct FunctionInput {
  double time = 0;
  std::span<const double> q, v;
  std::span<const Motion> points;
  std::span<const double> states;
  int mode = 0;
};

/// What it gives; zero on entry.
struct FunctionOutput {
  std::span<double> efforts;                ///< generalized forces, one per velocity of the joints
  std::span<std::array<double, 6>> forces;  ///< per point: force on it and moment, ground axes
  std::span<double> rates;                  ///< d/dt of the states
};

/// A function of the state whose change of sign is located within the step. It should be continuous.
struct FunctionEvent {
  enum class Crossing { any = 0, falling = -1, rising = 1 };
  std::string name = "event";
  Crossing crossing = Crossing::any;
  std::function<double(const FunctionInput&)> value = {};
  /// The mode from then on; empty: it stays.
  std::function<int(const FunctionInput&, bool rising)> passed = {};
  bool ends_run = false;
};

/// One force. What a function throws ends the run; Error::thrown has it, and the results so far are kept. The functions
/// depend on nothing but their input: a step may be tried, repeated or dropped. They may be called by several threads
/// where solvers of the model are.
struct FunctionForce {
  struct Point {
    std::string body;            ///< or ground
    std::array<double, 3> at{};  ///< in the body's frame, m
  };
  struct State {
    std::string name, unit = "1";
    double initial = 0;
  };

  std::string name = {};
  std::vector<std::string> joints = {};
  std::vector<Point> points = {};
  std::vector<State> states = {};
  std::vector<std::string> modes = {};                                        ///< words for 0, 1, …; it begins with 0
  std::function<void(const FunctionInput&, const FunctionOutput&)> law = {};  ///< may be empty
  std::vector<FunctionEvent> events = {};
};

}  // namespace polyform::library
