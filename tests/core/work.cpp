// SPDX-License-Identifier: Apache-2.0
// Answers the questions of its arguments, each once to warm up and once within a function of its own, so that callgrind
// counts what it takes: benchmarks/limits.py. A question is "method delta tolerance count terms rate": epsilon at that
// delta of so many Gaussians sampled at that rate, each of its own noise between 1 and 2, composed `count` times each;
// method "any" is the library's choice. Prints what answered, and how many samples or points it took.
#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/registry.hpp"
#include "methods/questions.hpp"

namespace {

using namespace hockeystick;

struct Asked {
  std::string method;
  double delta = 0, tolerance = 0;
  std::vector<Direction> directions;

  Answer answer() const {
    const std::string_view only = method == "any" ? "" : std::string_view(method);
    return epsilon_bounds(directions, std::array{delta}, {tolerance, std::size_t{1} << 30, only}).front();
  }
};

Asked parsed(const char* text) {
  std::istringstream words(text);
  Asked asked;
  std::int64_t count = 0, terms = 0;
  double rate = 1;
  words >> asked.method >> asked.delta >> asked.tolerance >> count >> terms >> rate;
  for (const char* pair : {"poisson_gaussian_remove", "poisson_gaussian_add"}) {
    Direction& direction = asked.directions.emplace_back();
    for (std::int64_t k = 0; k < terms; ++k) {
      const double noise = 1 + static_cast<double>(k) / static_cast<double>(terms);
      const bool samples = rate < 1;
      direction.push_back(
          {samples ? dominating_pair(pair, std::array{noise, rate}) : dominating_pair("gaussian", std::array{noise}),
           count});
    }
  }
  return asked;
}

}  // namespace

// By a name that is not mangled.
extern "C" Answer* measured(const Asked* asked) {
  static Answer answer;
  answer = asked->answer();
  return &answer;
}

int main(int count, char** arguments) {
  Answer* (*const volatile not_inlined)(const Asked*) = &measured;
  for (int k = 1; k < count; ++k) {
    const Asked asked = parsed(arguments[k]);
    asked.answer();
    const Answer& answer = *not_inlined(&asked);
    std::printf("%s %zu %d %.17g %.17g %.17g\n", std::string(answer.method).c_str(), answer.size, answer.passes,
                answer.lower, answer.upper, answer.tilt);
  }
}
