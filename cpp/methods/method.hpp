// SPDX-License-Identifier: Apache-2.0
// The interface of the methods that enclose delta(epsilon) of a run. methods/engine.cpp chooses among them.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "methods/gaussian_merge.hpp"
#include "methods/question.hpp"
#include "plan/grid_planner.hpp"

namespace hockeystick {

/// The likely cost and width of the next attempt of a method. Not certified.
struct Forecast {
  double cost = infinity;       // [ns]
  double bytes = 0;             // peak memory
  double width = 0.5;           // width of the answer over the allowed width
  std::string_view obstacle{};  // the reason why the method makes no attempt; "" if it makes one
};

/// A certified enclosure of one direction's curve, made for one question, which also answers others.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// The answer with the parts of its width. `near`: an epsilon close to the answer, or NaN.
  virtual Answer answer(Quantity quantity, double at, double near) const = 0;
  /// delta at each epsilon.
  virtual void deltas(std::span<const double> epsilons, std::span<Answer> answers) const;
  /// An evaluator of another direction by the same plan; null if the plan does not fit.
  virtual std::shared_ptr<const Evaluator> sibling(const Direction&) const { return nullptr; }
  /// An evaluator of the run extended by these terms; null if they do not fit.
  virtual std::shared_ptr<const Evaluator> grown(const Direction&) const { return nullptr; }
  /// True if a cheap bound proves delta(epsilon) <= `delta` in that direction.
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
  bool beyond_grids = false;  // whether epsilon is so close to the largest loss that no grid is fine enough
  double rival = infinity;    // forecast cost of the cheapest other method that is forecast to be tight [ns]
  std::unique_ptr<GridPlanner> planner{};

  const Direction& terms() const { return run.terms; }
  bool is_named() const { return !limits.method.empty(); }
  bool runs_once() const { return hockeystick::runs_once(run.terms); }
  /// The reason why no grid is planned; "" if one is.
  std::string_view grid_obstacle() const;
  /// The logarithm of delta at an epsilon, once some method knows it within a factor of 2.
  std::optional<double> known_log_delta() const;
  /// The planner of grids, made when a method first needs it.
  GridPlanner& grid();
  /// Plans the next grid by the width of the last answer.
  void refine_grid();
  /// Width of the answer over the allowed width.
  double excess();
};

/// A method at work on one question.
class Method {
 public:
  explicit Method(Task& task) : task_(task) {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  /// The forecast of the next attempt.
  virtual Forecast forecast() = 0;
  /// Makes the next attempt; null if its plan fails. What it certifies does not depend on the forecast.
  virtual std::shared_ptr<const Evaluator> prepare() = 0;
  /// Called after an answer of the evaluator that was too wide. By default there is no further attempt.
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
std::unique_ptr<Method> one_large_loss(Task& task);

}  // namespace hockeystick
