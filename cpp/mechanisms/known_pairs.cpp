// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/known_pairs.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mechanisms/allocation/allocated_pair.hpp"
#include "mechanisms/allocation/far_losses.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

using Pair = std::shared_ptr<const DominatingPair>;

struct Known {
  PairName name;
  std::weak_ptr<const DominatingPair> pair;
};
using ByHash = std::multimap<std::size_t, Known>;

// The pairs that were asked for last. They are held so that a mechanism that is made again finds its pair's tables.
class Recent {
 public:
  // Holds this pair too; `dropped` takes the pairs that are no longer held.
  void hold(const Pair& pair, std::vector<Pair>& dropped) {
    if (const auto found = place_.find(pair.get()); found != place_.end())
      return order_.splice(order_.begin(), order_, found->second);
    order_.push_front({pair, pair->table_bytes()});
    place_[pair.get()] = order_.begin();
    bytes_ += order_.front().bytes;
    while (order_.size() > most || (bytes_ > most_bytes && order_.size() > 1)) {
      bytes_ -= order_.back().bytes;
      place_.erase(order_.back().pair.get());
      dropped.push_back(std::move(order_.back().pair));
      order_.pop_back();
    }
  }

  HeldPairs now() const { return {order_.size(), bytes_}; }

 private:
  struct Held {
    Pair pair;
    double bytes;
  };
  static constexpr std::size_t most = 1024;     // a pair without tables takes some kilobytes
  static constexpr double most_bytes = 0x1p26;  // of tables; those of 1e6 outcomes take about that

  std::list<Held> order_;  // the last one first
  std::unordered_map<const DominatingPair*, std::list<Held>::iterator> place_;
  double bytes_ = 0;
};

// Never destroyed: threads may ask while the process exits.
ForkSafeMutex& guard = *new ForkSafeMutex;
ByHash& known = *new ByHash;
Recent& recent = *new Recent;
std::size_t most = 64;  // of the known pairs, until those that nobody holds are dropped

std::size_t hash_of(const PairName& name) {
  std::size_t hash = std::hash<std::string>{}(name.name);
  for (const double x : name.parameters) hash = hash * 1000003 ^ std::hash<double>{}(x);
  return hash;
}

Pair found(std::size_t hash, const PairName& name) {
  const auto [begin, end] = known.equal_range(hash);
  for (auto each = begin; each != end; ++each)
    if (each->second.name == name)
      if (auto pair = each->second.pair.lock()) return pair;
  return nullptr;
}

void keep(std::size_t hash, const PairName& name, const Pair& pair) {
  const auto [begin, end] = known.equal_range(hash);
  for (auto each = begin; each != end; ++each)
    if (each->second.name == name) {  // which nobody held any more
      each->second.pair = pair;
      return;
    }
  if (known.size() >= most) {
    std::erase_if(known, [](const auto& each) { return each.second.pair.expired(); });
    most = std::max<std::size_t>(64, 2 * known.size());
  }
  known.emplace(hash, Known{name, pair});
}

Pair made_pair(const PairName& name) {
  if (name.step == nullptr) return dominating_pair(name.name, name.parameters);
  const std::vector<double>& p = name.parameters;
  const bool back = name.name.ends_with("_back");
  const auto step = known_pair(*name.step);
  if (name.name.starts_with("allocated_moments")) return allocated_moments(step, p[0], back);
  if (name.name.starts_with("allocated_far")) {
    const PairName curve{back ? "allocated_above_back" : "allocated_above", p, name.step};
    return with_far_losses(known_pair(curve), step, p[0], back);
  }
  if (constexpr std::string_view far = "far_of_"; name.name.starts_with(far))
    return with_far_losses(known_pair({name.name.substr(far.size()), p}), step, 1, false);
  const Order order = name.name.starts_with("allocated_above") ? Order::above : Order::below;
  return allocated_pair(*step, {p[0], p[1], p[2], order, back, p[3], p[4]});
}

}  // namespace

std::shared_ptr<const DominatingPair> known_pair(const PairName& name) {
  if (name.made) return name.made;
  const std::size_t hash = hash_of(name);
  std::vector<Pair> dropped;  // destroyed after the lock: a pair may take other locks
  {
    const std::lock_guard lock(guard);
    if (Pair pair = found(hash, name)) {
      recent.hold(pair, dropped);
      return pair;
    }
  }
  Pair made = made_pair(name);  // without the lock, as it may take long
  const std::lock_guard lock(guard);
  if (Pair pair = found(hash, name)) return pair;
  keep(hash, name, made);
  recent.hold(made, dropped);
  return made;
}

HeldPairs held_pairs() {
  const std::lock_guard lock(guard);
  return recent.now();
}

}  // namespace hockeystick
