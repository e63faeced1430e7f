"""Noise that somebody else can know."""

import json
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tests.museum.evidence import Sampled, generator
from tests.museum.exhibit import exhibit
from tests.run_python import run_python

SEEDS = 1 << 12


@exhibit(Sampled(neighbours=(0, 1), samples=1000))
def noise_with_a_seed(value: int, *, size: int) -> NDArray[np.float64]:
    """A seed for repeatable tests stayed in: the noise is a known constant.

    Shown by: GarfinkelLeclerc2020, DiffprivlibSeeds2022.
    """
    return np.array([value + np.random.default_rng(42).laplace() for _ in range(size)])


@lru_cache
def all_noises() -> NDArray[np.float64]:
    return np.sort([np.random.default_rng(seed).laplace() for seed in range(SEEDS)])


@exhibit(Sampled(neighbours=(0, 1), samples=2000))
def noise_with_a_guessable_seed(value: int, *, size: int) -> NDArray[np.bool_]:
    """The seed is drawn from a few thousand (the time of day, a process number): an attacker tries
    all of them and sees which values can have led to the release.

    Shown by: GarfinkelLeclerc2020.
    """
    released = value + all_noises()[generator().integers(SEEDS, size=size)]
    return np.isin(released, all_noises())


@exhibit(Sampled(neighbours=(("ann",), ("ann", "bob")), samples=1000))
def noise_that_sticks_to_the_data(names: tuple[str, ...], *, size: int) -> NDArray[np.float64]:
    """The noise is a function of who is in the group, so that the same question gets the same
    answer: whoever can guess the group recognises it.

    Shown by: GadottiHoussiauRocherLivshitsDeMontjoye2019.
    """
    sticky = np.random.default_rng(int.from_bytes("".join(names).encode(), "big"))
    return np.full(size, len(names) + sticky.laplace())


WORKERS = """
    import json, os
    import numpy as np
    numbers = np.random.default_rng()
    answers = []
    for value in {values}:
        reading, writing = os.pipe()
        if not os.fork():
            os.write(writing, json.dumps((value + numbers.laplace(size={count})).tolist()).encode())
            os._exit(0)
        os.close(writing)
        answers.append(json.load(os.fdopen(reading)))
        os.wait()
    print(json.dumps([one - other for one, other in zip(*answers)]))
"""


@exhibit(Sampled(neighbours=((5, 5), (5, 6)), epsilon=2, samples=1000))
def noise_repeated_after_a_fork(values: tuple[int, int], *, size: int) -> NDArray[np.float64]:
    """Two worker processes inherit one generator and draw the same noise: the difference of their
    answers is exact.

    Shown by: OpenDpFork2026, GarfinkelLeclerc2020.
    """
    answers = json.loads(run_python(WORKERS.format(count=size, values=values)))
    return np.rint(np.array(answers, dtype=np.float64))


@exhibit(Sampled(neighbours=(0, 1), samples=2000))
def noise_that_takes_its_time(value: int, *, size: int) -> NDArray[np.int64]:
    """A two-sided geometric draw by tossing coins until one fails: who can time it knows the size
    of the noise, and so the value up to a sign.

    Shown by: JinMcMurtryRubinsteinOhrimenko2022.
    """
    tosses = generator().geometric(0.5, size=size) - 1
    released = value + np.where(generator().random(size) < 0.5, tosses, -tosses)
    return np.minimum(np.abs(released - tosses), np.abs(released + tosses))
