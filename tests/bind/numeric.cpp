// SPDX-License-Identifier: Apache-2.0
// _core.numeric: internals, exposed to the tests.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "numeric/complex.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/fft/real_fft.hpp"
#include "numeric/fft/roots_of_unity.hpp"
#include "numeric/modulus_bound.hpp"
#include "numeric/point_mass_transform.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/spread_transform.hpp"
#include "numeric/sum.hpp"
#include "numeric/union_probability.hpp"

namespace py = pybind11;

namespace {

using hockeystick::CyclicProduct;
using hockeystick::RealFft;
using Complexes = py::array_t<std::complex<double>, py::array::c_style | py::array::forcecast>;

std::vector<double> copy_of(const Doubles& array) { return {array.data(), array.data() + array.size()}; }

Doubles array_of(const std::vector<double>& values) {
  return Doubles(static_cast<py::ssize_t>(values.size()), values.data());
}

const hockeystick::SimdKernels& kernel_named(const std::string& name) {
  return name.empty() ? hockeystick::default_fft_kernel() : hockeystick::fft_kernel(name);
}

// Calls use(k, re, im) for the coefficients as RealFft stores them, re and im by reference, k in [0, N).
template <class Use>
void for_each_coefficient(const RealFft& fft, std::vector<double>& x, Use use) {
  double none = 0;
  use(std::size_t{0}, x[0], none);
  use(fft.size() / 2, x[1], none);
  const std::vector<std::size_t> frequencies = fft.frequencies();
  std::size_t at = 0;
  for (const RealFft::Block& run : fft.blocks()) {
    for (std::size_t i = 0; i < run.count; ++i) use(frequencies[at++], x[run.re + i], x[run.im + i]);
  }
}

Complexes rfft(const Doubles& array, const std::string& kernel) {
  std::vector<double> x = copy_of(array);
  const RealFft fft(x.size(), kernel_named(kernel));
  fft.forward(x);
  const std::size_t size = x.size();
  Complexes result(static_cast<py::ssize_t>(size / 2 + 1));
  std::complex<double>* to = result.mutable_data();
  for_each_coefficient(fft, x, [&](std::size_t k, double& re, double& im) {
    to[k <= size / 2 ? k : size - k] = {re, k <= size / 2 ? im : -im};
  });
  return result;
}

Doubles irfft(const Complexes& array, const std::string& kernel) {
  if (array.size() < 2)
    throw std::invalid_argument("spectrum must have N/2 + 1 >= 2 entries, got " + std::to_string(array.size()));
  const std::size_t size = 2 * (static_cast<std::size_t>(array.size()) - 1);
  const RealFft fft(size, kernel_named(kernel));
  std::vector<double> x(size);
  const std::complex<double>* from = array.data();
  for_each_coefficient(fft, x, [&](std::size_t k, double& re, double& im) {
    const std::complex<double> value = from[k <= size / 2 ? k : size - k];
    re = value.real(), im = k <= size / 2 ? value.imag() : -value.imag();
  });
  fft.inverse(x);
  return array_of(x);
}

Complexes roots_of_unity(std::size_t order) {
  const hockeystick::RootsOfUnity roots(order);
  Complexes result(static_cast<py::ssize_t>(order));
  for (std::size_t k = 0; k < order; ++k) result.mutable_data()[k] = {roots(k).re, roots(k).im};
  return result;
}

std::pair<Doubles, double> cyclic_power_product(const std::vector<std::pair<Doubles, std::int64_t>>& factors,
                                                const std::string& kernel) {
  if (factors.empty()) throw std::invalid_argument("factors must not be empty");
  const RealFft fft(static_cast<std::size_t>(factors.front().first.size()), kernel_named(kernel));
  CyclicProduct product(fft);
  for (const auto& [sequence, power] : factors) {
    std::vector<double> x = copy_of(sequence);
    product.multiply(x, power);
  }
  std::vector<double> result(fft.size());
  const double bound = product.finish(result);
  return {array_of(result), bound};
}

std::pair<Doubles, double> cyclic_power(const Doubles& sequence, std::int64_t power, const std::string& kernel) {
  std::vector<double> x = copy_of(sequence);
  const RealFft fft(x.size(), kernel_named(kernel));
  const double bound = hockeystick::cyclic_power(fft, x, power);
  return {array_of(x), bound};
}

// An array of complex numbers apart, as the kernels take them.
struct Parts {
  std::vector<double> re, im;
  explicit Parts(const Complexes& array) {
    for (py::ssize_t i = 0; i < array.size(); ++i) {
      re.push_back(array.data()[i].real()), im.push_back(array.data()[i].imag());
    }
  }
  Complexes joined() const {
    Complexes result(static_cast<py::ssize_t>(re.size()));
    for (std::size_t i = 0; i < re.size(); ++i) result.mutable_data()[i] = {re[i], im[i]};
    return result;
  }
};

std::tuple<Complexes, Doubles, double, double> raise_coefficients(const Complexes& array, std::int64_t power,
                                                                  double norm, double input_error,
                                                                  const std::string& kernel) {
  Parts z(array);
  std::vector<double> error(z.re.size());
  double sums[2] = {};
  kernel_named(kernel).raise(hockeystick::power_rule(power, norm, input_error), z.re.data(), z.im.data(), error.data(),
                             error.size(), sums);
  return {z.joined(), array_of(error), sums[0], sums[1]};
}

std::pair<Complexes, Doubles> fold_coefficients(const Complexes& array, const Doubles& error, const Complexes& by,
                                                const Doubles& by_error, const std::string& kernel) {
  Parts y(array);
  const Parts z(by);
  std::vector<double> bound = copy_of(error);
  const std::vector<double> by_bound = copy_of(by_error);
  if (y.re.size() != z.re.size() || bound.size() != z.re.size() || by_bound.size() != z.re.size())
    throw std::invalid_argument("arrays must have the same length");
  kernel_named(kernel).fold(y.re.data(), y.im.data(), bound.data(), z.re.data(), z.im.data(), by_bound.data(),
                            bound.size());
  return {y.joined(), array_of(bound)};
}

std::pair<double, double> compensated_sum(const Doubles& array) {
  hockeystick::CompensatedSum sum;
  for (py::ssize_t i = 0; i < array.size(); ++i) sum.add(array.data()[i]);
  return {sum.value(), sum.error_bound()};
}

std::tuple<double, double, bool, bool> union_probability(const std::vector<std::tuple<double, double, double>>& events,
                                                         double probability) {
  hockeystick::UnionProbability any;
  for (const auto& [lower, upper, count] : events) any.add(lower, upper, count);
  return {any.lower(), any.upper(), any.exceeds(probability), any.is_at_most(probability)};
}

// In place on a caller's array, for those who time transforms.
using Buffer = py::array_t<double, py::array::c_style>;

std::span<double> buffer(Buffer& array) { return {array.mutable_data(), static_cast<std::size_t>(array.size())}; }

void bind_transform_plan(py::module_& m) {
  py::class_<RealFft>(m, "RealFft", "A plan of real transforms, in place; coefficients in its own order.")
      .def(py::init([](std::size_t size, const std::string& kernel) {
             return std::make_unique<RealFft>(size, kernel_named(kernel));
           }),
           py::arg("size"), py::arg("kernel") = "")
      .def(
          "forward", [](const RealFft& fft, Buffer values) { fft.forward(buffer(values)); },
          py::arg("values").noconvert())
      .def(
          "inverse", [](const RealFft& fft, Buffer values) { fft.inverse(buffer(values)); },
          py::arg("values").noconvert())
      .def(
          "power",
          [](const RealFft& fft, Buffer values, std::int64_t power) {
            return hockeystick::cyclic_power(fft, buffer(values), power);
          },
          py::arg("values").noconvert(), py::arg("power"), "As cyclic_power; returns the bound.");
}

std::vector<std::tuple<double, double, double>> point_mass_transform(const std::vector<double>& masses,
                                                                     const std::vector<double>& places, double spacing,
                                                                     std::size_t count, bool is_spread) {
  std::vector<hockeystick::PointMass> points;
  for (std::size_t i = 0; i < masses.size(); ++i) points.push_back({masses[i], places.at(i)});
  std::vector<std::tuple<double, double, double>> result;
  const auto add = [&](const hockeystick::PointMassSample& at) {
    result.emplace_back(at.re_less_1, at.im, at.rounding);
  };
  hockeystick::PointMassTransform transform(points, spacing);
  if (is_spread) {
    const auto all = hockeystick::spread_transform(transform, count);
    for (std::size_t k = 1; k < count; ++k) add(all[k]);
    return result;
  }
  for (std::size_t k = 1; k < count; ++k) add(transform.next());
  return result;
}

std::vector<std::vector<double>> spread(std::vector<double> masses, std::vector<double> offsets,
                                        const std::string& kernel) {
  const std::size_t count = masses.size(), padded = (count + 7) / 8 * 8, order = hockeystick::spline_order;
  masses.resize(padded), offsets.resize(padded);
  std::vector<std::uint32_t> first;
  for (std::size_t j = 0; j < padded; ++j) first.push_back(static_cast<std::uint32_t>(j * order));
  std::vector<double> grid(padded * order);
  kernel_named(kernel).spread(masses.data(), offsets.data(), first.data(), padded, grid.data());
  std::vector<std::vector<double>> result;
  for (std::size_t j = 0; j < count; ++j) result.emplace_back(grid.data() + j * order, grid.data() + (j + 1) * order);
  return result;
}

void bind_rounding_and_sums(py::module_& m) {
  m.attr("unit_roundoff") = hockeystick::unit_roundoff;
  m.def("gamma", &hockeystick::gamma, py::arg("n"), "Upper bound of n u / (1 - n u).");
  m.def("check_floating_point_environment", &hockeystick::check_floating_point_environment,
        "Raise RuntimeError unless rounding is to nearest and subnormals are live.");
  m.def("compensated_sum", &compensated_sum, py::arg("values"), "(sum, bound of its error).");
  m.def(
      "modulus_bound",
      [](const std::vector<double>& masses, const std::vector<double>& places, double from, double to) {
        return hockeystick::modulus_bound(masses, places, from, to);
      },
      py::arg("masses"), py::arg("places"), py::arg("from_"), py::arg("to"),
      "Upper bound of |sum m_i e^(i w x_i)| / sum m_i for all w in a range.");
  m.def("point_mass_transform", &point_mass_transform, py::arg("masses"), py::arg("places"), py::arg("spacing"),
        py::arg("count"), py::arg("is_spread"),
        "(re - 1, im, bound of the error) of sum m_i e^(i k spacing x_i) / sum m_i, 0 < k < count.");
  m.def(
      "turned_masses",
      [](const std::vector<double>& masses, const std::vector<double>& angles, std::size_t times,
         const std::string& kernel) {
        std::vector<double> re(times), im(times);
        kernel_named(kernel).turned_masses(masses.data(), angles.data(), masses.size(), re.data(), im.data(), times);
        return std::pair{re, im};
      },
      py::arg("masses"), py::arg("angles"), py::arg("times"), py::arg("kernel") = "",
      "sum_j masses_j e^(i (k + 1) angles_j), k < times, a multiple of 8.");
  m.def("spread", &spread, py::arg("masses"), py::arg("offsets"), py::arg("kernel") = "",
        "What each mass adds to spline_order points, times (spline_order - 1)!.");
  m.def("union_probability", &union_probability, py::arg("events"), py::arg("probability"),
        "(lower, upper, whether it certainly exceeds `probability`, whether it certainly does not) of the "
        "probability that one of the events (lower, upper, count) happens.");
}

void bind_transforms(py::module_& m) {
  m.def("roots_of_unity", &roots_of_unity, py::arg("order"), "exp(-2 pi i k / order), k < order.");
  m.def("rfft", &rfft, py::arg("values"), py::arg("kernel") = "", "Coefficients 0 .. N/2 of the real transform.");
  m.def("irfft", &irfft, py::arg("spectrum"), py::arg("kernel") = "", "N reals from coefficients 0 .. N/2.");
  m.def(
      "fft_error_constant", [](std::size_t n) { return RealFft(n).error_constant(); }, py::arg("n"),
      "B: errors are at most B times the sum of the moduli.");
  m.def("fft_bytes", &RealFft::bytes, py::arg("n"), "Memory of a plan of n points.");
  m.def("good_size", &RealFft::good_size, py::arg("at_least"), "Smallest supported size.");
  m.def("cyclic_power_product", &cyclic_power_product, py::arg("factors"), py::arg("kernel") = "",
        "(product of sequence^(* power), bound of the error of every entry).");
  m.def("cyclic_power", &cyclic_power, py::arg("sequence"), py::arg("power"), py::arg("kernel") = "",
        "The same for one factor, in place.");
  m.def("raise_coefficients", &raise_coefficients, py::arg("coefficients"), py::arg("power"), py::arg("norm"),
        py::arg("input_error"), py::arg("kernel") = "",
        "(powers, bounds of their errors, sum of the bounds, sum of the moduli).");
  m.def("fold_coefficients", &fold_coefficients, py::arg("coefficients"), py::arg("error"), py::arg("by"),
        py::arg("by_error"), py::arg("kernel") = "", "(products, bounds of their errors).");
}

void bind_kernels(py::module_& m) {
  using Kernel = hockeystick::SimdKernels;
  struct OnVectors {
    const char *name, *doc;
    void (*Kernel::*of)(double* x, std::size_t count);
  };
  for (const OnVectors& function :
       {OnVectors{"exponentials", "e^x of each value, on vectors.", &Kernel::exponentials},
        OnVectors{"exponentials_less_1", "e^x - 1 of each value, on vectors.", &Kernel::exponentials_less_1},
        OnVectors{"logarithms", "log x of each value, on vectors.", &Kernel::logarithms},
        OnVectors{"logarithms_of_1_plus", "log(1 + x) of each value, on vectors.", &Kernel::logarithms_of_1_plus},
        OnVectors{"normal_tails", "P(Z > x) of each value in [0, 37], on vectors.", &Kernel::normal_tails}}) {
    m.def(
        function.name,
        [of = function.of](const Doubles& x, const std::string& kernel) {
          if (x.size() % 8 != 0) throw std::invalid_argument("the number of values must be a multiple of 8");
          std::vector<double> values = copy_of(x);
          (kernel_named(kernel).*of)(values.data(), values.size());
          return array_of(values);
        },
        py::arg("x"), py::arg("kernel") = "", function.doc);
  }
  m.def(
      "exponentials_both",
      [](const Doubles& x, const std::string& kernel) {
        if (x.size() % 8 != 0) throw std::invalid_argument("the number of values must be a multiple of 8");
        std::vector<double> values = copy_of(x), less_1(values.size());
        kernel_named(kernel).exponentials_both(values.data(), less_1.data(), values.size());
        return std::make_tuple(array_of(values), array_of(less_1));
      },
      py::arg("x"), py::arg("kernel") = "", "e^x and e^x - 1 of each value, on vectors.");
  m.def(
      "sampled_logs",
      [](double q, const Doubles& t, const std::string& kernel) {
        if (t.size() % 8 != 0) throw std::invalid_argument("the number of values must be a multiple of 8");
        std::vector<double> values = copy_of(t), weights(values.size());
        kernel_named(kernel).sampled_logs(q, values.data(), weights.data(), values.size());
        return std::make_tuple(array_of(values), array_of(weights));
      },
      py::arg("q"), py::arg("t"), py::arg("kernel") = "", "log(1 - q + q e^t) and q e^t over that sum, on vectors.");
  m.def(
      "turned_sums",
      [](const Complexes& weights, double angle, const std::string& kernel) {
        if (weights.size() % 8 != 0) throw std::invalid_argument("the number of weights must be a multiple of 8");
        const auto size = static_cast<std::size_t>(weights.size());
        std::vector<double> re(size), im(size);
        for (std::size_t k = 0; k < size; ++k) re[k] = weights.data()[k].real(), im[k] = weights.data()[k].imag();
        double sums[3];
        kernel_named(kernel).turned_sums(re.data(), im.data(), size, hockeystick::math::cos(angle),
                                         hockeystick::math::sin(angle), sums);
        return std::array{sums[0], sums[1], sums[2]};
      },
      py::arg("weights"), py::arg("angle"), py::arg("kernel") = "",
      "Real and imaginary part of sum w_k e^(i k angle), and the sum of the imaginary parts times k.");
  m.def(
      "powers",
      [](const Complexes& z, std::int64_t power, const std::string& kernel) {
        if (z.size() % 8 != 0) throw std::invalid_argument("the number of values must be a multiple of 8");
        if (power < 1) throw std::invalid_argument("power must be >= 1, got " + std::to_string(power));
        const auto size = static_cast<std::size_t>(z.size());
        std::vector<double> re(size), im(size);
        for (std::size_t k = 0; k < size; ++k) re[k] = z.data()[k].real(), im[k] = z.data()[k].imag();
        kernel_named(kernel).powers(re.data(), im.data(), size, static_cast<std::uint64_t>(power));
        Complexes result(z.size());
        for (std::size_t k = 0; k < size; ++k) result.mutable_data()[k] = {re[k], im[k]};
        return result;
      },
      py::arg("z"), py::arg("power"), py::arg("kernel") = "", "z^power of each value, on vectors.");
  m.def(
      "tilted_masses",
      [](const Doubles& base, const Doubles& loss, const Doubles& off, const Doubles& off_by_tilt, double tilt,
         const std::string& kernel) {
        if (base.size() % 8 != 0) throw std::invalid_argument("the number of values must be a multiple of 8");
        const auto size = static_cast<std::size_t>(base.size());
        std::vector<double> masses(size);
        double sums[2];
        const double largest = kernel_named(kernel).tilted_masses(
            {base.data(), loss.data(), off.data(), off_by_tilt.data(), size}, tilt, masses.data(), sums);
        return std::make_tuple(largest, array_of(masses), sums[0], sums[1]);
      },
      py::arg("base"), py::arg("loss"), py::arg("off"), py::arg("off_by_tilt"), py::arg("tilt"), py::arg("kernel") = "",
      "The largest exponent, the masses relative to it, their sum, and that of their errors.");
  m.def("available_kernels", &hockeystick::available_kernel_names, "Names of the kernels that can run here.");
}

}  // namespace

void bind_elementary(py::module_& m);
void bind_normal_and_hull(py::module_& m);

void bind_numeric(py::module_& m) {
  py::module_ numeric = m.def_submodule("numeric", "Internals of the numeric layer, for tests.");
  bind_kernels(numeric);
  bind_rounding_and_sums(numeric);
  bind_transforms(numeric);
  bind_transform_plan(numeric);
  bind_normal_and_hull(numeric);
  bind_elementary(numeric);
}
