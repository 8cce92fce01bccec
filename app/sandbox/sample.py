"""A small lending library with three commits, for a demo where no real history is at hand (a shallow clone, a source archive)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.sandbox import repository_git

AUTHOR = ("Ada Sample", "ada@example.com", 1_760_000_000.0)
"""A fixed time, so that the sample has the same commit ids everywhere."""

LOANS = '''"""When a loan is due, and what it costs to be late."""

from datetime import date, timedelta

LOAN_DAYS = 21
FINE_CENTS_A_DAY = 20


def due_date(start: date, days: int = LOAN_DAYS) -> date:
    """The last day of a loan. Loans never end on a Sunday, when the library is closed."""
    due = start + timedelta(days=days)
    while due.weekday() == 6:
        due += timedelta(days=1)
    return due


def fine(start: date, returned: date) -> int:
    """What a late return costs, in cents."""
    late = (returned - due_date(start)).days
    return max(late, 0) * FINE_CENTS_A_DAY
'''

NEW_LOANS = LOANS.replace(
    '''def due_date(start: date, days: int = LOAN_DAYS) -> date:
    """The last day of a loan. Loans never end on a Sunday, when the library is closed."""
    due = start + timedelta(days=days)
''',
    '''def due_date(start: date, period: timedelta, closed: frozenset[date] = frozenset()) -> date:
    """The last day of a loan. Loans never end on a Sunday or on a day when the library is closed."""
    due = start + period
''',
).replace("while due.weekday() == 6:", "while due.weekday() == 6 or due in closed:")
NEW_LOANS = NEW_LOANS.replace("due_date(start)).days", "due_date(start, timedelta(days=LOAN_DAYS))).days")

DESK = '''"""The lending desk: lends copies, takes them back."""

from datetime import date

from library.catalogue import Catalogue
from library.loans import due_date, fine


class Desk:
    """One desk of the library."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.lent: dict[str, date] = {}

    def lend(self, isbn: str, today: date) -> date:
        """Lend a copy and return the day it is due. KeyError for a book we do not have."""
        book = self.catalogue.find(isbn)
        self.lent[book.isbn] = today
        return due_date(today)

    def take_back(self, isbn: str, today: date) -> int:
        """Take a copy back and return the fine in cents."""
        return fine(self.lent.pop(isbn), today)
'''

CATALOGUE = '''"""The books of the library, by ISBN."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Book:
    isbn: str
    title: str


class Catalogue:
    """All books. ISBNs are kept without dashes."""

    def __init__(self) -> None:
        self._books: dict[str, Book] = {}

    def add(self, book: Book) -> None:
        self._books[normalise_isbn(book.isbn)] = book

    def find(self, isbn: str) -> Book:
        """The book with this ISBN, with or without dashes. KeyError where there is none."""
        return self._books[normalise_isbn(isbn)]


def normalise_isbn(isbn: str) -> str:
    return isbn.replace("-", "").strip()
'''

CATALOGUE_SEARCH = CATALOGUE.replace(
    "\n\ndef normalise_isbn",
    '''
    def search(self, words: str) -> list[Book]:
        """Books whose title holds every word, whatever the case, in order of title."""
        wanted = words.lower().split()
        found = [book for book in self._books.values() if all(word in book.title.lower() for word in wanted)]
        return sorted(found, key=lambda book: book.title)


def normalise_isbn''',
    1,
)

TEST_LOANS = """from datetime import date

from library.loans import due_date, fine


def test_a_loan_never_ends_on_a_sunday() -> None:
    assert due_date(date(2025, 6, 1), days=7) == date(2025, 6, 9)


def test_a_late_return_costs_twenty_cents_a_day() -> None:
    assert fine(date(2025, 6, 2), date(2025, 6, 26)) == 60
"""

REMINDERS = """import { daysUntil } from "./days";

/** Whether a reminder goes out today: three days before a loan is due. */
export function needsReminder(due: Date, today: Date): boolean {
  return daysUntil(due, today) === 3;
}
"""

DAYS = """const DAY_MS = 24 * 60 * 60 * 1000;

/** Whole days from today to another day; negative when that day is past. */
export function daysUntil(day: Date, today: Date): number {
  return Math.round((day.getTime() - today.getTime()) / DAY_MS);
}
"""

DOCS = """# Lending

A loan lasts 21 days. `due_date` moves it on when it would end on a Sunday.

## Fines

A late return costs 20 cents a day; `fine` counts from the due date.
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One commit of the sample."""

    message: str
    files: Mapping[str, str]


STEPS: tuple[Step, ...] = (
    Step(
        "Open the library",
        {
            "README.md": "# Library\n\nLends books. See [how lending works](docs/lending.md).\n",
            "docs/lending.md": DOCS,
            "library/__init__.py": "",
            "library/catalogue.py": CATALOGUE,
            "library/desk.py": DESK,
            "library/loans.py": LOANS,
            "tests/test_loans.py": TEST_LOANS,
            "web/days.ts": DAYS,
            "web/reminders.ts": REMINDERS,
        },
    ),
    Step("Search the catalogue by title", {"library/catalogue.py": CATALOGUE_SEARCH}),
    Step("Let loans skip the days when the library is closed", {"library/loans.py": NEW_LOANS}),
)


async def make_sample(path: Path) -> list[str]:
    """Make the sample as a bare repository at `path` and return its commit ids, oldest first; `main` is at the last."""
    await repository_git.create(path, "main")
    commits: list[str] = []
    for step in STEPS:
        files = {name: text.encode() for name, text in step.files.items()}
        commits.append(await repository_git.commit(path, commits[-1:], files, step.message, AUTHOR))
    await repository_git.run(path, "update-ref", "refs/heads/main", commits[-1])
    return commits
