// SPDX-License-Identifier: Apache-2.0
#include "c/question.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "numeric/range.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick::c {
namespace {

constexpr std::uint64_t least_size = offsetof(hs_options, threads), most_size = 4096;

thread_local const hs_options* watching = nullptr;

void ask_watch() {
  int answer = 1;
  try {
    answer = watching->watch(watching->watch_data);
  } catch (...) {  // of a watch in C++, which stops by it as well
  }
  if (answer != 0) throw Stopped{};
}

int limit_of(const Answer& answer) {
  if (answer.converged) return HS_LIMITED_BY_NOTHING;
  if (answer.limited_by == "memory_limit") return HS_LIMITED_BY_MEMORY;
  if (answer.limited_by == "theory") return HS_LIMITED_BY_THEORY;
  if (answer.limited_by == "rounding") return HS_LIMITED_BY_ROUNDING;
  return HS_LIMITED_BY_PASSES;
}

}  // namespace

hs_options default_options() {
  hs_options options{};
  options.size = sizeof options;
  options.tolerance = default_tolerance;
  options.memory_limit = std::uint64_t{1} << 30;
  options.adjacency = HS_ADJACENCY_OF_RUN;
  options.threads = 1;
  options.smallest = 1e-30;
  return options;
}

void write_default_options(hs_options* to, std::size_t size) {
  if (to == nullptr || size < least_size || size > most_size) return;
  hs_options options = default_options();
  options.size = size;
  std::memset(to, 0, size);
  std::memcpy(to, &options, std::min(size, sizeof options));
}

hs_options checked_options(const hs_options* given) {
  hs_options options = default_options();
  if (given == nullptr) return options;
  if (given->size < least_size || given->size > most_size)
    throw std::invalid_argument("options.size must be sizeof(hs_options), got " + std::to_string(given->size));
  std::memcpy(&options, given, std::min<std::size_t>(static_cast<std::size_t>(given->size), sizeof options));
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t k = sizeof options; k < given->size; ++k)
    if (bytes[k] != 0) throw std::invalid_argument("options must be 0 in fields that this version does not know");
  checked("tolerance", options.tolerance, ranges::tolerance);
  if (options.memory_limit == 0) throw std::invalid_argument("memory_limit must be > 0, got 0");
  if (options.threads == 0) options.threads = 1;
  checked("threads", options.threads, ranges::threads);
  checked("smallest", options.smallest, ranges::smallest);
  return options;
}

Watching::Watching(const hs_options& options)
    : before_(watching), watched_(options.watch == nullptr ? nullptr : &ask_watch) {
  watching = &options;
}

Watching::~Watching() { watching = before_; }

void check_arithmetic() {
  try {
    check_floating_point_environment();
  } catch (const std::runtime_error& error) {
    throw BadFloatingPoint(error.what());
  }
}

int written(std::span<const Answer> found, hs_answer* answers) {
  for (const Answer& answer : found)
    if (!(answer.lower <= answer.upper))
      throw std::runtime_error("the bounds came to lower = " + hockeystick::written(answer.lower) + ", upper = " +
                               hockeystick::written(answer.upper) + ": a mistake in hockeystick, please report it");
  int status = HS_OK;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Answer& answer = found[k];
    answers[k] = {answer.lower, answer.upper, answer.required_bytes, limit_of(answer), 0};
    if (!answer.converged && answer.limited_by != "theory") status = HS_WIDE;
  }
  return status;
}

int ask(const hs_run* run, View view, const Points& points, const hs_options* options, hs_answer* answers,
        double tolerance) noexcept {
  const auto of_run = [&](std::size_t adjacency, const Limits& limits, std::int32_t) {
    not_null(run, "run");
    if (options == nullptr || options->adjacency == HS_ADJACENCY_OF_RUN) adjacency = run->adjacency();
    const auto at = array(points.first, points.n, points.name);
    return hockeystick::ask(*run->run(), view, adjacency, at, limits);
  };
  return asked(options, points.n, answers, of_run, tolerance);
}

}  // namespace hockeystick::c
