// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/registry.hpp"

#include <map>
#include <stdexcept>
#include <utility>

namespace hockeystick {
namespace {

struct Entry {
  int parameters;
  PairFactory make;
};

// The Registrations fill this before main; afterwards it is only read.
std::map<std::string, Entry, std::less<>>& entries() {
  static std::map<std::string, Entry, std::less<>> all;
  return all;
}

}  // namespace

Registration::Registration(std::string name, int parameters, PairFactory make) {
  entries().emplace(std::move(name), Entry{parameters, make});
}

std::shared_ptr<const DominatingPair> dominating_pair(std::string_view name, Parameters parameters) {
  const auto found = entries().find(name);
  if (found == entries().end())
    throw std::invalid_argument("name must be that of a dominating pair, got " + std::string(name));
  const Entry& entry = found->second;
  if (entry.parameters != any_count && parameters.size() != static_cast<std::size_t>(entry.parameters))
    throw std::invalid_argument("parameters must be " + std::to_string(entry.parameters) + " numbers for " +
                                std::string(name) + ", got " + std::to_string(parameters.size()));
  return entry.make(parameters);
}

std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries()) names.push_back(name);
  return names;
}

}  // namespace hockeystick
