// SPDX-License-Identifier: Apache-2.0
// One question put once to a run: to the pairs that dominate its terms, or to pairs above and below their curves.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"
#include "numeric/interval.hpp"
#include "run/enclosing.hpp"
#include "run/run.hpp"
#include "run/view_rows.hpp"

namespace hockeystick {

using Points = std::span<const double>;
using Answers = std::vector<Answer>;

/// Bounds that hold for every run.
Interval trivial(const ViewRow& row, double point);

/// The subject of a question to terms without an exact pair.
EnclosedQuestion question_of(const Run::Terms& terms, const ViewRow& row, const Limits& limits);

/// Answers without what other questions or other runs tell, in the worst direction of the adjacency.
Answers ask_once(const Run& run, const ViewRow& row, std::size_t adjacency, Points points, const Limits& limits);

/// Marks an answer as converged if it meets the tolerance or is a probability below the floor.
void settle(const ViewRow& row, const Limits& limits, Answer& answer);

/// Narrows the answers at `which` by the answers to the same question asked in another way, or about a run that costs
/// more.
enum class Known { both_ends, above };
void narrow(const ViewRow& row, std::span<const std::size_t> which, const Answers& known, Known ends,
            const Limits& limits, Answers& answers);

}  // namespace hockeystick
