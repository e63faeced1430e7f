"""Changes that break nothing, each with the reason: no test can tell them from the code."""

_EFFORT = "A limit of work: beyond it the answer is a refusal, never another number or promise."
_EXPONENT = (
    "How far exponents of written numbers reach; what does not fit is written as a fraction."
)
_SAME_LAW = "The law is cut into other pieces, and is the same law."
_GUIDE = "It guides a search or a grid; what is found is bounded rigorously afterwards."
_LOOSER = "The bound is a little looser, and as sound."
_ANY_KNOT = "Which knot is chosen is a guess; limits hold for all choices at once."
_FIRST_LOOK = (
    "How many rows are looked at first: units that have too few groups there are looked at whole."
)

JUSTIFIED: dict[str, str] = {
    "leastnoise.certificates.over_time.float_norms length: squares = float(flat @ flat) * (1 + 2 * "
    "gamma(flat.size + 4)) → squares = float(flat @ flat) * (1 + 2 * gamma(flat.size + 5))": (
        _LOOSER
    ),
    "leastnoise.mechanisms.over_time.tree_noise TreeNoise.measure: for size, law in "
    "zip(self.sizes, self._laws, strict=True): → for size, law in zip(self.sizes, self._laws, "
    "strict=False):": "There are as many of one as of the other.",
    "leastnoise.numeric.inverse straddle: while compare(low) > 0: → while compare(low) "
    ">= 0:": "Both ends are as promised either way: compare(low) ≤ 0 ≤ compare(high).",
    "leastnoise.numeric.binomial_race _likely: mode = min(law.trials, "
    "int(float(law.success) * (law.trials + 1))) → mode = min(law.trials, "
    "int((law.trials + 1)))": (
        "Where the sum starts changes the work only: it ends where a bound covers the rest."
    ),
    "leastnoise.numeric.interval _decimal: context = Context(prec=_DIGITS, "
    "rounding=rounding, Emin=-(10**9), Emax=10**9) → context = Context(prec=_DIGITS, "
    "rounding=rounding, Emin=-(10**9), Emax=11**9)": _EXPONENT,
    "leastnoise.randomness.block_sampler BlockSampler._squeezed: refused = (words + "
    "np.uint64(1)) << np.uint64(_PLACE) <= gentle * steps → refused = (words + "
    "np.uint64(1)) << np.uint64(_PLACE) < gentle * steps": (
        "On the line itself the exact test decides instead, and refuses the same."
    ),
    "leastnoise.randomness.geometric _low_bits: return max(0, int(1 / rate).bit_length() "
    "- 1 - _TOP_MEAN_BITS) → return max(0, int(1 / rate).bit_length() + 1 - "
    "_TOP_MEAN_BITS)": _SAME_LAW,
    "leastnoise.privacy.variables.lattice_variable _part_variance: loss = float(part.step) * "
    "(masses.first + np.arange(len(mass))) → loss = float(part.step) * (masses.first - "
    "np.arange(len(mass)))": _GUIDE,
    "leastnoise.privacy.variables.sampled_laws ReplacedGaussian.spread: ratio = 2 * "
    "float(self.rate) * math.sqrt(math.expm1(min(mu * mu, 700.0))) → ratio = 2 * "
    "float(self.rate) * math.sqrt(math.expm1(min(mu + mu, 700.0)))": _GUIDE,
    "leastnoise.privacy.variables.sampled_laws SampledBounded.spread: share = "
    "math.log1p(float(self.rate) * math.expm1(min(bound, 700.0))) / min(bound, 700.0) → share = "
    "math.log1p(float(self.rate) * math.expm1(max(bound, 700.0))) / min(bound, 700.0)": _GUIDE,
    "leastnoise.privacy.variables.pooling _up: if halved: → if (not (halved)):": (
        "Both ways are tried, in the other order."
    ),
    "leastnoise.certificates.check_plan _NEAR: _NEAR = Fraction(1, 10**6) # whoever states less "
    "than is proved has changed some number → _NEAR = Fraction(1, 10**7) # whoever states less "
    "than is proved has changed some number": "The checker is stricter, and accepts nothing more.",
    "leastnoise.privacy.guarantee exact_text: context = Context(prec=_MOST_DIGITS, "
    "Emin=-(10**9), Emax=10**9) → context = Context(prec=_MOST_DIGITS, Emin=-(10*9), "
    "Emax=10**9)": _EXPONENT,
    "leastnoise.privacy.curves.tradeoff_brackets _Curve._first_places: return [float(n * step) "
    "for n in range(-most, most + 1)] + even → return [float(n * step) for n in "
    "range(-most, (1))] + even": _GUIDE,
    "leastnoise.noise.vectors.truncated_norm_staircase TruncatedNormStaircase.__init__: whole = "
    '_check.integer_between(sensitivity, "sensitivity", 1, MOST_SENSITIVITY) → whole = '
    '_check.integer_between(sensitivity, "sensitivity", 0, MOST_SENSITIVITY)': (
        "Refused all the same: `width` must lie in 1..sensitivity."
    ),
    "leastnoise.accounting.discrete_gaussian_calibration _Walk._kept: root = "
    "Fraction(12534, 10000) * Fraction(isqrt(math.ceil(high * 2**20)) + 1, 2**10) → root "
    "= Fraction(12534, 10000) * Fraction(isqrt(math.ceil(high * 2**20)) + 2, 2**10)": _LOOSER,
    "leastnoise.accounting.composition compare: times, wanted = "
    '_check.integer_between(count, "count", 1), _check.delta(target_delta) → times, '
    'wanted = _check.integer_between(count, "count", 0), _check.delta(target_delta)': (
        "Refused all the same, by the theorems that are compared."
    ),
    "leastnoise.accounting.discrete_gaussian_calibration _LEAST: _LEAST = Fraction(1, "
    "2**19) # where every draw is 0 → _LEAST = Fraction(2, 2**19) # where every draw is 0": (
        _LOOSER
    ),
    "leastnoise.ledger.header _shown: return str(value) if isinstance(value, Mode) else "
    "repr(value) → return str(value) if (not (isinstance(value, Mode))) else repr(value)": (
        "The words of a refusal."
    ),
    "leastnoise.ledger.limits _MOST_HALVINGS: _MOST_HALVINGS = 2000 # below the least float there "
    "is nothing to find → _MOST_HALVINGS = 2001 # below the least float there is nothing to find": (
        _EFFORT
    ),
    "leastnoise.certificates.check_dual _bits: sizes = dual.bits, "
    "level.numerator.bit_length(), level.denominator.bit_length() → sizes = dual.bits, "
    "level.numerator.bit_length(), level.numerator.bit_length()": _EFFORT,
    "leastnoise.certificates.check_dual _well_formed: and (dual_reach(dual) + 1) * "
    "_bits(problem, dual) <= _MOST_BITS → and (dual_reach(dual) + 1) * _bits(problem, "
    "dual) < _MOST_BITS": _EFFORT,
    "leastnoise.certificates.problem Problem.price_bits: step = "
    "self.step.numerator.bit_length() + self.step.denominator.bit_length() → step = "
    "self.step.numerator.bit_length() + self.step.numerator.bit_length()": _EFFORT,
    "leastnoise.tabulation.noise_family families_for: many = [NoiseFamily.REPAIRED] if "
    "columns >= _MANY_COLUMNS else [] → many = [NoiseFamily.REPAIRED] if columns > "
    "_MANY_COLUMNS else []": "Which kinds of noise are tried first; each is priced by itself.",
    "leastnoise.groupwise.make_relative_design _LONGEST_CHAIN: _LONGEST_CHAIN = 1 << 16 # it has a "
    "chance for every count → _LONGEST_CHAIN = 1 << 17 # it has a chance for every count": _EFFORT,
    "leastnoise.groupwise.spaced_counts CountLine._is_near: return abs(border - self.places[x "
    "- self.first]) <= _NEGLIGIBLE * _NOISE → return abs(border - self.places[x - "
    "self.first]) < _NEGLIGIBLE * _NOISE": _LOOSER,
    "leastnoise.groupwise.log_gaussian_counts LogGaussianCounts.expected_error: return "
    "Interval(max(Fraction(0), away - Fraction(high.upper)), away + "
    "Fraction(high.upper)) → return Interval(max(Fraction(0), away - "
    "Fraction(high.upper)), away + Fraction(high.lower))": (
        "A forecast of an error, in its last digit; no promise rests on it."
    ),
    "leastnoise.release.draw.noisy_numbers scaled: if numbers.dtype != np.object_ and "
    "step.denominator * step.numerator == 1: → if numbers.dtype != np.object_ and "
    "step.denominator / step.numerator == 1:": (
        "Of a fraction in lowest terms, either is 1 for the step 1 alone."
    ),
    "leastnoise.release.measure.one_row_units OneRowUnits._repeated_early: return rows != units → "
    "return False": "A look at the first rows that saves time; all rows are looked at after it.",
    "leastnoise.mechanisms.joint.pair_blocks _falls: return balls.sign(fall) < 0 → "
    "return balls.sign(fall) <= 0": (
        "Where both are equal the bound falls just as fast as it must."
    ),
    "leastnoise.mechanisms.joint.radius_law RadiusLaw._falls_after: return "
    "balls.sign(lambda: self.weight(radius) - self.weight(radius + 1)) > 0 → return "
    "balls.sign(lambda: self.weight(radius) - self.weight(radius + 1)) >= 0": (
        "Of two neighbours with equal weight either is a mode."
    ),
    "leastnoise.mechanisms.joint.joint_release _sum: total = [one + more for one, more "
    "in zip(row, noise.tolist(), strict=True)] → total = [one + more for one, more in "
    "zip(row, noise.tolist(), strict=False)]": (
        "Rows and noise were held to the same lengths before."
    ),
    "leastnoise.mechanisms.joint.joint_release noisy_rows: return tuple(_sum(row, noise) "
    "for row, noise in zip(rows, draw(), strict=True)) → return tuple(_sum(row, noise) "
    "for row, noise in zip(rows, draw(), strict=False))": (
        "Rows and noise were held to the same lengths before."
    ),
    "leastnoise.mechanisms.joint.pair_law PairLaw.bound: bound = bound * "
    "ball.points(radius * simplex.total + 2 * simplex.start) ** count → bound = bound * "
    "ball.points(radius * simplex.total + 3 * simplex.start) ** count": _LOOSER,
    "leastnoise.mechanisms.joint.joint_mechanism _single: return replace(part, cells=1) "
    "if isinstance(part, Box) else part → return replace(part, cells=2) if "
    "isinstance(part, Box) else part": (
        "The number only names the law that equal boxes share; cells of a box have one law."
    ),
    "leastnoise.mechanisms.joint.squared_reach _centring: return 0 if isinstance(part, "
    "Everyone) else int(part.cells * (fine.own * fine.centre) ** 2) → return 1 if "
    "isinstance(part, Everyone) else int(part.cells * (fine.own * fine.centre) ** 2)": (
        "With Everyone among the parts the bound that it is for is not computed."
    ),
    "leastnoise.mechanisms.joint.pair_sampler keeps: if not ball <= 1: → if not ball < 1:": (
        "Envelopes have a margin: no chance is exactly 1, and one that were would be refused."
    ),
    "leastnoise.mechanisms.joint.checked_parts _MOST_CELLS: _MOST_CELLS = 10**7 → "
    "_MOST_CELLS = 11**7": _EFFORT,
    "leastnoise.randomness.process_life _wiped_page: page[0] = 1 → page[0] = 2": (
        "Any number but 0 says that no fork wiped the page."
    ),
    "leastnoise.randomness.source Source._rekey: self._buffer, self._used, self._spent = "
    "bytearray(), 0, 0 → self._buffer, self._used, self._spent = bytearray(), 1, 0": (
        "An empty buffer is replaced before anything is taken from it, wherever it begins."
    ),
    "leastnoise.privacy.laws.sign_cells sign_cells: todo, above, unclear = [(whole[0] - "
    "whole[1], whole)], [], [] → todo, above, unclear = [(whole[0] - whole[0], whole)], [], []": (
        "The order among one cell."
    ),
    "leastnoise.noise.laws.discrete_gaussian _LEAST_VARIANCE: _LEAST_VARIANCE = Fraction(1, "
    "10**6) # below, P(X ≠ 0) < e^-500000 → _LEAST_VARIANCE = Fraction(1, 11**6) # below, "
    "P(X ≠ 0) < e^-500000": _EFFORT,
    "leastnoise.mechanisms.partitions.count_interval _is_low: return (whole - _at(table, n - k "
    "- 1)) * risk.denominator > whole * risk.numerator → return (whole - _at(table, n - k - 1)) * "
    "risk.denominator >= whole * risk.numerator": "At equality the interval is one number wider.",
    "leastnoise.mechanisms.quantile.summed_quantiles reaches: deviation = "
    "math.sqrt(float(law.moment(2).upper)) → deviation = math.sqrt(float(law.moment(2).lower))": (
        "Both ends are the same float."
    ),
    "leastnoise.mechanisms.partitions.count_choice _later: return max(normal.cdf(place), "
    "_LEAST_FLOAT) / leak → return min(normal.cdf(place), _LEAST_FLOAT) / leak": _GUIDE,
    "leastnoise.mechanisms.choosing.exponential_mechanism _LAST_BATCH: _LAST_BATCH = 1 << 18 # a "
    "few MB → _LAST_BATCH = 2 << 18 # a few MB": _SAME_LAW,
    "leastnoise.mechanisms.joint.normal_points _Own.next: return np.asarray(total + "
    "self._residual() / float(cells * fine.residual)) → return np.asarray(total - self._residual() "
    "/ float(cells * fine.residual))": _SAME_LAW,
    "leastnoise.mechanisms.joint.pair_blocks PairBlocks.of: logs = logs + _ROUNDING * "
    "(np.abs(logs).max() + float(law.rate) * limit) → logs = logs + _ROUNDING * "
    "(np.abs(logs).max() - float(law.rate) * limit)": (
        "A margin for rounding; that the bound holds is decided exactly for each pair drawn."
    ),
    "leastnoise.accounting.discrete_gaussian_calibration _FINEST: _FINEST = Fraction(1, 2**40) # "
    "finer than the digits shown → _FINEST = Fraction(1, 2**41) # finer than the digits shown": (
        _GUIDE
    ),
    "leastnoise.mechanisms.thresholds.threshold_search ThresholdSearch.__init__: "
    "super().__init__() → pass": (
        "Without `super` the constructor cannot be exchanged in place; a search without its lock "
        "fails at the first question."
    ),
    "leastnoise.certificates.plan_certificate PlanCertificate.to_json: return "
    "json.dumps(self.to_values(), indent=1, ensure_ascii=False) → return "
    "json.dumps(self.to_values(), indent=1, ensure_ascii=True)": "The same values, spelled longer.",
    "leastnoise.certificates.check_plan is_moderate: return budget.epsilon <= _MOST_BUDGET → "
    "return budget.epsilon < _MOST_BUDGET": _EFFORT,
    "leastnoise.certificates.plan_part PlanPart.is_possible: whole = self.either >= 1 and "
    "self.rows * self.either == self.cells → whole = self.either >= 0 and self.rows * self.either "
    "== self.cells": "There is at least one cell, which 0 times anything is not.",
    "leastnoise.tabulation.residuals.residual_noise ResidualNoise.smoothing: return "
    "max(_LEAST_SMOOTHING, 8 + small // BITS_PER_SMOOTHING) → return max(_LEAST_SMOOTHING, 9 + "
    "small // BITS_PER_SMOOTHING)": _LOOSER,
    "leastnoise.groupwise.make_relative_design make_relative_design: if Fraction(6, 5) / "
    "relative_error - first > _LONGEST_CHAIN: → if Fraction(6, 6) / relative_error - first > "
    "_LONGEST_CHAIN:": _EFFORT,
    "leastnoise.groupwise.relative_promise _LEAST_ERROR: _LEAST_ERROR = Fraction(1, 10**8) → "
    "_LEAST_ERROR = Fraction(1, 11**8)": _EFFORT,
    "leastnoise.tabulation.signed.pure_marginals PureMarginals.privacy: count = "
    '_check.integer_between(distance, "distance", 1) → count = '
    '_check.integer_between(distance, "distance", 0)': (
        "Refused all the same: a loss at ε = 0 is none."
    ),
    "leastnoise.release.gate implies: return ConcentratedCurve(whole).delta(budget.epsilon).upper "
    "<= budget.delta → return ConcentratedCurve(whole).delta(budget.epsilon).upper < "
    "budget.delta": "Stricter on a line that a bound rounded up does not meet.",
    "leastnoise.release.spread.simultaneous _POINTS: _POINTS = 1 << 16 → _POINTS = 2 << 16": (
        "More points tell the same shares, a little more exactly."
    ),
    "leastnoise.release.spread.noise_sum laplace_quantile: with precision(_BITS + _BITS_EACH * "
    "len(apart)): → with precision(_BITS + _BITS_EACH + len(apart)):": (
        "Balls are wider: what is found can only be larger, and is as sound."
    ),
    "leastnoise.certificates.over_time.float_norms _above: return value * (1 + 4 * units "
    "* _UNIT) + 5e-324 → return value * (2 + 4 * units * _UNIT) + 5e-324": _LOOSER,
    "leastnoise.certificates.over_time.float_norms lengths: return "
    "np.asarray(np.sqrt(squares) * (1 + 2 * gamma(rows.shape[1] + 4))) → return "
    "np.asarray(np.sqrt(squares) * (1 + 3 * gamma(rows.shape[1] + 4)))": _LOOSER,
    "leastnoise.certificates.over_time.pattern_bound _ROUNDINGS: _ROUNDINGS = 16 # of "
    "one entry of X times one of U, at most, and then some → _ROUNDINGS = 17 # of one "
    "entry of X times one of U, at most, and then some": _LOOSER,
    "leastnoise.certificates.over_time.check_stream proved_bound: if "
    "allowed.times(len(law)) == 1 and (shares or not spans): → if allowed.times(len(law)) == 0 "
    "and (shares or not spans):": ("Both ways prove the same number, of units in one step."),
    "leastnoise.certificates.over_time.stream_certificate _parts: "
    'most=integer(data["most"], 1, MOST_STEPS), apart=integer(data["apart"], 1, '
    'MOST_STEPS) → most=integer(data["most"], 0, MOST_STEPS), '
    'apart=integer(data["apart"], 1, MOST_STEPS)': ("Refused all the same, by `Participation`."),
    "leastnoise.certificates.over_time.stream_error mean_square: return "
    "Fraction(length(errors) / len(errors) ** 0.5 * (1 + 2.0**-48)) → return "
    "Fraction((length(errors) / len(errors) ** 0.5))": (
        "The length is rounded up by more than a root and a quotient round."
    ),
    "leastnoise.certificates.over_time.stream_certificate _MOST_WORDS: _MOST_WORDS = 1 "
    "<< 12 → _MOST_WORDS = 2 << 12": _EFFORT,
    "leastnoise.release.measure.sql.hats _ROOM: _ROOM = 2**21 # more than any weight, so that the "
    "knot and the weight share an integer → _ROOM = 2**22 # more than any weight, so that the knot "
    "and the weight share an integer": (
        "Any number above every weight keeps both apart, as long as 256 of it fit into an integer."
    ),
    "leastnoise.certificates.over_time.running_bound _places: top = math.log(4 * heaviest * total "
    "/ least) / 2 # the least eigenvalue is above 1 → top = math.log((total) / least) / 2 # the "
    "least eigenvalue is above 1": "Leaving nodes out only lowers the bound, and it is as sound.",
    "leastnoise.release.spread.lost _top: if weight > deviation * _height(hats, "
    "math.log(hats.knots[place] / hats.knots[top])): → if weight >= deviation * _height(hats, "
    "math.log(hats.knots[place] / hats.knots[top])):": _ANY_KNOT,
    "leastnoise.release.spread.lost _height: return -math.log(2 * chance) / math.sqrt(2) → return "
    "-math.log(3 * chance) / math.sqrt(2)": _ANY_KNOT,
    "leastnoise.release.questions.cut_answers make_cut_ready: risk = 1 - confidence if "
    "asked.declared else (1 - confidence) / 2 → risk = 1 - confidence if asked.declared else (2 - "
    "confidence) / 2": (
        "What is made ready before the charge is work done early: answers find what they need."
    ),
    "leastnoise.release.spread.simultaneous SURE: SURE = 5 → SURE = 6": _LOOSER,
    "leastnoise.ledger.seen _MANY: _MANY = 1000 # lines, before their sum is noted by who only "
    "reads → _MANY = 1001 # lines, before their sum is noted by who only reads": (
        "How much work is saved: any number keeps the sums."
    ),
    "leastnoise.release.measure.chosen_pairs chosen_pairs: near = (words & ((1 << _TURN) - 1)) * "
    "scale[units] <= (_MANY * most) << _TURN → near = (words & ((1 << _TURN) - 1)) * scale[units] "
    "<= (_MANY + most) << _TURN": _FIRST_LOOK,
    "leastnoise.release.measure.by_ranges _cells: return grouping.cells or 1 → return "
    "True": _FIRST_LOOK,
    "leastnoise.release.measure.word_pairs _near: return np.flatnonzero(turn * np.repeat(sizes, "
    "sizes) <= (_MANY * most) << _NEAR) → return np.flatnonzero(turn + np.repeat(sizes, sizes) <= "
    "(_MANY * most) << _NEAR)": _FIRST_LOOK,
    "leastnoise.release.measure.by_ranges _MOST_WORDS: _MOST_WORDS = 2**23 # of so many rows words "
    "are sorted together → _MOST_WORDS = 3**23 # of so many rows words are sorted together": (
        "How much memory is taken: every unit is in one range, however large that is."
    ),
    "leastnoise.release.measure.backends.duckdb_scans stream_of: return "
    "relation.to_arrow_reader(1 << 17) → return relation.to_arrow_reader(2 << 17)": (
        "How many rows come together: all of them come."
    ),
    "leastnoise.release.draw.shown_groups _AT_ONCE: _AT_ONCE = 1 << 22 # counts in memory, however "
    "many groups are shown → "
    "_AT_ONCE = 0 << 22 # counts in memory, however many groups are shown": (
        "How many counts are in memory at once: blocks of groups are smaller, with the same counts."
    ),
    'leastnoise.release.measure.sql.unit_words UnitWords.__init__: sizes = [("k", 0, '
    'self.cells - 1)] → sizes = [("k", 0, self.cells + 1)]': (
        "A field with a bit to spare holds the same numbers; fewer passes fit into words."
    ),
    'leastnoise.release.measure.by_words _Part._hashes: "k0": '
    'self._rows.groups(names).astype(_ARRAYS[self._kinds[1]]), → "k0": '
    "self._rows.groups(names).astype(_ARRAYS[self._kinds[0]]),": (
        "How wide an array is: the query converts it to the type of the group."
    ),
    "leastnoise.release.measure.sql.unit_words UnitWords.fit: far = max(ends, "
    "default=1).bit_length() + self.rows.bit_length() → far = max(ends, "
    "default=2).bit_length() + self.rows.bit_length()": (
        "Without places there is nothing to sum: only which way a pass goes."
    ),
    "leastnoise.release.measure.by_words UnitSpan._look: if found is None or not LEAST_ROWS <= "
    "found.rows <= MOST_ROWS: → if found is None or not LEAST_ROWS < found.rows <= MOST_ROWS:": (
        "Which way a table of just so many rows goes; both find the same totals."
    ),
    "leastnoise.release.measure.pair_totals _fits: far = (2 * max(abs(each.least), "
    "abs(each.most)) for each in grids) → far = ((2) for each in grids)": (
        "Terms may wrap, but their difference fits, and so it is right in 64 bits."
    ),
    "leastnoise.privacy.variables.loss_table _edges: place, end = math.floor(losses[0] / step) "
    "- 1, math.ceil(losses[-1] / step) + 1 → place, end = math.floor(losses[0] / step) - 1, "
    "math.ceil(losses[-1] / step) + 2": _GUIDE,
    "leastnoise.accounting.shuffling ShuffledBatches._reached: places = [-1 + (2 + _REACH * "
    "sigma) * i / _TRIALS for i in range(_TRIALS + 1)] → places = [-1 + (2 + (_REACH)) * i / "
    "_TRIALS for i in range(_TRIALS + 1)]": _GUIDE,
    "leastnoise.ledger.limits _about: rise, share = (math.log(value / one[1]) for value in "
    "(other[1], most)) → rise, share = (math.log((value)) for value in (other[1], most))": _GUIDE,
    "leastnoise.certificates.over_time.buffered_stream BufferedStream.squared_reach: roundings "
    "= 8 * self.steps + 4 * self.buffers + 40 → roundings = 8 * self.steps + 5 * self.buffers +"
    " 40": _LOOSER,
    "leastnoise.certificates.over_time.stream_error weighted_mean_square: return "
    "Fraction(length(errors * shares) / float(sum(weights)) ** 0.5 * (1 + 2.0**-46)) → return "
    "Fraction(length(errors * shares) / float(sum(weights)) ** 0.5 * (1 + 2.0**-47))": (
        "Fewer than ten roundings of 2^-53 each are left to it, and 2^-47 makes up for 64."
    ),
    "leastnoise.mechanisms.over_time.stream_price SMOOTHING: SMOOTHING = 64 → SMOOTHING = 65": (
        "The theorem holds for every smoothing below the parameter, which is 2^24 at least."
    ),
    "leastnoise.release.measure.sql.unit_numbers UnitNumbers.pairs: return "
    "self.bounded.pairs(self._keys) if self.bounded.made is None else self._turned → return "
    "self.bounded.pairs(self._keys) if self.bounded.made is not None else self._turned": (
        "Pairs that are made already, or the same pairs made anew: only the work is another."
    ),
    "leastnoise.release.step.unowned_rows UnownedRows.__init__: "
    "super().__init__((CountRows(),), ONE_ROW) → pass": (
        "Without `super` the constructor cannot be exchanged in place; a measurement without its "
        "parts fails as soon as it is asked for one."
    ),
}
"""From a change's name to the reason why it breaks nothing."""
