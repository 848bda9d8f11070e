// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/known_pairs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "mechanisms/allocation/allocated_pair.hpp"
#include "mechanisms/allocation/far_losses.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

struct Known {
  PairName name;
  std::weak_ptr<const DominatingPair> pair;
};
using ByHash = std::multimap<std::size_t, Known>;

// Never destroyed: threads may ask while the process exits.
ForkSafeMutex& guard = *new ForkSafeMutex;
ByHash& known = *new ByHash;
std::size_t most = 64;  // of them, until those that nobody holds are dropped

std::size_t hash_of(const PairName& name) {
  std::size_t hash = std::hash<std::string>{}(name.name);
  for (const double x : name.parameters) hash = hash * 1000003 ^ std::hash<double>{}(x);
  return hash;
}

std::shared_ptr<const DominatingPair> found(std::size_t hash, const PairName& name) {
  const auto [begin, end] = known.equal_range(hash);
  for (auto each = begin; each != end; ++each)
    if (each->second.name == name)
      if (auto pair = each->second.pair.lock()) return pair;
  return nullptr;
}

void keep(std::size_t hash, const PairName& name, const std::shared_ptr<const DominatingPair>& pair) {
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

std::shared_ptr<const DominatingPair> made_pair(const PairName& name) {
  if (name.step == nullptr) return dominating_pair(name.name, name.parameters);
  const std::vector<double>& p = name.parameters;
  const bool back = name.name.ends_with("_back");
  const auto step = known_pair(*name.step);
  if (name.name.starts_with("allocated_moments")) return allocated_moments(step, p[0], back);
  if (name.name.starts_with("allocated_far")) {
    const PairName curve{back ? "allocated_above_back" : "allocated_above", p, name.step};
    return with_far_losses(known_pair(curve), step, p[0], back);
  }
  const Order order = name.name.starts_with("allocated_above") ? Order::above : Order::below;
  return allocated_pair(*step, {p[0], p[1], p[2], order, back});
}

}  // namespace

std::shared_ptr<const DominatingPair> known_pair(const PairName& name) {
  const std::size_t hash = hash_of(name);
  {
    const std::lock_guard lock(guard);
    if (auto pair = found(hash, name)) return pair;
  }
  auto made = made_pair(name);  // without the lock, as it may take long
  const std::lock_guard lock(guard);
  if (auto pair = found(hash, name)) return pair;
  keep(hash, name, made);
  return made;
}

}  // namespace hockeystick
