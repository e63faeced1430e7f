"""Mistakes that a ledger with running totals invites."""

from tests.mutants.mistake import Named

LEDGER: tuple[Named, ...] = (
    Named(
        "leastnoise.ledger.budget",
        "Budget.charge",
        "seen.totals.refuse(event)\n            return seen.appended(transaction, event)\n",
        "return seen.appended(transaction, event)\n",
        "nothing is refused",
    ),
    Named(
        "leastnoise.ledger.budget",
        "Budget.charge",
        "seen.totals.refuse(event)\n            return seen.appended(transaction, event)\n",
        "self._seen.totals.refuse(event)\n            return seen.appended(transaction, event)\n",
        "a stale total: what others have charged since is not counted",
    ),
    Named(
        "leastnoise.ledger.seen",
        "Seen.appended",
        "        transaction.note(Noted(line.number, text))\n",
        "        pass\n",
        "totals are not written with the line",
    ),
    Named(
        "leastnoise.ledger.seen",
        "Seen.appended",
        "totals = self.totals.after(event, past)",
        "totals = self.totals",
        "a charge is not added to the totals",
    ),
    Named(
        "leastnoise.ledger.seen",
        "Seen.at",
        "_followed(header, line, transaction).totals != fingerprint(noted.text)",
        "False",
        "totals are believed without the line that vouches for them",
    ),
    Named(
        "leastnoise.ledger.seen",
        "Seen._with",
        "is_ours(entry.totals) and entry.totals != fingerprint(totals_text(totals))",
        "False",
        "what a line says of the totals is not held against the sum",
    ),
    Named(
        "leastnoise.ledger.seen",
        "_followed",
        "if line.hash != linked(before, line.text):",
        "if False:",
        "lines that an index finds are believed as they are",
    ),
    Named(
        "leastnoise.ledger.totals_text",
        "totals_text",
        '        "ledger": totals.header.hash,\n',
        "",
        "totals are not bound to what may be spent",
    ),
    Named(
        "leastnoise.ledger.sqlite_store",
        "_SQLiteTransaction.note",
        '        self._connection.execute("INSERT OR REPLACE',
        '        self._connection.commit()\n        self._connection.execute("INSERT OR REPLACE',
        "totals are written outside the line's transaction",
    ),
    Named(
        "leastnoise.ledger.tally",
        "_added",
        "min(short(a, up=True), b)",
        "min(short(a, up=False), b)",
        "long sums are rounded down",
    ),
    Named(
        "leastnoise.ledger.budget",
        "Budget._paid",
        "if _is_paid_by(event, entry.event)",
        "if isinstance(entry.event, Charge)",
        "answers are drawn for a charge of another price",
    ),
    Named(
        "leastnoise.ledger.stored_releases",
        "StoredReleases.keep",
        "return seen, found\n            transaction.keep(name",
        "return seen, checked\n            transaction.keep(name",
        "a second draw for one charge is shown",
    ),
    Named(
        "leastnoise.release.gate",
        "Admitted.charge",
        "ledger.charge(self.costs, ",
        "ledger.charge(self.costs if not answers else PureDP(epsilon=0), ",
        "answers that are stored are not charged",
    ),
    Named(
        "leastnoise.release.gate",
        "Admitted.charge",
        "answers=answers, **told",
        "answers=answers or digest, **told",
        "answers that nobody stores are drawn twice for one charge",
    ),
)
