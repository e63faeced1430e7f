"""What is changed: the code that carries the promise; and the tests that belong to it."""

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from tests.mutants.changes import Change, changes_of, source_path
from tests.mutants.named import NAMED


@dataclass(frozen=True)
class Part:
    """Modules that the same tests are for.

    Attributes:
        packages: every module of these.
        modules: and these.
        changes: how many places are changed.
        tests: files and folders, beside the examples in docstrings of the packages.
        searching: modules that are not trusted, of which mistakes with a name are tried: what they
            propose is priced anew, and a mistake must not get past that.
        elsewhere: packages inside its own that another part has.
    """

    packages: tuple[str, ...]
    modules: tuple[str, ...]
    changes: int
    tests: tuple[str, ...]
    searching: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def trusted(self) -> list[str]:
        """The names of all its modules."""
        found = list(self.modules)
        for package in self.packages:
            path = import_module(package).__path__
            found += [each.name for each in pkgutil.walk_packages(path, f"{package}.")]
        others = tuple(f"{package}." for package in self.elsewhere)
        return sorted(
            each for each in found if not each.endswith(NOT_TRUSTED) and not each.startswith(others)
        )

    def places(self) -> list[str]:
        """Where its tests are."""
        root = Path(__file__).parents[2]
        folders = [source_path(package).parent.relative_to(root) for package in self.packages]
        return [*self.tests, *map(str, folders)]

    @cache  # noqa: B019 - there are fourteen parts, for as long as the program runs
    def chosen(self) -> tuple[Change, ...]:
        """Named changes, and others spread over modules and functions as if by chance."""
        modules = self.trusted()
        named = [each for each in NAMED if each.module in {*modules, *self.searching}]
        rounds = {module: _in_rounds(module) for module in modules}
        found: list[Change] = []
        for turn in range(max(map(len, rounds.values()))):
            fresh = [each[turn] for each in rounds.values() if len(each) > turn]
            found += sorted(fresh, key=lambda change: change.rank)
            if len(found) >= self.changes:
                break
        return (*(each.change() for each in named), *found[: self.changes])


NOT_TRUSTED: tuple[str, ...] = (
    "leastnoise.privacy.spoken",  # words for people
    "leastnoise.ledger.sums",
    "leastnoise.mechanisms.thresholds.threshold_accuracy",  # forecasts of errors
    "leastnoise.mechanisms.choosing.selection_error",
    "leastnoise.mechanisms.joint.best_starts",  # every start width keeps the promise
    "leastnoise.mechanisms.joint.forecast",
    "leastnoise.mechanisms.joint.box_cell",
    "leastnoise.mechanisms.joint.gap_cell",
    "leastnoise.mechanisms.joint.pair_box_cell",
    "leastnoise.mechanisms.joint.pair_table",
    "leastnoise.mechanisms.joint.radius_table",
    "leastnoise.mechanisms.joint.rounded_sum",
    "leastnoise.tabulation.ranking",
    "leastnoise.tabulation.repaired_calibration",
    "leastnoise.tabulation.repaired_gaussian",
    "leastnoise.tabulation.error_law",
    "leastnoise.tabulation.error_laws",
    "leastnoise.tabulation.mean_band",
    "leastnoise.tabulation.residuals.residual_objective",
    "leastnoise.tabulation.arrow_columns",
    "leastnoise.tabulation.signed.block_variance",
    "leastnoise.tabulation.signed.cell_margin",
    "leastnoise.tabulation.signed.signed_search",  # chooses, and the gate prices what it chose
    "leastnoise.tabulation.signed.signed_sources",
    "leastnoise.research.comparison",
    "leastnoise.research.product_noise",  # research: no release draws it
    "leastnoise.research.product_normal.product_normal",
    "leastnoise.research.product_normal.strip_bound",
    "leastnoise.research.product_normal.chart",
    "leastnoise.research.product_normal.density",
    "leastnoise.research.product_normal.divergence",
    "leastnoise.research.product_normal.expansion",
    "leastnoise.research.product_normal.nodes",
    "leastnoise.research.product_normal.origin",
    "leastnoise.research.product_normal.peaks",
    "leastnoise.research.product_normal.window",
    "leastnoise.research.proportional_noise",
    "leastnoise.groupwise.design_error",
    "leastnoise.groupwise.log_error",
    "leastnoise.groupwise.rounded_error",
    "leastnoise.groupwise.least_information",
    "leastnoise.groupwise.least_budget",
    "leastnoise.ledger.postgres_store",  # needs a server
    "leastnoise.ledger.postgres_connections",
    "leastnoise.release.spread.choosing_share",  # a poor choice costs accuracy alone
    "leastnoise.release.spread.chosen_bounds",
    "leastnoise.release.spread.seen_weights",
)
"""Modules of trusted folders on which no promise rests, or that few machines can test."""


def _in_rounds(module: str) -> list[Change]:
    """One change of each function, then a second of each, and so on."""
    functions: dict[str, list[Change]] = {}
    for each in sorted(changes_of(module), key=lambda change: change.rank):
        functions.setdefault(each.function, []).append(each)
    numbered = [(turn, each) for group in functions.values() for turn, each in enumerate(group)]
    numbered.sort(key=lambda pair: (pair[0], pair[1].rank))
    return [each for _, each in numbered[:MOST_IN_A_MODULE] if each.is_python]


MOST_IN_A_MODULE = 24
"""No module may crowd out the others of its folder."""

PARTS: dict[str, Part] = {
    "numeric": Part(("leastnoise.numeric",), (), 35, ("tests/numeric",)),
    "randomness": Part(
        ("leastnoise.randomness",), (), 35, ("tests/randomness", "tests/side_channels")
    ),
    "privacy": Part(("leastnoise.privacy",), (), 60, ("tests/privacy", "tests/accounting")),
    "noise": Part(("leastnoise.noise",), (), 50, ("tests/noise", "tests/laws")),
    "mechanisms": Part(
        ("leastnoise.mechanisms",),
        (),
        50,
        ("tests/mechanisms",),
        elsewhere=("leastnoise.mechanisms.joint", "leastnoise.mechanisms.over_time"),
    ),
    "joint": Part(
        ("leastnoise.mechanisms.joint",),
        (),
        60,
        (
            "tests/mechanisms/joint",
            "tests/mechanisms/test_joint_noise.py",
            "tests/mechanisms/test_path_losses.py",
            "tests/mechanisms/test_centred_gaussian.py",
            "tests/mechanisms/test_registry.py",
        ),
    ),
    "accounting": Part(
        ("leastnoise.accounting",), (), 30, ("tests/accounting", "tests/cli/test_account.py")
    ),
    "ledger": Part(("leastnoise.ledger",), (), 30, ("tests/ledger",)),
    "certificates": Part(
        (),
        (
            "leastnoise.certificates.check",
            "leastnoise.certificates.check_law",
            "leastnoise.certificates.check_dual",
            "leastnoise.certificates.check_stairs",
            "leastnoise.certificates.check_canonical",
            "leastnoise.certificates.chord_cost",
            "leastnoise.certificates.described_law",
            "leastnoise.certificates.problem",
            "leastnoise.certificates.from_text",
            "leastnoise.certificates.strict_json",
            "leastnoise.certificates.check_plan",
            "leastnoise.certificates.plan_certificate",
            "leastnoise.certificates.plan_claim",
            "leastnoise.certificates.plan_part",
            "leastnoise.certificates.plan_scope",
            "leastnoise.certificates.plan_spectrum",
            "leastnoise.certificates.plan_text",
            "leastnoise.certificates.tables_part",
        ),
        35,
        ("tests/certificates",),
    ),
    "tabulation": Part(("leastnoise.tabulation",), (), 30, ("tests/tabulation",)),
    "groupwise": Part(("leastnoise.groupwise",), (), 25, ("tests/groupwise",)),
    "release": Part(
        (),
        (
            "leastnoise.release.gate",
            "leastnoise.release.step.step",
            "leastnoise.release.step.step_price",
            "leastnoise.release.step.contribution",
            "leastnoise.release.step.count_price",
            "leastnoise.release.step.reach",
            "leastnoise.release.step.marginals_move",
            "leastnoise.release.draw.drawn",
            "leastnoise.release.draw.shown_groups",
            "leastnoise.release.draw.noisy_numbers",
            "leastnoise.release.draw.key_selection",
            "leastnoise.release.step.sensitivity",
            "leastnoise.release.step.aggregate",
            "leastnoise.release.ask.bounds",
            "leastnoise.release.ask.clip",
            "leastnoise.release.measure.sql.bounded_query",
            "leastnoise.release.measure.backends.duckdb_scans",
            "leastnoise.release.measure.sql.cells",
            "leastnoise.release.measure.sql.kept_rows",
            "leastnoise.release.measure.sql.sql_places",
            "leastnoise.release.measure.sql.sums",
            "leastnoise.release.measure.sql.unit_bounds",
            "leastnoise.release.step.asked",
            "leastnoise.release.step.bounds_used",
            "leastnoise.release.step.histograms",
            "leastnoise.release.measure.measure",
            "leastnoise.release.step.measurement",
            "leastnoise.release.step.unowned_rows",
            "leastnoise.release.measure.one_pass",
            "leastnoise.release.measure.one_row_units",
            "leastnoise.release.measure.added_parts",
            "leastnoise.release.measure.by_ranges",
            "leastnoise.release.measure.by_words",
            "leastnoise.release.measure.listed_units",
            "leastnoise.release.measure.part_pairs",
            "leastnoise.release.measure.sorted_words",
            "leastnoise.release.measure.word_pairs",
            "leastnoise.release.measure.pair_totals",
            "leastnoise.release.measure.sql.unit_words",
            "leastnoise.release.measure.sql.hashed_units",
            "leastnoise.release.measure.few_rows",
            "leastnoise.release.measure.chosen_pairs",
            "leastnoise.release.measure.unit_ranges",
            "leastnoise.release.measure.sql.packed_rows",
        ),
        70,
        (
            "tests/release/test_gate.py",
            "tests/release/test_gate_on_the_line.py",
            "tests/release/test_step_price.py",
            "tests/release/test_spread_gate.py",
            "tests/release/test_gate_two_stages.py",
            "tests/release/test_auto_bounds.py",
            "tests/release/test_distinct.py",
            "tests/release/test_named_bounds.py",
            "tests/release/test_bounds_of_questions.py",
            "tests/release/test_joint_gate.py",
            "tests/release/test_gate_joint.py",
            "tests/release/test_joint_plans.py",
            "tests/release/test_marginals_move.py",
            "tests/mechanisms/test_counted_partitions.py",
            "tests/release/test_private_counts.py",
            "tests/release/test_private_quantiles.py",
            "tests/release/test_rows_left_out.py",
            "tests/release/test_asked_by_mutants.py",
            "tests/release/test_plan.py",
            "tests/release/test_bounding.py",
            "tests/release/test_clip.py",
            "tests/release/test_clipped_units.py",
            "tests/release/test_histograms.py",
            "tests/release/test_measure.py",
            "tests/release/test_listed_groups.py",
            "tests/release/test_one_row_units.py",
            "tests/release/test_few_rows.py",
            "tests/release/test_prepare.py",
            "tests/release/test_prepared_words.py",
            "tests/release/test_nan_in_files.py",
            "tests/release/test_joined_keys.py",
            "tests/release/test_by_words.py",
            "tests/release/test_by_words_hostile.py",
            "tests/release/test_hashed_units.py",
            "tests/release/test_pair_totals.py",
            "tests/release/test_sorted_words.py",
            "tests/release/test_places_at_the_ends.py",
            "tests/release/test_questions.py",
            "tests/release/test_quantiles_question.py",
            "tests/release/test_plan_review.py",
        ),
        (
            "leastnoise.release.price.allocation",
            "leastnoise.release.price.centred_shares",
            "leastnoise.release.price.choosing",
            "leastnoise.release.price.dividing",
            "leastnoise.release.price.gaussian_shares",
            "leastnoise.release.price.joint_blocks",
            "leastnoise.release.price.priced_plan",
            "leastnoise.release.price.pure_shares",
            "leastnoise.release.questions.marginals",
            "leastnoise.release.questions.most_common",
        ),
    ),
    "spread": Part(
        ("leastnoise.release.spread",),
        (
            "leastnoise.release.measure.sql.hats",
            "leastnoise.release.measure.sql.spread_query",
            "leastnoise.release.measure.sql.unit_numbers",
            "leastnoise.release.measure.spread_pass",
            "leastnoise.release.step.unit_spread",
            "leastnoise.release.questions.bounded_question",
            "leastnoise.release.questions.cut_answers",
            "leastnoise.release.questions.lost_rows",
            "leastnoise.release.questions.least_squares",
            "leastnoise.release.questions.moments",
            "leastnoise.release.questions.regression",
        ),
        60,
        (
            "tests/release/test_unit_spread.py",
            "tests/release/test_spread_gate.py",
            "tests/release/test_hats.py",
            "tests/release/test_cut.py",
            "tests/release/test_chosen_bounds.py",
            "tests/release/test_auto_bounds.py",
            "tests/release/test_auto_values.py",
            "tests/release/test_chosen_range.py",
            "tests/release/test_bounds_of_questions.py",
            "tests/release/test_clipped_units.py",
            "tests/release/test_regression.py",
            "tests/release/test_tight_intervals.py",
            "tests/release/test_asked_by_mutants.py",
        ),
    ),
    "joins": Part(
        ("leastnoise.release.measure.rows",),
        (
            "leastnoise.release.measure.sources",
            "leastnoise.release.measure.sql.rows_sql",
            "leastnoise.release.measure.sql.pairs_sql",
            "leastnoise.release.measure.sql.per_unit_sql",
            "leastnoise.release.measure.backends.joined",
        ),
        45,
        (
            "tests/release/test_joins_enumerated.py",
            "tests/release/test_joins_engines.py::test_files_frames_and_a_database",
            "tests/release/test_joins_refused.py",
            "tests/release/test_joins_hostile.py",
            "tests/release/test_joins_plan.py",
            "tests/over_time/test_schedules_of_rows.py",
            "tests/release/dataset",
        ),
    ),
    "over_time": Part(
        ("leastnoise.certificates.over_time", "leastnoise.mechanisms.over_time"),
        (
            "leastnoise.release.stream_gate",
            "leastnoise.release.step.stream_step",
            "leastnoise.release.measure.sql.turn_rows",
            "leastnoise.release.draw.stream_drawn",
        ),
        55,
        ("tests/over_time",),
    ),
}
