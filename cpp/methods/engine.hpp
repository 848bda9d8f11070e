// SPDX-License-Identifier: Apache-2.0
// Answers one question of one direction by the cheapest method that is forecast to be tight.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "methods/method.hpp"

namespace hockeystick {

inline constexpr std::size_t method_count = 10;

/// Throws std::invalid_argument unless it is empty or the name of a method.
void check_method(std::string_view name);

/// The methods' names, in the order in which the engine asks for their forecasts.
std::vector<std::string_view> method_names();

/// The part that a method had in the search for an answer.
struct Explanation {
  std::string_view method;
  Forecast forecast;         // of its last attempt
  std::string_view verdict;  // "chosen", or the reason why not
  int attempts;
  double nanoseconds;  // of its attempts
};

class Solver {
 public:
  Solver(const MergedDirection& run, const Question& question, const Limits& limits);

  /// Makes attempts, each by the cheapest method that is forecast to be tight, until the answer is tight or its upper
  /// end is at most `known`: a smaller answer need not be enclosed more closely.
  Answer solve(double known = -infinity);

  /// An evaluator that gives the answer.
  std::shared_ptr<const Evaluator> evaluator() const;

  /// A row for each method, after `solve`. Methods that the search did not reach make their forecasts now.
  std::vector<Explanation> explain();

 private:
  struct State {
    std::unique_ptr<Method> method;
    Forecast forecast, offered;  // the last one, and the last one without an obstacle
    bool given_up = false;
    int attempts = 0;
    double nanoseconds = 0;
  };
  bool choose();
  bool is_small_enough() const;
  bool is_near_enough() const;
  bool is_for_little(const Forecast& next);
  Forecast forecast(std::size_t i);
  void attempt();
  void take(const Answer& found);

  Task task_;
  std::array<State, method_count> states_;
  std::size_t chosen_ = method_count;
  bool is_chosen_ = false;                          // whether `chosen_` is the method of the next attempt
  std::shared_ptr<const Evaluator> evaluator_;      // of the last attempt
  std::shared_ptr<const Evaluator> below_, above_;  // those that gave the two ends of the answer
  bool is_last_tight_ = false;                      // whether the last answer alone is as close as asked
};

}  // namespace hockeystick
