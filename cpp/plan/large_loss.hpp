// SPDX-License-Identifier: Apache-2.0
// Forecasts and plans for runs in which one large loss determines delta: delta(epsilon) is then about the sum over all
// steps of their own delta, moved by the other losses, whose sum is about normal. Moments forecast far too large a
// delta. No bound rests on these guesses.
#pragma once

#include <optional>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// A point of the curve; slope = -d log delta / d epsilon.
struct LargeLoss {
  double epsilon, log_delta, slope;
};

/// The point at an epsilon, for steps of one kind. Empty if one large loss does not determine delta there, or delta is
/// not below e^log_most.
std::optional<LargeLoss> large_loss_at(const Saddlepoint& saddlepoint, double epsilon, double log_most);

/// The point at which delta is e^log_delta. Empty if one large loss does not determine delta there.
std::optional<LargeLoss> large_loss_of(const Saddlepoint& saddlepoint, double log_delta);

/// How delta(epsilon) is split by the number of large losses.
struct LargeLossPlan {
  double epsilon, threshold;  // losses from the threshold on are large
  double centre, deviation;   // of the sum of the small ones
  double rate;                // -d log delta / d epsilon, by large losses alone
  double delta;               // by these, about
  double missed;              // the part that none and two large losses may add, relative to delta
};

/// Nothing where delta is not forecast to be decided by one large loss.
std::optional<LargeLossPlan> plan_large_loss(const Saddlepoint& saddlepoint, double epsilon, double tolerance);

/// The same plan from a closer look at the losses where large losses decide.
LargeLossPlan aimed(LargeLossPlan plan, const Direction& direction);

/// About the epsilon at which one large loss gives this delta; nothing where large losses are too rare.
std::optional<double> large_loss_epsilon(const Saddlepoint& saddlepoint, double delta);

/// The cost of the bounds [ns].
double large_loss_cost(const LargeLossPlan& plan, std::size_t terms, double tolerance, bool is_tail = false);

/// Losses, from the threshold on, at which the curve of a large loss is wanted, by rising loss: the closest are those
/// for a sum of small losses next to `centre`. `is_tail`: the tail is wanted; between two of these losses any value
/// will do.
std::vector<double> large_losses(const LargeLossPlan& plan, double tolerance, bool is_tail = false);

/// The fineness of the cells of small losses, at least 2: the error of their moments is their variance within cells,
/// which falls with its square.
int small_fineness(const LargeLossPlan& plan, double tolerance);

/// Edges of cells up to the threshold; hardly any loss is below the first. `fineness` edges for each node of the pair.
std::vector<double> small_losses(const DominatingPair& pair, double threshold, double rare, int fineness);

}  // namespace hockeystick
