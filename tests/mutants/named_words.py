"""Changes written by hand in what bounds units of large tables by sorting one word per row."""

from tests.mutants.mistake import Named

WORDS: tuple[Named, ...] = (
    Named(
        "leastnoise.release.measure.by_words",
        "found_by_words",
        "    words.sort(kind=session.sorting)\n",
        "    _ = session.sorting\n",
        "rows of a unit are not side by side, and it is bounded wherever some of them are",
    ),
    Named(
        "leastnoise.release.measure.word_pairs",
        "parts_of_words",
        "            end = start + int(np.searchsorted(words[start:], last - below))\n",
        "            last, end = last, end\n",
        "a unit is in two parts, and bounded twice",
    ),
    Named(
        "leastnoise.release.measure.by_words",
        "_Part._hashes",
        '"u": self._rows.units(names) + self._rows.least,',
        '"u": self._rows.units(names),',
        "groups are chosen by how far a unit is above the least, which shifts when that one leaves",
    ),
    Named(
        "leastnoise.release.measure.by_words",
        "_Part._hashes",
        "        hashes[order] = found.view(np.uint64)\n",
        "        hashes[:] = np.sort(found.view(np.uint64))\n",
        "groups are chosen by their place among others' hashes, not by their own",
    ),
    Named(
        "leastnoise.release.measure.word_pairs",
        "_first_by_all_bits",
        "np.lexsort((hashes, owner))",
        "np.lexsort((-np.arange(len(owner)), hashes, owner))",
        "of groups with equal hashes others count than elsewhere",
    ),
    Named(
        "leastnoise.release.measure.word_pairs",
        "_first_by_words",
        "clear[more[words[last] >> low == words[last + 1] >> low]] = False",
        "clear[more[words[last] >> low == words[last + 1] >> low]] = True",
        "groups that share some bits of their hashes are chosen by their place",
    ),
    Named(
        "leastnoise.release.measure.pair_totals",
        "_bounded",
        "return np.sign(values) * (np.abs(values) * most // rows)",
        "return values",
        "a pair with more rows than count adds all of them",
    ),
    Named(
        "leastnoise.release.measure.pair_totals",
        "_bounded",
        "np.sign(values) * (np.abs(values) * most // rows)",
        "values * most // rows",
        "negative sums are rounded away from 0, beyond the bound",
    ),
    Named(
        "leastnoise.release.measure.pair_totals",
        "_fits",
        'return one * min(rows, bounds.max_rows) * max(rows, len(pairs["k0"])) < _FITTING',
        "return one * rows < _FITTING",
        "products of a sum and a bound leave 63 bits, and come back as other numbers",
    ),
    Named(
        "leastnoise.release.measure.sql.unit_words",
        "UnitWords.select",
        "({grid.least - 1})",
        "({grid.least})",
        "a value at the lower end of its grid is taken for a missing one",
    ),
    Named(
        "leastnoise.release.measure.sql.unit_words",
        "_moved",
        'f"CAST({{}} AS UBIGINT) * CAST({1 << shift} AS UBIGINT)"',
        'f"CAST(CAST({{}} AS HUGEINT) * {1 << shift} % {1 << 64} AS UBIGINT)"',
        "a unit beyond the ends of the first look shares its word with another",
    ),
    Named(
        "leastnoise.release.measure.by_words",
        "_Part.spread",
        "np.where(count, 1, bounds.max_groups + 1)",
        "np.where(count, 1, 1)",
        "what is lost of units is told as nothing",
    ),
    Named(
        "leastnoise.release.measure.sql.cells",
        "Cells._join_texts",
        "ON g = a.h AND COALESCE({}) = a.c0",
        "ON COALESCE({}) = a.c0",
        "a text that is a key of two groupings counts twice in each",
    ),
    Named(
        "leastnoise.release.measure.backends.duckdb_scans",
        "parquet_scan",
        ", can_have_nan=true)",
        ")",
        "the values of some rows decide whether NaN of others is a value",
    ),
)
