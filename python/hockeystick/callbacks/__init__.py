# SPDX-License-Identifier: Apache-2.0
"""An ``EpsilonMeter`` in the loops of other frameworks: one module each, which imports its own.

A callback counts the optimizer's steps, reports epsilon, and ends training when the budget allows
no step more. It makes nothing private: clipping, noise and the drawing of batches are the
training's own, and have to be those of the meter's step.
"""
