/* SPDX-License-Identifier: Apache-2.0 */
#include <hockeystick.h>
#include <stdio.h>

/* A service that refuses what costs more than its budget. */
int main(void) {
  if (hs_abi_version() != HS_ABI_VERSION) return 1;
  hs_run *run = hs_run_new();
  hs_parameter step[] = {{"noise_multiplier", 1.0, NULL, 0}, {"sampling_probability", 0.01, NULL, 0}};
  hs_parameter count[] = {{"noise_multiplier", 20.0, NULL, 0}};
  int status = hs_run_add(run, "poisson_sampled(gaussian)", step, 2, 10000);
  if (status == HS_OK) status = hs_run_add(run, "laplace", count, 1, 5);
  double delta = 1e-5;
  hs_answer answer;
  if (status == HS_OK) status = hs_epsilon(run, &delta, 1, NULL, &answer);
  hs_run_free(run);
  if (status < 0) {
    fprintf(stderr, "%s\n", hs_last_error());
    return 1;
  }
  printf("%.17g %.17g\n", answer.lower, answer.upper);
  return 0;
}
