"""Changes written by hand: mistakes that a person would make, each with what it breaks."""

from dataclasses import dataclass

from tests.mutants.changes import Change, Span, changed, source_path


@dataclass(frozen=True)
class Named:
    """One mistake.

    Attributes:
        module: its dotted name.
        function: the outermost function or method that it is in.
        old: text that occurs once in the module.
        new: what it becomes.
        breaks: why nobody may make it.
    """

    module: str
    function: str
    old: str
    new: str
    breaks: str

    def change(self) -> Change:
        """The change of the module."""
        source = source_path(self.module).read_text()
        assert source.count(self.old) == 1, self
        start = source.index(self.old)
        span = Span(start, start + len(self.old), self.new)
        return changed(self.module, self.function, source, span)


NAMED: tuple[Named, ...] = (
    Named(
        "leastnoise.release.draw.key_selection",
        "KeySelection.step",
        "max_groups=least.max_groups",
        "max_groups=1",
        "private keys are priced for one group though a unit is in several",
    ),
    Named(
        "leastnoise.release.draw.key_selection",
        "KeySelection.step",
        "replace=table.neighbours is Neighbours.REPLACE",
        "replace=False",
        "private keys are priced for units that come and go, where they are replaced",
    ),
    Named(
        "leastnoise.release.step.count_price",
        "keeps_step",
        "if law.shape.support[1] >= mechanism.least_shown - mechanism.unseen:",
        "if False:",
        "groups that nobody is in may be shown",
    ),
    Named(
        "leastnoise.release.step.count_price",
        "_leak",
        "for shift in (1, -1)",
        "for shift in (1,)",
        "counts that choose groups are priced in one order only",
    ),
    Named(
        "leastnoise.mechanisms.partitions.count_table",
        "count_table",
        "delta=step.delta * (1 - _HAIR)",
        "delta=step.delta",
        "counts that choose groups leak what rounding adds",
    ),
    Named(
        "leastnoise.release.draw.key_selection",
        "_promise",
        "ZCDP(rho=given.price.rho, delta=given.delta)",
        "ZCDP(rho=given.price.rho * 2, delta=given.delta)",
        "a choice of keys costs twice its share",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_divided",
        "delta / max(_thresholds(demands), 1)",
        "delta",
        "the whole δ is given to every threshold",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_schemes",
        "budget.delta - leak",
        "budget.delta",
        "the δ of thresholds is spent a second time on the noise",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_smooth",
        "DiscreteGaussian(price.parameter(demand.reach.square, share))",
        "DiscreteGaussian(price.parameter(demand.reach.square, share) / 2)",
        "Gaussian noise is halved",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_smooth",
        "price.fine(share)), share)",
        "price.fine(share) * 16), share)",
        "marginals beside Gaussian questions get 16 times their ρ",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_smoothed",
        "reach.square / (2 * rho)",
        "reach.square / (4 * rho)",
        "concentrated noise is halved",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_paid",
        "reach.total / epsilon",
        "reach.cell / epsilon",
        "noise for one group though a unit is in several",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_adding_epsilon",
        "epsilon * share",
        "epsilon",
        "every question spends all of ε",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_adding_rho",
        "left * share",
        "left",
        "every question spends all of ρ",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_adding_rho",
        "left = rho - _fixed(demands)",
        "left = rho",
        "fixed prices are not taken off",
    ),
    Named(
        "leastnoise.release.price.allocation",
        "_shares",
        "whole = max(_PARTS, sum(parts))",
        "whole = _PARTS // 2",
        "shares add up to two",
    ),
    Named(
        "leastnoise.release.price.priced_plan",
        "PricedPlan.admitted",
        "[*self.choices.values(), *chain(*self.steps)]",
        "[*chain(*self.steps)]",
        "choices of keys are not charged",
    ),
    Named(
        "leastnoise.release.questions.most_common",
        "MostCommon._choice",
        "epsilon = price.epsilon / self.count",
        "epsilon = price.epsilon",
        "each of k choices spends all of ε",
    ),
    Named(
        "leastnoise.release.questions.most_common",
        "MostCommon._choice",
        "8 * price.rho / self.count",
        "8 * price.rho",
        "each of k choices spends all of ρ",
    ),
    Named(
        "leastnoise.release.questions.most_common",
        "_monotone",
        "return table.neighbours is Neighbours.ADD_REMOVE",
        "return True",
        "half the noise where units are replaced",
    ),
    Named(
        "leastnoise.release.questions.marginals",
        "Marginals._planner",
        "rho / table.most**2",
        "rho / table.most",
        "rows of one unit are priced as if of several",
    ),
    Named(
        "leastnoise.release.questions.marginals",
        "Marginals._planner",
        "return _exchanging(self._workload, one)",
        "return _planned(self._workload, one)",
        "replaced units are priced as added ones",
    ),
    Named(
        "leastnoise.release.gate",
        "Admitted.charge",
        "self.costs, purpose=purpose",
        "self.costs[-1:], purpose=purpose",
        "the budget itself is not charged",
    ),
    Named(
        "leastnoise.release.gate",
        "Admitted.charge",
        "ledger.charge(\n            self.costs,",
        "ledger.charge(\n            PureDP(epsilon=0),",
        "the charge is skipped",
    ),
    Named(
        "leastnoise.release.gate",
        "Paid.used",
        "steps, self._steps = self._steps, ()",
        "steps = self._steps",
        "noise is drawn twice for one charge",
    ),
    Named(
        "leastnoise.release.gate",
        "admit",
        "if not keeps_claim(step, table):",
        "if False:",
        "no step is priced",
    ),
    Named(
        "leastnoise.release.gate",
        "admit",
        "    _refuse_out_of_order(given)\n",
        "    pass\n",
        "private groups are shown without a choice",
    ),
    Named(
        "leastnoise.release.gate",
        "_added_up",
        "sum((each.delta for each in claims if not isinstance(each, PureDP)), Fraction(0))",
        "max(getattr(each, 'delta', Fraction(0)) for each in claims)",
        "a threshold's δ is forgotten in the charge",
    ),
    Named(
        "leastnoise.release.gate",
        "_on_the_line",
        "(budget.delta - leak) / (1 - leak)",
        "budget.delta",
        "the δ that smoothing takes is forgotten",
    ),
    Named(
        "leastnoise.release.gate",
        "_on_the_line",
        "moved / (v - smoothing)",
        "moved / v",
        "the noise that smoothing takes is forgotten",
    ),
    Named(
        "leastnoise.release.gate",
        "_on_the_line",
        "8 * changed, 1 <<",
        "changed, 1 <<",
        "smoothing's constant is 8 times too small",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_noise",
        "reach.square <= 2 * claim.rho",
        "reach.square <= 4 * claim.rho",
        "Gaussian noise may be halved",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_noise",
        "reach.total <= claim.epsilon * law.scale",
        "reach.cell <= claim.epsilon * law.scale",
        "cells do not add up",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_noise",
        "if reach.cells != 1 or isinstance(claim, ZCDP):",
        "if isinstance(claim, ZCDP):",
        "a law for one number is used for several",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_shown",
        "return times * step.epsilon <= claim.epsilon",
        "return step.epsilon <= claim.epsilon",
        "groups of a unit do not add up",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_shown",
        "enough = times * step.mu_squared <= 2 * claim.rho",
        "enough = step.mu_squared <= 2 * claim.rho",
        "groups of a unit do not add up",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_top",
        "return choice.count * one.epsilon <= claim.epsilon",
        "return one.epsilon <= claim.epsilon",
        "choices do not add up",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_top",
        "not listed or not one_way or one.sensitivity",
        "not listed or one.sensitivity",
        "half the noise where units are replaced",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_quantiles",
        "turns = (2 if replaced else 1) * way.height",
        "turns = way.height",
        "replaced units are priced as added ones",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "marginals_square",
        "square = square_of_exchange(planner.plan) if replaced else square_of_one(planner.plan)",
        "square = square_of_one(planner.plan)",
        "replaced units are priced as added ones",
    ),
    Named(
        "leastnoise.release.step.step_price",
        "_pure_marginals",
        "turns = 2 if table.neighbours is Neighbours.REPLACE else 1",
        "turns = 1",
        "replaced units are priced as added ones",
    ),
    Named(
        "leastnoise.release.draw.drawn",
        "_noisy",
        "return tuple(mechanism.draw(total, source) for total in totals)",
        "return tuple(total + (mechanism.draw(totals[0], source) - totals[0]) for total in totals)",
        "two totals are answered with noise of one draw",
    ),
    Named(
        "leastnoise.release.step.reach",
        "reach_of",
        "sum(part.square for part in parts)",
        "max(part.square for part in parts)",
        "aggregates of one step do not add up",
    ),
    Named(
        "leastnoise.release.step.reach",
        "most_of",
        "asked.max_rows * row_weight(table)",
        "asked.max_rows",
        "rows that weigh more are counted as one",
    ),
    Named(
        "leastnoise.mechanisms.adding.cell_noise",
        "CellNoise.draw",
        "self.law.sample(len(cells), source=source)",
        "np.repeat(self.law.sample(1, source=source), len(cells))",
        "the same noise in all cells",
    ),
    Named(
        "leastnoise.mechanisms.thresholds.threshold_gate",
        "ThresholdGate._pass",
        "            self._level = self._drawn_level()\n",
        "            pass\n",
        "the level is not redrawn after a passage",
    ),
    Named(
        "leastnoise.mechanisms.thresholds.threshold_gate",
        "ThresholdGate._pass",
        "        self.left -= 1\n",
        "        pass\n",
        "passages are not counted",
    ),
    Named(
        "leastnoise.mechanisms.choosing.top_selection",
        "TopSelection.guarantee",
        "self.count * self.selection.epsilon",
        "self.selection.epsilon",
        "choices do not add up",
    ),
    Named(
        "leastnoise.mechanisms.choosing.top_selection",
        "TopSelection.concentrated",
        "self.count * self.selection.concentrated.rho",
        "self.selection.concentrated.rho",
        "choices do not add up",
    ),
    Named(
        "leastnoise.accounting.odometer",
        "ZCDPOdometer._log_risk",
        "(j + 1) * (j + 2) / self.delta",
        "(j + 1) / self.delta",
        "an odometer's weights do not sum to 1",
    ),
    Named(
        "leastnoise.accounting.odometer",
        "ZCDPOdometer._line",
        "Fraction(reach.upper)",
        "Fraction(reach.lower)",
        "the bound is rounded down",
    ),
    Named(
        "leastnoise.certificates.check_stairs",
        "best_staircase_bound",
        "for step in (-1, 1):",
        "for step in (1,):",
        "narrower staircases are not looked at",
    ),
    Named(
        "leastnoise.certificates.check",
        "_about_bound",
        "if claim.bound > proved:",
        "if False:",
        "any bound is believed",
    ),
    Named(
        "leastnoise.certificates.check",
        "_rounded_bound",
        "and (witness.step / problem.step).denominator == 1",
        "and True",
        "a coarse lattice that does not contain the fine one",
    ),
    Named(
        "leastnoise.certificates.check",
        "_rounded_bound",
        "and dual_reach(witness.dual) >= problem.cost.growth + 2",
        "and True",
        "chords that fall beyond the last multiplier",
    ),
    Named(
        "leastnoise.certificates.check_dual",
        "dual_is_feasible",
        "return min(slacks) >= 0 and rest >= 0",
        "return min(slacks) >= 0",
        "the endless rest is not looked at",
    ),
    Named(
        "leastnoise.certificates.check_dual",
        "_well_formed",
        "        and len(set(shifts)) == len(shifts)\n",
        "        and True\n",
        "one shift has two rows of multipliers",
    ),
    Named(
        "leastnoise.certificates.check_dual",
        "_well_formed",
        "and all(min(row.beyond, *row.values, 0) >= 0 for row in dual.rows)",
        "and True",
        "negative multipliers",
    ),
    Named(
        "leastnoise.certificates.check_law",
        "_shifts",
        "range(greatest if falls else 1, greatest + 1)",
        "range(greatest, greatest + 1)",
        "only the greatest shift of a law that rises is looked at",
    ),
    Named(
        "leastnoise.ledger.ledger",
        "Ledger._add",
        "            _refuse(seen, event)\n",
        "            pass\n",
        "nothing is refused",
    ),
    Named(
        "leastnoise.ledger.limits",
        "limits",
        "half = ApproxDP(epsilon=total.epsilon, delta=total.delta / 2)",
        "half = total",
        "two ways of adding up, each with the whole δ",
    ),
)
