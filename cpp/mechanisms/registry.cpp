// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/registry.hpp"

#include <map>
#include <stdexcept>
#include <utility>

namespace hockeystick {
namespace {

struct Entry {
  ParameterList parameters;
  PairFactory make;
};

// The Registrations fill this before main; afterwards it is only read.
std::map<std::string, Entry, std::less<>>& entries() {
  static std::map<std::string, Entry, std::less<>> all;
  return all;
}

}  // namespace

Registration::Registration(std::string name, ParameterList parameters, PairFactory make) {
  entries().emplace(std::move(name), Entry{std::move(parameters), std::move(make)});
}

std::shared_ptr<const DominatingPair> dominating_pair(std::string_view name, Parameters parameters) {
  const auto found = entries().find(name);
  if (found == entries().end())
    throw std::invalid_argument("name must be that of a dominating pair, got " + std::string(name));
  const Entry& entry = found->second;
  if (entry.parameters) {
    const std::vector<Parameter>& expected = *entry.parameters;
    if (parameters.size() != expected.size())
      throw std::invalid_argument("parameters must be " + std::to_string(expected.size()) + " numbers for " +
                                  std::string(name) + ", got " + std::to_string(parameters.size()));
    for (std::size_t k = 0; k < expected.size(); ++k) checked(expected[k].name, parameters[k], expected[k].range);
  }
  return entry.make(parameters);
}

std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries()) names.push_back(name);
  return names;
}

}  // namespace hockeystick
