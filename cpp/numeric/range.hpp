// SPDX-License-Identifier: Apache-2.0
// The ranges of arguments that users give. Each range is stated here once: the core checks it and Python reads it.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace hockeystick {

/// A number with at most that many digits, with a point in every locale.
std::string written(double x, int digits = 15);

/// Numbers from `low` to `high`; NaN is none of them.
struct Range {
  double low, high;
  enum class Ends { closed, open, open_below, open_above } ends = Ends::closed;
  bool whole = false;        // only whole numbers
  bool or_infinite = false;  // whether infinity is allowed, too

  bool holds(double x) const;
  std::string text() const;  // "in (0, 1)", "a whole number in [0, 1e+09]", "in (1, 10000] or inf"
};

/// x, or std::invalid_argument "NAME must be RANGE, got x".
double checked(std::string_view name, double x, const Range& range);

/// Checks each number; the message shows the first that is not in the range.
void check_each(std::string_view name, std::span<const double> values, const Range& range);

namespace ranges {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

inline constexpr Range noise_multiplier{1e-3, 1e12};
inline constexpr Range positive{0, infinite, Range::Ends::open}, finite{0, infinite, Range::Ends::open_above};
inline constexpr Range probability{0, 1};
inline constexpr Range inner_probability{0, 1, Range::Ends::open};
inline constexpr Range delta{0, 1, Range::Ends::open_above};
inline constexpr Range epsilon{0, 1e4};
inline constexpr Range tolerance{1e-12, 1, Range::Ends::open};
inline constexpr Range smallest{0, 1, Range::Ends::open_above};  // least probability that must meet the tolerance
inline constexpr Range count{0, 1e9, Range::Ends::closed, true};
inline constexpr Range order{1, 1e4};  // of Renyi divergences
inline constexpr Range largest_order{order.low, order.high, Range::Ends::open_below, false, true};
inline constexpr Range smallest_rate{1e-20, 0.5, Range::Ends::open_above};
inline constexpr Range pure_epsilon{1e-12, 1e3};                   // of permute-and-flip, and of discrete Laplace noise
inline constexpr Range interval{0, 500, Range::Ends::open_below};  // of a grid of losses [nats]
inline constexpr Range most_steps{1, 1e12, Range::Ends::closed, true};
inline constexpr Range threads{1, 1024, Range::Ends::closed, true};

}  // namespace ranges

/// The ranges that Python states too, by name.
struct NamedRange {
  std::string_view name;
  Range range;
};
inline constexpr std::array named_ranges{
    NamedRange{"noise_multiplier", ranges::noise_multiplier},
    NamedRange{"epsilon", ranges::epsilon},
    NamedRange{"delta", ranges::delta},
    NamedRange{"tolerance", ranges::tolerance},
    NamedRange{"smallest", ranges::smallest},
    NamedRange{"count", ranges::count},
    NamedRange{"order", ranges::order},
    NamedRange{"smallest_rate", ranges::smallest_rate},
    NamedRange{"pure_epsilon", ranges::pure_epsilon},
    NamedRange{"interval", ranges::interval},
    NamedRange{"steps", ranges::most_steps},
    NamedRange{"threads", ranges::threads},
};

}  // namespace hockeystick
