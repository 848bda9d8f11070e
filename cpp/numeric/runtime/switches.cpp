// SPDX-License-Identifier: Apache-2.0
#include "numeric/runtime/switches.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>

namespace hockeystick {

#ifdef HOCKEYSTICK_PARTS

namespace {

std::string list_of(const char* variable) {
  const char* given = std::getenv(variable);
  return "," + std::string(given == nullptr ? "" : given) + ",";
}

}  // namespace

bool is_off(std::string_view special_case) {
  static const std::string names = list_of("HOCKEYSTICK_OFF");
  return names.size() > 2 && names.find("," + std::string(special_case) + ",") != std::string::npos;
}

double tuned(std::string_view name, double value) {
  static const std::string values = list_of("HOCKEYSTICK_TUNING");
  const std::string key = "," + std::string(name) + "=";
  const std::size_t at = values.find(key);
  return at == std::string::npos ? value : std::strtod(values.c_str() + at + key.size(), nullptr);
}

#else

bool is_off(std::string_view) { return false; }
double tuned(std::string_view, double value) { return value; }

#endif

}  // namespace hockeystick
