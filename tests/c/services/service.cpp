// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <hockeystick.hpp>

int main() {
  hs::Run run;
  run.add("poisson_sampled(gaussian)", {{"noise_multiplier", 1.0}, {"sampling_probability", 0.01}}, 10000);
  run.add("laplace", {{"noise_multiplier", 20.0}}, 5);
  const hs::Interval epsilon = run.epsilon(1e-5);
  std::printf("%.17g %.17g\n", epsilon.lower, epsilon.upper);
  try {
    run.add("laplace", {{"noise_multiplier", 0.0}});
  } catch (const hs::Error& error) {
    return error.status() == HS_BAD_ARGUMENT ? 0 : 1;
  }
  return 1;
}
