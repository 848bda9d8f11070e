// SPDX-License-Identifier: Apache-2.0
// A strict reader of JSON: no repeated names, no numbers beyond doubles, nothing after the value; depth and size are
// limited. Lists of numbers are kept as numbers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hockeystick::json {

inline constexpr std::size_t longest_text = std::size_t{1} << 26;
inline constexpr std::size_t most_values = 2'000'000;  // those in lists of numbers are not counted
inline constexpr int deepest = 64;

struct Value {
  enum class Kind { null, boolean, number, text, numbers, list, object };

  Kind kind = Kind::null;
  std::string_view raw;  // as it is written, in the text that was parsed
  bool flag = false;
  std::string text;
  std::vector<double> numbers;  // one of a number
  std::vector<Value> items;     // of a list that is not of numbers alone; of an object, in the order of `names`
  std::vector<std::string> names;

  /// The member of that name; null if there is none.
  const Value* member(std::string_view name) const;
};

/// The value that the text holds. Throws std::invalid_argument if it is no such JSON. The text must outlive the value.
Value parse(std::string_view text);

/// The value without spaces, the members of objects in order of their names, numbers and texts as they are written.
std::string canonical(const Value& value);

}  // namespace hockeystick::json
