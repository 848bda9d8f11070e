// SPDX-License-Identifier: Apache-2.0
#include "run/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <stdexcept>

#include "numeric/order.hpp"

#if defined(__EMSCRIPTEN__)
// Of docs/calculator/hockeystick.mjs.
extern "C" double number_of_host(const char* text, std::size_t length)
    __attribute__((import_module("env"), import_name("number_of_host")));
#endif

namespace hockeystick::json {
namespace {

constexpr std::size_t most_digits = 1000;

// The nearest double, whatever the locale; infinite if it is beyond doubles, at either end.
double number_of(std::string_view digits) {
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size() ? value : HUGE_VAL;
#elif defined(__EMSCRIPTEN__)  // whose host reads numbers as JSON means them; streams are a fifth of a module
  return number_of_host(digits.data(), digits.size());
#else
  double value = 0;
  std::istringstream stream{std::string(digits)};
  stream.imbue(std::locale::classic());
  return stream >> value ? value : HUGE_VAL;
#endif
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value whole() {
    Value result = value(0);
    skip_spaces();
    if (at_ < text_.size()) fail("nothing after the value");
    return result;
  }

 private:
  [[noreturn]] void fail(const char* expected) const {
    throw std::invalid_argument("text must be JSON: expected " + std::string(expected) + " at byte " +
                                std::to_string(at_));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  Value value(int depth) {
    if (depth > deepest) fail("a value that is nested less deeply");
    if (++values_ > most_values) fail("fewer values");
    skip_spaces();
    const std::size_t begin = at_;
    Value result;
    if (peek() == '{') {
      object(result, depth);
    } else if (peek() == '[') {
      list(result, depth);
    } else if (peek() == '"') {
      result.kind = Value::Kind::text;
      result.text = string();
    } else if (word("null")) {
    } else if (word("true") || word("false")) {
      result.kind = Value::Kind::boolean;
      result.flag = text_[begin] == 't';
    } else {
      result.kind = Value::Kind::number;
      result.numbers = {number()};
    }
    result.raw = text_.substr(begin, at_ - begin);
    return result;
  }

  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  void digits() {
    if (!is_digit(peek())) fail("a value");
    while (is_digit(peek())) ++at_;
  }

  double number() {
    const std::size_t begin = at_;
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('-')) take('+');
      digits();
    }
    if (at_ - begin > most_digits) fail("a number of fewer digits before this");
    const double result = number_of(text_.substr(begin, at_ - begin));
    if (!std::isfinite(result)) fail("a finite number before this");
    return result;
  }

  void list(Value& result, int depth) {
    ++at_;
    skip_spaces();
    result.kind = Value::Kind::list;
    if (take(']')) return;
    if (peek() == '-' || is_digit(peek())) return numbers(result);
    do {
      result.items.push_back(value(depth + 1));
      skip_spaces();
    } while (take(','));
    if (!take(']')) fail("',' or ']'");
  }

  void numbers(Value& result) {
    result.kind = Value::Kind::numbers;
    do {
      skip_spaces();
      result.numbers.push_back(number());
      skip_spaces();
    } while (take(','));
    if (!take(']')) fail("',' or ']', in a list of numbers");
  }

  void object(Value& result, int depth) {
    ++at_;
    skip_spaces();
    result.kind = Value::Kind::object;
    if (take('}')) return;
    do {
      skip_spaces();
      if (peek() != '"') fail("a name in quotes");
      result.names.push_back(string());
      skip_spaces();
      if (!take(':')) fail("':'");
      result.items.push_back(value(depth + 1));
      skip_spaces();
    } while (take(','));
    if (!take('}')) fail("',' or '}'");
    std::vector<std::string> sorted = result.names;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) fail("an object without repeated names");
  }

  std::string string() {
    std::string result;
    ++at_;
    while (!take('"')) {
      if (at_ >= text_.size() || static_cast<unsigned char>(text_[at_]) < 0x20) fail("the end of a string");
      if (take('\\'))
        escape(result);
      else
        result += text_[at_++];
    }
    return result;
  }

  void escape(std::string& result) {
    constexpr std::string_view written = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (take('u')) {
      append(result, code_unit());
      return;
    }
    const std::size_t k = written.find(peek());
    if (at_ >= text_.size() || k == written.npos) fail("an escape of JSON");
    result += meant[k];
    ++at_;
  }

  unsigned code_unit() {
    unsigned unit = 0;
    const std::string_view hex = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), unit, 16);
    if (hex.size() < 4 || end != hex.data() + 4 || error != std::errc{}) fail("four hexadecimal digits");
    at_ += 4;
    return unit;
  }

  // As UTF-8, each half of a pair of surrogates by itself: texts are only compared.
  static void append(std::string& result, unsigned unit) {
    const auto byte = [&](unsigned x) { result += static_cast<char>(static_cast<unsigned char>(x)); };
    if (unit < 0x80) return byte(unit);
    if (unit < 0x800) {
      byte(0xc0 | unit >> 6);
    } else {
      byte(0xe0 | unit >> 12);
      byte(0x80 | (unit >> 6 & 0x3f));
    }
    byte(0x80 | (unit & 0x3f));
  }

  std::string_view text_;
  std::size_t at_ = 0, values_ = 0;
};

std::string without_spaces(std::string_view numbers) {
  std::string result;
  for (const char c : numbers)
    if (std::string_view(" \t\n\r").find(c) == std::string_view::npos) result += c;
  return result;
}

}  // namespace

const Value* Value::member(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

Value parse(std::string_view text) {
  if (text.size() > longest_text)
    throw std::invalid_argument("text must be at most " + std::to_string(longest_text) + " bytes, got " +
                                std::to_string(text.size()));
  return Parser(text).whole();
}

std::string canonical(const Value& value) {
  if (value.kind == Value::Kind::numbers) return without_spaces(value.raw);
  const bool is_object = value.kind == Value::Kind::object;
  if (!is_object && value.kind != Value::Kind::list) return std::string(value.raw);
  std::vector<std::size_t> order = positions(value.items.size());
  if (is_object)
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return value.names[a] < value.names[b]; });
  std::string result(1, is_object ? '{' : '[');
  for (const std::size_t k : order) {
    if (result.size() > 1) result += ',';
    if (is_object) result += '"' + value.names[k] + "\":";
    result += canonical(value.items[k]);
  }
  return result += is_object ? '}' : ']';
}

}  // namespace hockeystick::json
