// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "mechanisms/composition.hpp"
#include "mechanisms/described.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "pld/loss_pmf.hpp"

// Python's Terms: lists of many pairs stay in the core.
PYBIND11_MAKE_OPAQUE(hockeystick::Direction)

using Doubles = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

/// pybind11 holds what it owns by pointer to non-const; the class has no mutating member.
using Pair = std::shared_ptr<hockeystick::DominatingPair>;
inline Pair owned(const std::shared_ptr<const hockeystick::DominatingPair>& pair) {
  return std::const_pointer_cast<hockeystick::DominatingPair>(pair);
}

inline std::span<const double> in(const Doubles& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

inline std::span<double> out(Doubles& array) { return {array.mutable_data(), static_cast<std::size_t>(array.size())}; }

inline const char* side_name(hockeystick::Side side) { return side == hockeystick::Side::upper ? "upper" : "lower"; }

/// Releases the interpreter. In the main thread it also lets signals such as an interrupt be handled meanwhile; an
/// exception from a handler ends the work. An interpreter that ends waits for the work of other threads, which stops
/// with SystemExit. A thread that asks for the interpreter later than that is unwound through frames that do not allow
/// it.
class LongWork {
 public:
  LongWork();

 private:
  /// Counts the work until the interpreter is back.
  struct Counted {
    Counted();
    ~Counted();
  };
  Counted counted_;
  hockeystick::Watched watched_;
  pybind11::gil_scoped_release release_;
};

/// As many numbers as values, which `fill(values, numbers)` writes without the interpreter.
template <class Fill>
Doubles filled(const Doubles& values, Fill&& fill) {
  Doubles result(values.size());
  const auto from = in(values);
  const auto to = out(result);
  const LongWork work;
  fill(from, to);
  return result;
}

/// Makes a function with `make` and applies it to each value, without the interpreter.
template <class Make>
Doubles each_by(const Doubles& values, Make&& make) {
  return filled(values, [&](auto from, auto to) {
    const auto function = make();
    for (std::size_t i = 0; i < from.size(); ++i) {
      hockeystick::checkpoint_each<64>(i);
      to[i] = function(from[i]);
    }
  });
}

/// The function of each value, without the interpreter.
template <class Function>
Doubles each(const Doubles& values, const Function& function) {
  return each_by(values, [&] { return function; });
}

/// The value of `name` in pairs of names and values. Throws std::invalid_argument for any other name.
template <class Value, std::size_t count>
Value named(const char* argument, std::string_view name, const std::pair<std::string_view, Value> (&known)[count]) {
  std::string all;
  for (const auto& [key, value] : known) {
    if (key == name) return value;
    all += (all.empty() ? "'" : ", '") + std::string(key) + "'";
  }
  throw std::invalid_argument(std::string(argument) + " must be one of " + all + ", got '" + std::string(name) + "'");
}

inline hockeystick::Side side_named(std::string_view name) {
  using hockeystick::Side;
  return named<Side>("side", name, {{"upper", Side::upper}, {"lower", Side::lower}});
}

void bind_long_work(pybind11::module_& module);
/// The mechanism in the table for a mechanism of Python, or one that asks Python for its pairs.
hockeystick::Mechanism mechanism_of(const pybind11::handle& mechanism);

void bind_run(pybind11::module_& module);
void bind_mechanisms(pybind11::module_& module);
void bind_answers(pybind11::module_& module);
void bind_account(pybind11::module_& module);
void bind_audit(pybind11::module_& module);
void bind_matrix(pybind11::module_& module);
void bind_dpsgd(pybind11::module_& module);
void bind_search(pybind11::module_& module);
void bind_outward(pybind11::module_& module);
void bind_pld(pybind11::module_& module);
void bind_whole_runs(pybind11::module_& module);
void bind_pld_views(pybind11::module_& module);

/// Binds the internals for tests, where tests/bind is linked in.
extern void (*bind_internals)(pybind11::module_& module);
