# SPDX-License-Identifier: Apache-2.0
"""The manual's example service with less in it: no question to the library, or no ledger."""

from __future__ import annotations

from typing import Any

import budget_service

import hockeystick as hs


class Unasked(budget_service.Budget):
    """Enters every run: reads, locks and writes the ledger, and does not ask first."""

    def _enter(self, ledger: hs.ZCDPFilter, run: hs.Accountant) -> None:
        for mechanism, count, label in run.entries:
            ledger.run(mechanism, count, label=label)


class Constant(budget_service.Service):
    """Takes the body and says yes."""

    async def _admit(self, receive: budget_service.Receive) -> dict[str, Any]:
        await self._body(receive)
        return {"admitted": True}


def unasked() -> budget_service.Service:
    """No question to the library."""
    return budget_service.Service(Unasked(budget_service.settings()))


def constant() -> budget_service.Service:
    """The server alone."""
    return Constant(budget_service.Budget(budget_service.settings()))
