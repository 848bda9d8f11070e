// SPDX-License-Identifier: Apache-2.0
#include "numeric/runtime/budget.hpp"

#include <atomic>
#include <utility>

#include "numeric/constants.hpp"

namespace hockeystick {
namespace {

struct Account {
  double limit = infinity;
  double held = 0;
  std::uint64_t name = 0;  // of the open budget; none: 0
};

constinit thread_local Account account;

// Names are unique in the process: one thread may free memory that another has allocated.
std::uint64_t new_name() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Budget::Budget(double bytes) : outer_(account.name == 0) {
  if (!outer_) return;
  account.limit = bytes;
  account.held = 0;
  account.name = new_name();
}

Budget::~Budget() {
  if (!outer_) return;
  account.limit = infinity;
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
