// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace core_tests {

/// A question, and how to get its answer afresh; numbers that are the same each time.
struct Question {
  std::string name;
  std::vector<double> (*answer)();
};

/// Every engine, every mechanism and every view, each in a few milliseconds.
const std::vector<Question>& questions();

/// Whether two answers agree to the last bit.
bool same(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace core_tests
