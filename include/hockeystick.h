/* SPDX-License-Identifier: Apache-2.0
 *
 * hockeystick: certified differential-privacy accounting, for C and every language that calls C.
 *
 * Every answer is an interval that contains the truth: lower <= truth <= upper, rounding included. Losses are in nats.
 *
 * No function throws, aborts or prints. All may be called from any thread. A run may be asked by several threads at
 * once, as long as none adds to it or frees it meanwhile. Text is UTF-8 and ends with a zero byte.
 */
#ifndef HOCKEYSTICK_H
#define HOCKEYSTICK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions, constants and fields are only added under one number; it is that of libhockeystick.so.N. */
#define HS_ABI_VERSION 1

#if defined(_WIN32) && defined(HS_BUILDING_SHARED)
#define HS_API __declspec(dllexport)
#elif defined(_WIN32) && defined(HS_SHARED)
#define HS_API __declspec(dllimport)
#elif defined(__GNUC__)
#define HS_API __attribute__((visibility("default")))
#else
#define HS_API
#endif

/* Statuses. 0: success. > 0: the answers are certified, with a restriction. < 0: nothing was written, and
 * hs_last_error() has the reason. */
enum {
  HS_OK = 0,
  HS_WIDE = 1,                /* an interval is wider than the tolerance: see limited_by of each answer */
  HS_BAD_ARGUMENT = -1,       /* an argument is out of its range, unknown, or NULL */
  HS_NO_PAIR = -2,            /* a mechanism is not defined under the adjacency */
  HS_NO_MEMORY = -3,
  HS_BAD_FLOATING_POINT = -4, /* this thread does not round to nearest, or flushes subnormal numbers to zero */
  HS_STOPPED = -5,            /* the watch returned nonzero */
  HS_INTERNAL = -6            /* a mistake in hockeystick: please report it */
};

/* Which pairs of datasets are neighbours; the worst direction counts. */
enum {
  HS_ADJACENCY_OF_RUN = 0,    /* of a ledger its own, else HS_ADD_OR_REMOVE_ONE */
  HS_ADD_OR_REMOVE_ONE = 1,
  HS_REMOVE_ONE = 2,
  HS_ADD_ONE = 3,
  HS_REPLACE_ONE = 4,         /* a record is replaced by any other */
  HS_REPLACE_SPECIAL = 5      /* a record is replaced by a special, empty one, or the reverse */
};

/* Why an interval is wider than asked for. */
enum {
  HS_LIMITED_BY_NOTHING = 0,
  HS_LIMITED_BY_MEMORY = 1,   /* it needs required_bytes, more than memory_limit */
  HS_LIMITED_BY_ROUNDING = 2, /* of binary64 arithmetic */
  HS_LIMITED_BY_PASSES = 3,   /* refining did not reach it within the work of one question */
  HS_LIMITED_BY_THEORY = 4    /* the truth is not known more closely; this is no reason for HS_WIDE */
};

/* Options of a question. Fill them with hs_default_options, then change fields. NULL stands for the defaults. */
typedef struct hs_options {
  uint64_t size;              /* sizeof(hs_options) where the caller was compiled */
  double tolerance;           /* upper - lower <= tolerance * upper; in (1e-12, 1). Default 1e-3 */
  uint64_t memory_limit;      /* bytes that a question may take; > 0. Default 2^30 */
  int (*watch)(void *data);   /* called some 20 times a second in the calling thread; nonzero stops. Default NULL */
  void *watch_data;           /* the argument of the watch. Default NULL */
  int32_t adjacency;          /* HS_ADJACENCY_OF_RUN by default */
  int32_t threads;            /* how many share an array of runs of DP-SGD, the caller's among them; in [1, 1024], and 0
                                 stands for the default, 1. Answers have the same bits for any number */
  double smallest;            /* a delta, tail or true positive rate that is certified to be below need not meet the
                                 tolerance if that takes long; in [0, 1), 0 asks for more. Default 1e-30 */
} hs_options;

/* A certified interval. This struct never changes under one ABI version, so that arrays of it can be given. */
typedef struct hs_answer {
  double lower, upper;        /* lower <= truth <= upper */
  uint64_t required_bytes;    /* with HS_LIMITED_BY_MEMORY: about the bytes needed */
  int32_t limited_by;         /* HS_LIMITED_BY_... */
  int32_t reserved;           /* 0 */
} hs_answer;

/* A number by its name, {"noise_multiplier", 1.0}, or a list of them, {"p", 0, values, count}. */
typedef struct hs_parameter {
  const char *name;
  double value;               /* taken if values is NULL */
  const double *values;
  size_t count;
} hs_parameter;

/* A composition of mechanisms, each run a number of times, chosen one after another. */
typedef struct hs_run hs_run;

/* HS_ABI_VERSION of the library that is loaded. Refuse to go on if it differs from that of the header. */
HS_API int hs_abi_version(void);

/* Such as "0.1.0"; static. */
HS_API const char *hs_version(void);

/* Why the last call of this thread that returned a status failed; "" if it did not. Valid until the next one. */
HS_API const char *hs_last_error(void);

/* Writes the defaults, `size` bytes of them: sizeof(hs_options), so that a caller compiled before a field was added has
 * nothing written beyond its struct. */
HS_API void hs_default_options(hs_options *options, size_t size);

/* Encloses epsilon of n runs of DP-SGD: `steps[i]` Gaussian mechanisms, each on a Poisson subsample. An array holds one
 * number for each run. Shared by `threads`, as the calibrations below are. */
HS_API int hs_dpsgd_epsilon(const double *noise_multipliers, const double *sampling_probabilities, const int64_t *steps,
                            const double *deltas, size_t n, const hs_options *options, hs_answer *answers);

/* The name of a mechanism by its index, from 0, and of one of its parameters; NULL beyond the last. Static. */
HS_API const char *hs_mechanism_name(size_t index);
HS_API const char *hs_mechanism_parameter(size_t index, size_t parameter);

/* An empty run; NULL if there is no memory. */
HS_API hs_run *hs_run_new(void);

/* Frees a run. NULL does nothing. */
HS_API void hs_run_free(hs_run *run);

/* Adds `count` runs of a mechanism, in [0, 1e9], by the name that the manual's table gives, with n parameters. A
 * sampling scheme is written around the mechanism that it samples, and its parameters are given with the others:
 *
 *     hs_parameter step[] = {{"noise_multiplier", 1.0}, {"sampling_probability", 0.01}};
 *     hs_run_add(run, "poisson_sampled(gaussian)", step, 2, 10000);
 */
HS_API int hs_run_add(hs_run *run, const char *mechanism, const hs_parameter *parameters, size_t n, int64_t count);

/* Adds all that a ledger holds: the text that Accountant.to_json and Accountant.save of the Python package write. Its
 * adjacency becomes that of the run. A run that holds mechanisms takes only ledgers of its own adjacency. Adds
 * everything or nothing. */
HS_API int hs_run_add_json(hs_run *run, const char *text, size_t length);

/* Encloses, for each of n deltas in [0, 1), the smallest epsilon >= 0 of the run; at 0, its largest privacy loss. */
HS_API int hs_epsilon(const hs_run *run, const double *deltas, size_t n, const hs_options *options, hs_answer *answers);

/* Encloses delta of the run at each of n epsilons, in [0, 1e4]. */
HS_API int hs_delta(const hs_run *run, const double *epsilons, size_t n, const hs_options *options, hs_answer *answers);

/* For languages that pass only pointers, as R's .C: encloses epsilon of a ledger at a delta, with default options.
 * `ledger` points to a text as of hs_run_add_json that ends with a zero. `why` becomes the text of hs_last_error; below
 * HS_OK only it and the status are written. */
HS_API void hs_epsilon_by_pointers(const char *const *ledger, const double *delta, double *lower, double *upper,
                                   int *status, const char **why);

/* Views of a run, each enclosed at n points. With options NULL the tolerance is 1e-3, of the last two 1e-2. */

/* The largest true positive rate of a test at false positive rates in [0, 1]; the trade-off function is 1 minus it. */
HS_API int hs_true_positive_rate(const hs_run *run, const double *false_positive_rates, size_t n,
                                 const hs_options *options, hs_answer *answers);

/* The largest advantage, true minus false positive rate, of a test. One answer. */
HS_API int hs_advantage(const hs_run *run, const hs_options *options, hs_answer *answer);

/* The smallest error probability of a test that knows the prior of the dataset that it calls positive, in (0, 1). */
HS_API int hs_bayes_risk(const hs_run *run, const double *priors, size_t n, const hs_options *options,
                         hs_answer *answers);

/* The smallest mu of Gaussian differential privacy for tests whose error rates are at least each, in [1e-20, 0.5). */
HS_API int hs_gdp_mu(const hs_run *run, const double *smallest_rates, size_t n, const hs_options *options,
                     hs_answer *answers);

/* The Renyi divergence at each order, in [1, 1e4]. */
HS_API int hs_renyi_divergence(const hs_run *run, const double *orders, size_t n, const hs_options *options,
                               hs_answer *answers);

/* The smallest rho of zero-concentrated privacy for orders up to each, in (1, 1e4], or infinite for all. */
HS_API int hs_zcdp(const hs_run *run, const double *largest_orders, size_t n, const hs_options *options,
                   hs_answer *answers);

/* The two views below are of the loss itself, log dP/dQ of one pair of distributions. For mechanisms that are known by
 * curves above and below, they enclose the largest answer of all pairs that the curves allow. */

/* The probability that the privacy loss exceeds each epsilon. */
HS_API int hs_loss_tail(const hs_run *run, const double *epsilons, size_t n, const hs_options *options,
                        hs_answer *answers);

/* The quantile of the privacy loss at each level in (0, 1); the tolerance is a part of its standard deviation or, where
   that takes long, of the distance over which the tail falls by a factor of e. */
HS_API int hs_loss_quantile(const hs_run *run, const double *levels, size_t n, const hs_options *options,
                            hs_answer *answers);

/* Calibration of n runs of DP-SGD to budgets (epsilon, delta). */

/* Encloses the least noise multiplier in [1e-3, 1e12]; `upper` meets the budget. */
HS_API int hs_dpsgd_noise_multiplier(const double *sampling_probabilities, const int64_t *steps,
                                     const double *epsilons, const double *deltas, size_t n,
                                     const hs_options *options, hs_answer *answers);

/* Encloses the largest sampling probability; `lower` meets the budget. */
HS_API int hs_dpsgd_sampling_probability(const double *noise_multipliers, const int64_t *steps,
                                         const double *epsilons, const double *deltas, size_t n,
                                         const hs_options *options, hs_answer *answers);

/* Encloses the largest number of steps, up to 1e9. `lower` meets the budget, by an upper bound of epsilon that is as
 * close as the tolerance; that of `lower + 1` does not. More than `upper` steps exceed the budget, for certain. A finer
 * tolerance brings the ends together, and takes longer. */
HS_API int hs_dpsgd_steps(const double *noise_multipliers, const double *sampling_probabilities,
                          const double *epsilons, const double *deltas, size_t n, const hs_options *options,
                          hs_answer *answers);

#ifdef __cplusplus
}
#endif
#endif
