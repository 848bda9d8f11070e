# SPDX-License-Identifier: Apache-2.0
# The same question from R, which passes pointers alone: the run is a ledger, as Python's run.to_json() writes it.
dyn.load(commandArgs(TRUE)[1])

ledger <- '{"schema": "hockeystick.Accountant", "version": 1, "adjacency": "add-or-remove-one", "tolerance": 1e-3,
  "ledger": [
    {"mechanism": {"type": "PoissonSampled", "sampling_probability": 0.01,
                   "mechanism": {"type": "Gaussian", "noise_multiplier": 1}}, "count": 10000},
    {"mechanism": {"type": "Laplace", "noise_multiplier": 20}, "count": 5}]}'

found <- .C("hs_epsilon_by_pointers", ledger, 1e-5, lower = 0, upper = 0, status = 0L, why = "")
if (found$status < 0) stop(found$why)
cat(format(c(found$lower, found$upper), digits = 17), "\n")
