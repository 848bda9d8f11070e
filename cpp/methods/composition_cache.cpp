// SPDX-License-Identifier: Apache-2.0
#include "methods/composition_cache.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "numeric/runtime/budget.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_passes = 64;
constexpr double most_kept_bytes = 0x1p25, largest_bytes = 0x1p23;

// Everything that determines a pass.
class Key {
 public:
  Key(const Direction& direction, const Plan& plan, const Saddle& at)
      : numbers_{plan.interval,
                 plan.tilt,
                 at.slope,
                 static_cast<double>(plan.fft_size),
                 static_cast<double>(plan.window.first),
                 static_cast<double>(plan.window.size),
                 plan.chernoff.above,
                 plan.chernoff.below,
                 plan.chernoff.wrap_above,
                 plan.chernoff.wrap_below,
                 plan.closing.least,
                 plan.closing.tilt},
        supports_(plan.supports) {
    numbers_.insert(numbers_.end(), plan.log_moments.begin(), plan.log_moments.end());
    for (const Term& term : direction) {
      pairs_.push_back(term.pair);
      numbers_.push_back(static_cast<double>(term.count));
    }
  }

  bool is_alive() const {
    return std::none_of(pairs_.begin(), pairs_.end(), [](const auto& pair) { return pair.expired(); });
  }
  double bytes() const {
    double bytes = static_cast<double>(numbers_.capacity() * sizeof(double));
    for (const NonuniformGrid& support : supports_) bytes += support.run_bytes();
    return bytes;
  }
  // Compares owners, as an address may be used again.
  bool operator==(const Key& other) const {
    const auto same = [](const auto& a, const auto& b) { return !a.owner_before(b) && !b.owner_before(a); };
    return numbers_ == other.numbers_ && supports_ == other.supports_ &&
           std::equal(pairs_.begin(), pairs_.end(), other.pairs_.begin(), other.pairs_.end(), same);
  }

 private:
  std::vector<double> numbers_;
  std::vector<NonuniformGrid> supports_;
  std::vector<std::weak_ptr<const DominatingPair>> pairs_;
};

struct Entry {
  Key key;
  std::shared_ptr<const FftComposition> pass;
  double most_bytes;  // peak memory while it was made
  double bytes() const { return key.bytes() + pass->bytes(); }
};

struct Cache {
  ForkSafeMutex mutex;
  std::list<Entry> entries;  // most recently used first
};

Cache& kept = *new Cache;

void trim(std::list<Entry>& entries) {
  entries.remove_if([](const Entry& entry) { return !entry.key.is_alive(); });
  double bytes = 0;
  std::size_t count = 0;
  for (auto it = entries.begin(); it != entries.end();) {
    bytes += it->bytes();
    it = ++count > most_passes || bytes > most_kept_bytes ? entries.erase(it) : std::next(it);
  }
}

// The pass, with its memory charged to the question that holds it.
std::shared_ptr<const FftComposition> charged(std::shared_ptr<const FftComposition> pass) {
  struct Charged {
    explicit Charged(std::shared_ptr<const FftComposition> of) : room(of->bytes()), pass(std::move(of)) {}
    Held room;
    std::shared_ptr<const FftComposition> pass;
  };
  const auto both = std::make_shared<const Charged>(std::move(pass));
  return {both, both->pass.get()};
}

// Finding a pass is charged like making it, so that no answer depends on earlier questions.
std::shared_ptr<const FftComposition> found(const Key& key) {
  std::shared_ptr<const FftComposition> pass;
  double most_bytes = 0;
  {
    const std::lock_guard lock(kept.mutex);
    const auto at =
        std::find_if(kept.entries.begin(), kept.entries.end(), [&](const Entry& entry) { return entry.key == key; });
    if (at == kept.entries.end()) return nullptr;
    kept.entries.splice(kept.entries.begin(), kept.entries, at);
    pass = at->pass;
    most_bytes = at->most_bytes;
  }
  MakingForCache::check(most_bytes);
  return pass;
}

}  // namespace

std::shared_ptr<const FftComposition> cached_composition(const Direction& direction, const Plan& plan,
                                                         const Saddle& at) {
  Key key(direction, plan, at);
  if (auto pass = found(key)) return charged(std::move(pass));
  std::shared_ptr<const FftComposition> pass;
  double most_bytes = 0;
  {
    const MakingForCache making;
    pass = std::make_shared<const FftComposition>(direction, plan, at);
    most_bytes = making.most();
  }
  if (key.bytes() + pass->bytes() <= largest_bytes) {
    const std::lock_guard lock(kept.mutex);
    kept.entries.push_front({std::move(key), pass, most_bytes});
    trim(kept.entries);
  }
  return charged(std::move(pass));
}

CompositionCache composition_cache() {
  const std::lock_guard lock(kept.mutex);
  double bytes = 0;
  for (const Entry& entry : kept.entries) bytes += entry.bytes();
  return {kept.entries.size(), static_cast<std::size_t>(bytes)};
}

void forget_compositions() {
  const std::lock_guard lock(kept.mutex);
  kept.entries.clear();
}

}  // namespace hockeystick
