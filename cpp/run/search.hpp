// SPDX-License-Identifier: Apache-2.0
// The one search for the costliest parameter that a certified cost still allows, whichever language asks.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numeric/interval.hpp"

namespace hockeystick {

/// A certified cost; `unmet` is the reason if it is wider than asked. `of_theory`: theory leaves a gap; the upper end
/// is then as low as possible, and only that end follows the parameter.
struct Cost {
  Interval bounds;
  std::exception_ptr unmet;
  bool of_theory = false;
};

/// Runs with one number each, the parameter; whole numbers are at most 2^53.
class Family {
 public:
  virtual ~Family() = default;

  double low = 0, high = 0, start = 0;  // the domain as far as it is known, and a parameter in it
  bool whole = false;
  std::string name, advice;  // the parameter's name in messages, and their advice where no parameter meets the target

  /// The parameter, or the end of the domain next to it, which the call may determine.
  virtual double settled(double value) = 0;
  virtual bool accepts(double value) = 0;

  /// The cost of the run at a parameter of the domain, to a tolerance.
  virtual Cost cost(double value, double tolerance) = 0;
  /// The same cost in little time, however wide.
  virtual Interval hasty_cost(double value, double tolerance) = 0;
  /// A cost that distinguishes parameters where the other cost is 0.
  virtual Interval advantage(double value) = 0;

 protected:
  Family(std::string name_, std::string advice_) : name(std::move(name_)), advice(std::move(advice_)) {}
};

/// The function by which costs are compared: the logarithm, the log odds, or, for costs below 0, minus the logarithm of
/// the size.
enum class Scale { logarithm, odds, falling };

/// The cost that is not to be exceeded, and how other costs compare with it.
struct Goal {
  std::string name;
  double target, tolerance;
  double coarse = 1e-2;  // tolerance of the first evaluations
  Scale scale = Scale::logarithm;
  int sign = 0;          // of the slope of the cost over the parameter, if it is known
  double narrow = 1e-9;  // relative width of a bracket in which the cost is taken to jump

  /// How far the cost lies above the target on that scale.
  double height_of(double cost) const;
};

/// The search knows costs through enclosures alone, whose width it chooses: wide ones first. Positions are logarithms
/// of the parameter and heights logarithms of the cost over the target, so that the power laws by which privacy depends
/// on its parameters are straight lines, and secants converge in a few steps. Where a secant is of no use, the bracket
/// is halved or the search widened. A wrong guess costs time alone: the parameter found is one whose upper bound meets
/// the target.
class Search {
 public:
  struct Sample {
    double value, position;
    Interval cost;
    double height, noise;  // noise: width of the enclosure in terms of heights
    double tolerance;      // the tolerance of its question
    bool final;            // whether the tolerance was the goal's, or no closer cost is known
    bool of_theory;
    std::exception_ptr unmet;
  };

  /// `before`: a finished search of a similar family and goal; `alike`: whether it is of the same family and delta, so
  /// that its costs hold here.
  Search(Family& family, Goal goal, const Search* before = nullptr, bool alike = false);

  /// The sample at the parameter found, whose upper bound is at most the target. Throws std::invalid_argument where no
  /// parameter meets the target or the family is not monotone, and the `unmet` of a sample that is too wide.
  Sample run();

  /// Calls `run`, and returns its sample and that of a costlier parameter within this relative distance, which does not
  /// meet the target or is not known to. The second is empty if the domain ends before.
  std::pair<Sample, std::optional<Sample>> bracket(double width);

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  using Found = const Sample*;

  void learn_from(const Search& before, bool alike);
  void find_sign();
  int sign_of_advantage() const;
  bool measure_probes(double tolerance);
  bool tells_sign(double tolerance, double value);
  const Sample& measure(double value, double tolerance);
  const Sample& enter(double value, const Cost& cost, double tolerance);
  std::vector<Found> ordered() const;
  void find_bracket();
  bool is_last() const;
  std::pair<double, double> next() const;
  double strictly_between(double value) const;
  double guess() const;
  std::optional<double> interpolated() const;
  void refuse_the_unreachable() const;
  void refuse_contradictions() const;
  [[noreturn]] void refuse_the_constant() const;
  [[noreturn]] void refuse_the_target(const std::string& why) const;
  std::string text(double value) const;
  std::string text(const Interval& cost) const;
  bool is_falling() const { return goal_.scale == Scale::falling; }

  const Sample* known(double value) const;
  double end() const { return sign_ > 0 ? family_.high : family_.low; }
  double position(double value) const;
  double value_at(double position) const;
  bool takes(double position) const;

  Family& family_;
  Goal goal_;
  std::vector<Sample> samples_;             // the latest at each parameter tried
  int sign_;                                // of the slope of the cost over the parameter; 0: not known yet
  double slope_ = 0;                        // of positions over heights, about; 0: not known
  std::optional<Sample> inside_, outside_;  // the bracket
  std::vector<double> widths_;              // of the bracket, after each evaluation
};

}  // namespace hockeystick
