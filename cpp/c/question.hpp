// SPDX-License-Identifier: Apache-2.0
// What all questions of the C library have in common: options, the watch, arrays, and how answers are written.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "c/guard.hpp"
#include "c/run.hpp"
#include "methods/question.hpp"
#include "numeric/range.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "run/ask.hpp"

namespace hockeystick::c {

hs_options default_options();

/// The first `size` bytes of them; what lies beyond the fields known here is 0. Another size than some version has, or
/// nullptr: writes nothing.
void write_default_options(hs_options* to, std::size_t size);

/// The caller's options, of which it may know fewer fields, or more. Throws std::invalid_argument for what is out of
/// range.
hs_options checked_options(const hs_options* given);

/// The tolerance of questions about the loss itself, whose answers no grid tells as closely, unless options are given.
inline constexpr double default_tolerance = 1e-3, loose = 1e-2;

inline constexpr double most_questions = 1e9;

/// n elements. Throws std::invalid_argument if they are NULL, or more than `most`.
template <class Element>
std::span<const Element> array(const Element* first, std::size_t n, const char* name, double most = most_questions) {
  checked("n", static_cast<double>(n), {0, most, Range::Ends::closed, true});
  if (n > 0) not_null(first, name);
  return {first, n};
}

/// During its lifetime the watch of the options, if there is one, is asked now and then.
class Watching {
 public:
  explicit Watching(const hs_options& options);
  ~Watching();
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

 private:
  const hs_options* before_;
  Watched watched_;
};

/// Throws BadFloatingPoint where this thread's arithmetic is not that of the assumptions.
void check_arithmetic();

/// Writes the answers and returns the status: HS_WIDE if one is too wide, and not by theory. Throws before anything is
/// written if one is no interval.
int written(std::span<const Answer> found, hs_answer* answers);

/// Asks `question(adjacency, limits, threads)`, n answers. `tolerance`: without options.
template <class Question>
int asked(const hs_options* given, std::size_t n, hs_answer* answers, Question&& question,
          double tolerance = default_tolerance) noexcept {
  return guarded([&] {
    hs_options options = checked_options(given);
    if (given == nullptr) options.tolerance = tolerance;
    array(answers, n, "answers");
    check_arithmetic();
    const Watching watching(options);
    const auto memory = std::min<std::uint64_t>(options.memory_limit, std::numeric_limits<std::size_t>::max());
    const std::size_t adjacency = options.adjacency == HS_ADJACENCY_OF_RUN ? 0 : adjacency_index(options.adjacency);
    const Limits limits{options.tolerance, static_cast<std::size_t>(memory), {}, options.smallest};
    return written(question(adjacency, limits, options.threads), answers);
  });
}

/// The numbers that a question is asked at.
struct Points {
  const double* first;
  std::size_t n;
  const char* name;
};

/// Asks a question of a run.
int ask(const hs_run* run, View view, const Points& points, const hs_options* options, hs_answer* answers,
        double tolerance = default_tolerance) noexcept;

}  // namespace hockeystick::c
