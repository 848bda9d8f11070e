// SPDX-License-Identifier: Apache-2.0
//
// hockeystick.h for C++20: runs that free themselves, vectors of intervals, exceptions. Header only.
#ifndef HOCKEYSTICK_HPP
#define HOCKEYSTICK_HPP

#include <cstdint>
#include <initializer_list>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hockeystick.h"

namespace hs {

/// A status below 0, and the text of hs_last_error.
class Error : public std::runtime_error {
 public:
  explicit Error(int status) : std::runtime_error(hs_last_error()), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

using Options = hs_options;
using Interval = hs_answer;

/// The default options, to change.
inline Options default_options() {
  Options options;
  hs_default_options(&options, sizeof options);
  return options;
}

/// A parameter: {"noise_multiplier", 1.0}, or {"p", list}, where the list must outlive it.
struct Parameter : hs_parameter {
  Parameter(const char* name, double value) : hs_parameter{name, value, nullptr, 0} {}
  Parameter(const char* name, std::span<const double> values) : hs_parameter{name, 0, values.data(), values.size()} {}
};

/// Throws Error for a status below 0. Wide answers have a `limited_by`.
inline void check(int status) {
  if (status < 0) throw Error(status);
}

/// A composition of mechanisms.
class Run {
 public:
  Run() : run_(hs_run_new()) {
    if (run_ == nullptr) throw std::bad_alloc();
  }
  ~Run() { hs_run_free(run_); }
  Run(Run&& other) noexcept : run_(other.run_) { other.run_ = nullptr; }
  Run& operator=(Run&& other) noexcept {
    hs_run* own = run_;
    run_ = other.run_;
    other.run_ = own;
    return *this;
  }

  /// Adds `count` runs of a mechanism, as hs_run_add does.
  Run& add(const std::string& mechanism, std::initializer_list<Parameter> parameters, std::int64_t count = 1) {
    const std::vector<hs_parameter> plain(parameters.begin(), parameters.end());
    check(hs_run_add(run_, mechanism.c_str(), plain.data(), plain.size(), count));
    return *this;
  }

  /// Adds the entries of a ledger, as hs_run_add_json does.
  Run& add_json(std::string_view ledger) {
    check(hs_run_add_json(run_, ledger.data(), ledger.size()));
    return *this;
  }

  /// The answers of any question of hockeystick.h about a run: `run.ask(hs_renyi_divergence, orders)`.
  template <class Question>
  std::vector<Interval> ask(Question question, std::span<const double> at, const Options* options = nullptr) const {
    std::vector<Interval> answers(at.size());
    check(question(run_, at.data(), at.size(), options, answers.data()));
    return answers;
  }

  Interval epsilon(double delta, const Options* options = nullptr) const {
    return ask(hs_epsilon, {&delta, 1}, options).front();
  }
  std::vector<Interval> epsilon(std::span<const double> deltas, const Options* options = nullptr) const {
    return ask(hs_epsilon, deltas, options);
  }
  Interval delta(double epsilon, const Options* options = nullptr) const {
    return ask(hs_delta, {&epsilon, 1}, options).front();
  }
  std::vector<Interval> delta(std::span<const double> epsilons, const Options* options = nullptr) const {
    return ask(hs_delta, epsilons, options);
  }

  const hs_run* get() const { return run_; }

 private:
  hs_run* run_;
};

/// Epsilon of one run of DP-SGD.
inline Interval dpsgd_epsilon(double noise_multiplier, double sampling_probability, std::int64_t steps, double delta,
                              const Options* options = nullptr) {
  Interval answer;
  check(hs_dpsgd_epsilon(&noise_multiplier, &sampling_probability, &steps, &delta, 1, options, &answer));
  return answer;
}

}  // namespace hs

#endif
