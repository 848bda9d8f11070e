// SPDX-License-Identifier: Apache-2.0
// What each way to enclose delta(epsilon) of a run offers. methods/engine.cpp chooses among them.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "methods/gaussian_merge.hpp"
#include "methods/question.hpp"
#include "plan/grid_planner.hpp"

namespace hockeystick {

/// What the next attempt of a method is likely to take. Uncertified.
struct Forecast {
  double cost = infinity;       // [ns]
  double bytes = 0;             // at most, at once
  double width = 0.5;           // of the answer, over the width that is allowed
  std::string_view obstacle{};  // why there is no attempt; "" if there is one
};

/// A certified enclosure of one direction's curve, made for one question and good for others.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// With the parts of its width. `near`: an epsilon close to the answer, if one is known.
  virtual Answer answer(Quantity quantity, double at, double near) const = 0;
  /// delta at each epsilon.
  virtual void deltas(std::span<const double> epsilons, std::span<Answer> answers) const;
  /// The same plan for another direction; null if it cannot serve.
  virtual std::shared_ptr<const Evaluator> sibling(const Direction&) const { return nullptr; }
  /// Of these terms besides; null if it cannot take them.
  virtual std::shared_ptr<const Evaluator> grown(const Direction&) const { return nullptr; }
  /// Whether another direction's delta(epsilon) is at most `delta`, shown at less cost than by an answer.
  virtual bool shows_at_most(const Direction&, double /*epsilon*/, double /*delta*/) const { return false; }
  virtual double bytes() const { return 0; }
};

/// One question of one direction.
struct Task {
  const MergedDirection& run;
  Question question;
  Limits limits;
  Answer answer{};            // the best bounds so far
  bool is_bounded = false;    // by the trivial bounds
  bool beyond_grids = false;  // so close below the largest loss that no grid is fine enough
  std::unique_ptr<GridPlanner> planner{};

  const Direction& terms() const { return run.terms; }
  bool is_named() const { return !limits.method.empty(); }
  bool runs_once() const { return hockeystick::runs_once(run.terms); }
  /// Why no grid is worth its cost; "" if one may be.
  std::string_view grid_obstacle() const;
  /// Saddle points are searched when a method first needs them.
  GridPlanner& grid();
  /// Plans the next grid by the answer of the last.
  void refine_grid();
  /// How many times wider than allowed the answer is.
  double excess();
};

/// One way to enclose delta(epsilon), at work on one question.
class Method {
 public:
  explicit Method(Task& task) : task_(task) {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  /// Of the next attempt.
  virtual Forecast forecast() = 0;
  /// Certified, whatever the forecast said.
  virtual std::shared_ptr<const Evaluator> prepare() = 0;
  /// After an answer of the evaluator that was too wide; by default, there is no other.
  virtual void learn(const Answer&) { is_done_ = true; }

 protected:
  Task& task_;
  bool is_done_ = false;
};

std::unique_ptr<Method> trivial_bounds(Task& task);
std::unique_ptr<Method> closed_form(Task& task);
std::unique_ptr<Method> participations(Task& task);
std::unique_ptr<Method> single_step(Task& task);
std::unique_ptr<Method> enumeration(Task& task);
std::unique_ptr<Method> contour_integral(Task& task);
std::unique_ptr<Method> chernoff_bound(Task& task);
std::unique_ptr<Method> discretized_contour(Task& task);
std::unique_ptr<Method> fft_composition(Task& task);

}  // namespace hockeystick
