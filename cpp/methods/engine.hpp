// SPDX-License-Identifier: Apache-2.0
// The choice of a method: answers one question of one direction.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "methods/method.hpp"

namespace hockeystick {

inline constexpr std::size_t method_count = 9;

/// Throws std::invalid_argument unless it is empty or the name of a method.
void check_method(std::string_view name);

/// In the order in which they are asked for a forecast.
std::vector<std::string_view> method_names();

/// What became of a method in the search for an answer.
struct Explanation {
  std::string_view method;
  Forecast forecast;         // of its last attempt
  std::string_view verdict;  // "chosen", or why not
  int attempts;
  double nanoseconds;  // that its attempts took
};

class Solver {
 public:
  Solver(const MergedDirection& run, const Question& question, const Limits& limits);

  /// By one method after the other, each the cheapest that is forecast to be tight, until the answer is.
  Answer solve();

  /// Whether the next attempt, but for those that cost nothing, is as costly as a grid.
  bool is_costly();

  /// Where the answer is forecast to lie; above all if it is known.
  double place() { return is_costly() ? task_.grid().place() : infinity; }

  Task& task() { return task_; }
  /// What answered last.
  std::shared_ptr<const Evaluator> evaluator() const { return evaluator_; }

  /// A row for each method, after `solve`. Methods that the search did not reach are asked for a forecast now.
  std::vector<Explanation> explain();

 private:
  struct State {
    std::unique_ptr<Method> method;
    Forecast forecast, offered;  // the last, and the last with an attempt
    bool given_up = false;
    int attempts = 0;
    double nanoseconds = 0;
  };
  bool choose();
  bool is_small_enough() const;
  Forecast forecast(std::size_t i);
  void attempt();
  void take(const Answer& found);

  Task task_;
  std::array<State, method_count> states_;
  std::size_t chosen_ = method_count;
  bool is_chosen_ = false;  // for the next attempt
  std::shared_ptr<const Evaluator> evaluator_;
};

}  // namespace hockeystick
