// SPDX-License-Identifier: Apache-2.0
// The common parts of all questions of the C library: options, the watch, arrays, and writing answers.
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

/// Writes the first `size` bytes of the options; bytes beyond the fields known here are 0. Writes nothing for a size
/// that no version has, or for nullptr.
void write_default_options(hs_options* to, std::size_t size);

/// The caller's options, which may have fewer fields than this version, or more. Throws std::invalid_argument for a
/// value out of range.
hs_options checked_options(const hs_options* given);

/// The default tolerance of questions about the loss itself, which grids do not answer as closely.
inline constexpr double default_tolerance = 1e-3, loose = 1e-2;

inline constexpr double most_questions = 1e9;

/// n elements. Throws std::invalid_argument if the pointer is NULL, or n is more than `most`.
template <class Element>
std::span<const Element> array(const Element* first, std::size_t n, const char* name, double most = most_questions) {
  checked("n", static_cast<double>(n), {0, most, Range::Ends::closed, true});
  if (n > 0) not_null(first, name);
  return {first, n};
}

/// During its lifetime the watch of the options, if there is one, is called now and then.
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

/// Throws BadFloatingPoint where this thread's arithmetic is not the one that the proofs assume.
void check_arithmetic();

/// Writes the answers and returns the status: HS_WIDE if an answer is wider than asked for, and not by theory. Throws
/// before anything is written if an answer is no interval.
int written(std::span<const Answer> found, hs_answer* answers);

/// Asks `question(adjacency, limits, threads)`, which has n answers. `tolerance` is the default.
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

/// The numbers at which a question is asked.
struct Points {
  const double* first;
  std::size_t n;
  const char* name;
};

/// Asks a question of a run.
int ask(const hs_run* run, View view, const Points& points, const hs_options* options, hs_answer* answers,
        double tolerance = default_tolerance) noexcept;

}  // namespace hockeystick::c
