"""How many records: this planner's answer beside published rules, and beside the impossible."""

from collections.abc import Iterator
from time import perf_counter

from benchmarks.row import Row
from leastnoise.planning import SampleSize, sample_size


def sample_size_rows() -> Iterator[Row]:
    """Records for the worst column and for the mean over the columns."""
    hundred = _asked(100, "0.05", "0")
    yield _against(hundred, "independent Laplace", 6.4)
    assert hundred[0].published is not None
    yield Row(
        _case(hundred),
        f"{hundred[0].records:,} records",
        f"4d/(εα): {hundred[0].published.records:,}",
        hundred[0].published.records / hundred[0].records,
    )
    yield _gap(hundred)
    for dimension in (1000, 100_000):
        asked = _asked(dimension, "0.01", "1e-6")
        yield _against(asked, "discrete Gaussian")
        yield _gap(asked)
    average = _asked(1000, "0.01", "0", worst=False)
    yield _against(average, "independent Laplace")
    yield _gap(average)


Asked = tuple[SampleSize, float]


def _asked(dimension: int, error: str, delta: str, *, worst: bool = True) -> Asked:
    """The answer, and how many seconds it took."""
    start = perf_counter()
    answer = sample_size(
        dimension=dimension,
        error=error,
        epsilon=1,
        delta=delta,
        objective="max" if worst else "average",
        confidence="0.95" if worst else None,
    )
    return answer, perf_counter() - start


def _case(asked: Asked) -> str:
    answer, seconds = asked
    title = f"{answer.task.words(answer.values, answer.error)}, {answer.task.promise}"
    return f"{title}; {seconds:.2g} s"


def _against(asked: Asked, rival: str, target: float | None = None) -> Row:
    answer = asked[0]
    records = {option.mechanism: option.records for option in answer.options}
    return Row(
        _case(asked),
        f"{answer.best.mechanism}: {answer.records:,} records",
        f"{rival}: {records[rival]:,}",
        records[rival] / answer.records,
        target=target,
    )


def _gap(asked: Asked) -> Row:
    answer = asked[0]
    return Row(
        _case(asked),
        f"{answer.records:,} records",
        f"impossible below {answer.impossible_below:,} ({answer.reason})",
        float(answer.gap),
    )
