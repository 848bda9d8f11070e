// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hockeystick {

/// SHA-256 of the bytes (FIPS 180-4), as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace hockeystick
