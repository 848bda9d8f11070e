// SPDX-License-Identifier: Apache-2.0
#include "numeric/range.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#if defined(HOCKEYSTICK_SMALL_MODULE)
// As snprintf does by "%.*g", of docs/calculator/hockeystick.mjs; returns the length.
extern "C" int number_by_host(double x, int digits, char* text)
    __attribute__((import_module("env"), import_name("number_by_host")));
#endif

namespace hockeystick {

std::string written(double x, int digits) {
  if (std::isnan(x)) return "nan";  // some C libraries write a sign
  char text[32];
#if defined(HOCKEYSTICK_SMALL_MODULE)
  return {text, static_cast<std::size_t>(number_by_host(x, digits, text))};
#else
  const int length = std::snprintf(text, sizeof text, "%.*g", digits, x);
  std::replace(text, text + length, ',', '.');
  return text;
#endif
}

bool Range::holds(double x) const {
  const bool above = ends == Ends::open || ends == Ends::open_below ? x > low : x >= low;
  const bool below = ends == Ends::open || ends == Ends::open_above ? x < high : x <= high;
  if (or_infinite && x == ranges::infinite) return true;
  return above && below && (!whole || std::floor(x) == x);
}

std::string Range::text() const {
  const bool below_open = ends == Ends::open || ends == Ends::open_below;
  const bool above_open = ends == Ends::open || ends == Ends::open_above;
  return (whole ? "a whole number in " : "in ") + std::string(below_open ? "(" : "[") + written(low, 6) + ", " +
         written(high, 6) + (above_open ? ")" : "]") + (or_infinite ? " or inf" : "");
}

double checked(std::string_view name, double x, const Range& range) {
  if (range.holds(x)) return x;
  throw std::invalid_argument(std::string(name) + " must be " + range.text() + ", got " + written(x, 17));
}

void check_each(std::string_view name, std::span<const double> values, const Range& range) {
  for (const double x : values) checked(name, x, range);
}

}  // namespace hockeystick
