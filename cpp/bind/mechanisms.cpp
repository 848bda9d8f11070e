// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "discretize/pair_delta.hpp"
#include "mechanisms/additive/additive_noise.hpp"
#include "mechanisms/allocation/allocated_pair.hpp"
#include "mechanisms/allocation/far_losses.hpp"
#include "mechanisms/described.hpp"
#include "mechanisms/known_pairs.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

// pybind11 holds what it owns by pointer to non-const; the class has no mutating member.
using Pair = std::shared_ptr<DominatingPair>;

Pair owned(const std::shared_ptr<const DominatingPair>& pair) { return std::const_pointer_cast<DominatingPair>(pair); }

// The pair of the row of that type in the table of mechanisms, on a Poisson subsample if there is a rate.
Pair described_pair(const std::string& type, const py::typing::Dict<py::str, py::object>& arguments,
                    std::size_t comparison, std::optional<double> rate) {
  const PairName name = described_pair_name(type, arguments, comparison, rate);
  const LongWork work;
  return owned(known_pair(name));
}

Direction terms_of(const std::vector<std::pair<Pair, std::int64_t>>& pairs) {
  Direction terms;
  for (const auto& [pair, count] : pairs) terms.push_back({pair, count});
  return terms;
}

Given given_of(const std::string& name, const py::handle& value) {
  const bool is_list = py::isinstance<py::tuple>(value);
  return {name, is_list ? value.cast<std::vector<double>>() : std::vector{value.cast<double>()}, is_list};
}

// A mechanism's class in Python and how often it runs.
using Run = py::typing::List<py::typing::Tuple<py::object, py::int_>>;
using KeptAs = std::vector<std::pair<std::string, std::string>>;

// What described_pair says of many, on Poisson subsamples, in each comparison.
std::vector<Direction> sampled_terms(const std::string& type, const KeptAs& kept_as, const Run& run,
                                     const std::vector<std::size_t>& comparisons) {
  struct Sampled {
    Mechanism mechanism;
    double rate;
    std::int64_t count;
  };
  const MechanismKind& kind = mechanism_kind(type);
  const py::str inner("mechanism"), rate("sampling_probability");
  std::vector<std::pair<std::string, py::str>> arguments(kept_as.begin(), kept_as.end());
  std::vector<Sampled> all;
  all.reserve(run.size());
  for (const py::handle term : run) {
    const auto [one, count] = term.cast<std::pair<py::object, std::int64_t>>();
    const py::object mechanism = one.attr(inner);
    std::vector<Given> given;
    for (const auto& [name, field] : arguments)
      if (const py::object value = mechanism.attr(field); !value.is_none()) given.push_back(given_of(name, value));
    all.push_back({described(kind, given), one.attr(rate).cast<double>(), count});
  }
  const LongWork work;
  std::vector<Direction> directions(comparisons.size());
  for (Direction& terms : directions) terms.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    checkpoint_each<16>(i);
    const auto& [mechanism, q, count] = all[i];
    std::vector<PairName> names;
    for (std::size_t way = 0; way < comparisons.size(); ++way) {
      names.push_back(kind.sampled(*mechanism, static_cast<Comparison>(comparisons[way]), q));
      const auto& [name, parameters, step] = names.back();
      const bool is_first = names.back() == names.front() && way > 0;
      directions[way].push_back({is_first ? directions[0][i].pair : dominating_pair(name, parameters), count});
    }
  }
  return directions;
}

using Function = py::typing::Callable<py::object(Doubles)>;

// A Python function of an array, to be called and dropped from threads that do not hold the GIL.
Noise::Map calling(const py::function& function, const char* name) {
  const auto drop = [](py::function* held) {
    const py::gil_scoped_acquire acquire;
    delete held;
  };
  const std::shared_ptr<py::function> shared(new py::function(function), drop);
  return [shared, name](std::span<const double> x, std::span<double> y) {
    const py::gil_scoped_acquire acquire;
    const py::object returned = (*shared)(Doubles(static_cast<py::ssize_t>(x.size()), x.data()));
    const auto values = Doubles::ensure(returned);
    if (!values) throw py::error_already_set();
    if (values.ndim() != 1 || values.size() != static_cast<py::ssize_t>(y.size()))
      throw py::value_error(std::string(name) + " must return an array of the shape of its argument");
    std::copy_n(values.data(), y.size(), y.begin());
  };
}

}  // namespace

Mechanism described_mechanism(const std::string& type, const py::dict& arguments) {
  std::vector<Given> given;
  Mechanism inner;
  for (const auto& [name, value] : arguments) {
    if (py::isinstance<py::dict>(value)) {
      const auto of = py::reinterpret_borrow<py::dict>(value);
      inner = described_mechanism(of["type"].cast<std::string>(), of["arguments"].cast<py::dict>());
      continue;
    }
    given.push_back(given_of(name.cast<std::string>(), value));
  }
  return described(mechanism_kind(type), given, std::move(inner));
}

PairName described_pair_name(const std::string& type, const py::dict& arguments, std::size_t comparison,
                             std::optional<double> rate) {
  const MechanismKind& kind = mechanism_kind(type);
  const Mechanism mechanism = described_mechanism(type, arguments);
  const auto way = static_cast<Comparison>(comparison);
  return rate ? kind.sampled(*mechanism, way, *rate) : dominating_pair_name(*mechanism, way);
}

void bind_mechanisms(py::module_& module) {
  py::register_exception<NoPair>(module, "NoPairError", PyExc_ValueError).doc() =
      "No dominating pair is known for a comparison; the message is the reason.";
  py::class_<DominatingPair, Pair>(module, "DominatingPair", "Two distributions that dominate a mechanism. Immutable.")
      .def(
          "delta_above",
          [](const DominatingPair& pair, const Doubles& epsilons) {
            return each(epsilons, [&](double x) { return pair_delta_above(pair, x); });
          },
          py::arg("epsilons"), "Upper bound of delta at each epsilon.")
      .def_property_readonly("loss_supremum", &DominatingPair::loss_supremum);
  py::class_<Direction>(module, "Terms",
                        "Pairs of one direction of an adjacency, and how often each is run. Immutable.")
      .def(py::init(&terms_of), py::arg("pairs"))
      .def("__eq__",
           [](const Direction& terms, const py::object& other) {
             return py::isinstance<Direction>(other) && terms == other.cast<const Direction&>();
           })
      .def("__hash__",
           [](const Direction& terms) {
             const auto next = [](std::size_t hash, const Term& term) {
               return hash * 1000003 ^ std::hash<const void*>{}(term.pair.get()) ^ static_cast<std::size_t>(term.count);
             };
             return std::accumulate(terms.begin(), terms.end(), terms.size(), next);
           })
      .def_static(
          "joined",
          [](const std::vector<Direction>& parts) {
            Direction all;
            for (const Direction& part : parts) all.insert(all.end(), part.begin(), part.end());
            return all;
          },
          py::arg("parts"), "All terms of the parts.");
  py::implicitly_convertible<py::sequence, Direction>();
  module.def(
      "sampled_terms", &sampled_terms, py::arg("type"), py::arg("kept_as"), py::arg("run"), py::arg("comparisons"),
      "The terms in each comparison, by its index, of mechanisms of one type on Poisson subsamples; `kept_as`: the "
      "names of its arguments and of what keeps them.");
  module.def(
      "dominating_pair",
      [](const std::string& name, const std::vector<double>& parameters) {
        const LongWork work;
        return owned(dominating_pair(name, parameters));
      },
      py::arg("name"), py::arg("parameters"), "The dominating pair registered under a name.");
  module.def("described_pair", &described_pair, py::arg("type"), py::arg("arguments"), py::arg("comparison"),
             py::arg("sampling_probability"),
             "The pair of a mechanism described by numbers, in a comparison of neighbours by its index.");
  module.def(
      "additive_noise_pair",
      [](const Function& log_density, const Function& distribution, double accuracy, double shift) {
        return owned(additive_noise_pair(
            {calling(log_density, "log_density"), calling(distribution, "distribution"), accuracy}, shift));
      },
      py::arg("log_density"), py::arg("distribution"), py::arg("accuracy"), py::arg("shift"),
      "The pair of a noise given by functions, shifted against itself.");
  module.def(
      "allocated_pair",
      [](const DominatingPair& step, double steps, double cells, double tail, bool above, bool back) {
        const LongWork work;
        return owned(allocated_pair(step, {steps, cells, tail, above ? Order::above : Order::below, back}));
      },
      py::arg("step"), py::arg("steps"), py::arg("cells"), py::arg("tail"), py::kw_only(), py::arg("above"),
      py::arg("back"), "A pair above or below that of a step which each record joins once in `steps`.");
  module.def(
      "allocated_moments",
      [](const Pair& step, double steps, bool back) {
        const LongWork work;
        return owned(allocated_moments(step, steps, back));
      },
      py::arg("step"), py::arg("steps"), py::kw_only(), py::arg("back"),
      "What is known of moments and of the mass at +inf of a step which each record joins once in `steps`.");
  module.def(
      "with_far_losses",
      [](const Pair& curve, const Pair& step, double steps, bool back) {
        const LongWork work;
        return owned(with_far_losses(curve, step, steps, back));
      },
      py::arg("curve"), py::arg("step"), py::arg("steps"), py::kw_only(), py::arg("back"),
      "The pair above, of which moments bound what its mass at +inf adds to Renyi divergences.");
}
