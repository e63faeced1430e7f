"""A law of noise, alone or beside its rivals."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from leastnoise import _check
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.least_noise.scalar.rivals import Alternative
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric.cost import Cost
from leastnoise.pictures.lines import Row, axis, series
from leastnoise.pictures.names import capital, cost_words, free, number, plain_name, small
from leastnoise.pictures.palette import LINES
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.privacy.guarantee import exact_text

_WELL_INSIDE = Fraction(98, 100)  # of the draws are shown well
_MOST_PLACES = 600  # about a place per pixel
_MOST_RIVALS = 3  # with the law itself four lines
_ALIKE, _HOPELESS = 1.002, 50.0  # not worth a line of its own; that squash the others


def law_picture(law: LatticeLaw, *rivals: LatticeLaw) -> Picture:
    """The probabilities of a law, and of others if any are given."""
    for rival in rivals:
        if not isinstance(rival, LatticeLaw):
            raise _check.refuse(
                "a law is drawn beside other laws", f"a {type(rival).__name__}", "Give a law."
            )
    laws = {capital(plain_name(law)): law}
    for rival in rivals:
        laws[free(capital(plain_name(rival)), laws)] = rival
    return _drawn(laws, Fraction(1), "How likely each error is", "error (steps of the lattice)")


def optimal_noise_picture(mechanism: OptimalNoise) -> Picture:
    """The noise that was chosen beside the usual choices with the same promise."""
    laws = {f"{capital(plain_name(mechanism.law))} (chosen)": mechanism.law}
    for rival in _worth_showing(mechanism.alternatives()):
        more = _more(rival.ratio, mechanism.problem.cost)
        laws[f"{capital(plain_name(rival.law))}: {more}"] = rival.law
    title = f"The least noise for {_promise(mechanism)}"
    return _drawn(laws, mechanism.problem.step, title, "error (units of the answer)")


def _promise(mechanism: OptimalNoise) -> str:
    problem = mechanism.problem
    delta = f", δ = {small(exact_text(problem.delta))}" if problem.delta else ""
    reach = number(float(problem.sensitivity * problem.step))
    return f"ε = {exact_text(problem.epsilon)}{delta}, sensitivity {reach}"


def _worth_showing(rivals: tuple[Alternative, ...]) -> list[Alternative]:
    """Those that could be meant, and only one of any that are as good as each other."""
    found: list[Alternative] = []
    for rival in rivals:  # the cheapest first
        last = found[-1].ratio if found else 1.0
        if last * _ALIKE < rival.ratio < _HOPELESS:
            found.append(rival)
    return found[:_MOST_RIVALS]


def _more(ratio: float, cost: Cost) -> str:
    what = cost_words(cost)
    if ratio >= 2:
        return f"{ratio:.1f} times the {what}"
    return f"{what} larger by {100 * (ratio - 1):.2g} %"


def _drawn(laws: Mapping[str, LatticeLaw], step: Fraction, title: str, unit: str) -> Picture:
    first = next(iter(laws.values()))
    places = _places(first)
    rows: list[Row] = [
        {"error": float(k * step), "chance": float(law.pmf(k)), "series": name}
        for name, law in laws.items()
        for k in places
    ]
    body = {
        "width": 520,
        "height": 300,
        "data": {"values": rows},
        "layer": [
            {"transform": [{"filter": {"field": "series", "equal": next(iter(laws))}}],
             "mark": {"type": "area", "interpolate": "step", "opacity": 0.12, "color": LINES[0]}},
            {"mark": {"type": "line", "interpolate": "step", "strokeWidth": 2},
             "encoding": series(list(laws))},
        ],
        "encoding": {
            "x": axis("error", unit, scale={"nice": False}),
            "y": axis("chance", "probability of exactly this error", stack=None),
        },
    }  # fmt: skip
    words = f"{title if len(laws) > 1 else 'How likely each error is'}. " + " ".join(
        f"{name}: at most {number(float(law.quantile(Fraction(95, 100)) * step))} in 95 of 100 "
        "answers."
        for name, law in laws.items()
    )
    return drawn(body, title=title, words=words)


def _places(law: LatticeLaw) -> range:
    """The integers around 0 that the law mostly draws, thinned out if there are too many."""
    reach = ceil(1.6 * law.quantile(_WELL_INSIDE)) + 2
    stride = -(-2 * reach // _MOST_PLACES)
    return range(-(reach // stride) * stride, reach + 1, stride)
