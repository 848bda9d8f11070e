// SPDX-License-Identifier: Apache-2.0
#include "numeric/budget.hpp"

#include <limits>
#include <utility>

namespace hockeystick {
namespace {

struct Account {
  double limit = std::numeric_limits<double>::infinity();
  double held = 0;
  std::uint64_t name = 0, last = 0;  // of the budget that is open, none: 0; of the latest
};

constinit thread_local Account account;

}  // namespace

Budget::Budget(double bytes) : outer_(account.name == 0) {
  if (!outer_) return;
  account.limit = bytes;
  account.held = 0;
  account.name = ++account.last;
}

Budget::~Budget() {
  if (!outer_) return;
  account.limit = std::numeric_limits<double>::infinity();
  account.name = 0;
}

double Budget::left() { return account.name == 0 ? account.limit : account.limit - account.held; }

Held::Held(double bytes) : bytes_(bytes), budget_(account.name) {
  if (budget_ == 0) return;
  if (!(account.held + bytes <= account.limit)) throw OverBudget(account.held + bytes);
  account.held += bytes;
}

Held::Held(Held&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)), budget_(std::exchange(other.budget_, 0)) {}

Held& Held::operator=(Held other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(budget_, other.budget_);
  return *this;
}

Held::~Held() {
  if (budget_ != 0 && budget_ == account.name) account.held -= bytes_;
}

}  // namespace hockeystick
