"""The answer to a question: evidence in order, thin evidence called thin, nothing found said so. Pure text, no search."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.core.comment_frame import Section, compose, count, marker
from app.core.comment_place import LINES_SHOWN, call_row, excerpt, joined, place
from app.core.purpose import first_sentence, purpose_text
from app.core.sanitize import code_span, inline
from app.core.similar import Likeness
from app.core.types import Answer, Evidence

OPEN_ITEMS = 3
"""Pieces of evidence that are open; the rest is one click away, so that an answer fits a screen."""

NEAR_ITEMS = 5
"""Near misses that are named; further down they only share words with the question."""

SIGNATURE_LINES = 4
"""Lines of a definition above the list of its callers: enough to know it, short enough to see the callers."""

NAMES_SHOWN = 4
"""Unknown names that are repeated to the asker."""

ROLES = {
    "definition": "Definition",
    "caller": "Caller",
    "test": "Test",
    "doc": "Docs",
    "related": "Related",
    "folder": "Folder",
}

PURPOSE_LENGTH = 240
"""Characters of a folder's purpose: a sentence or two."""

REASON_LENGTH = 300
"""Characters of the reason, which may name what was asked for."""

_NOT_SHOWN = re.compile(r"[0-9,]+ more (?:is|are) not shown\.$")
"""The part of a reason that is said even where callers are proved."""

NEXT_STEP = "A function, class, file name or error message in the question finds more."


def answer_comment(answer: Answer, html_url: str, about: Mapping[str, object]) -> str:
    """The comment that answers a question. `about` goes into its marker: which comment it answers, in which form.

    Same answer, same bytes. `html_url` is the repository's page, from which every link is built.
    """
    first_line = marker("answer", about)
    if not answer.evidence:
        return compose(first_line, _nothing(answer), _near(answer, html_url), _footer(answer))
    if answer.thin:
        return compose(first_line, _thin(answer), _found(answer, html_url), _footer(answer))
    return compose(first_line, _opening(answer, html_url), _found(answer, html_url), _footer(answer))


def _found(answer: Answer, html_url: str) -> list[Section]:
    if answer.kind == "callers" and _of(answer, "definition"):
        groups = _groups(answer)
        items = [_with_callers(group, html_url, "no caller found" if len(groups) > 1 else "") for group in groups]
        return [Section("", items, OPEN_ITEMS, "definition", "definitions"), *_near(answer, html_url)]
    if answer.kind == "overview":
        rows = [_folder(evidence, html_url) for evidence in answer.evidence]
        return [Section("", ["\n".join(rows)], 1, "folder", "folders")]
    items = [_item(evidence, html_url) for evidence in answer.evidence]
    if _opens_with_the_best(answer):
        items[0] = excerpt(answer.evidence[0])  # the sentence above it has its link already
    return [Section("", items, OPEN_ITEMS, "place", "places"), *_near(answer, html_url)]


def _groups(answer: Answer) -> list[list[Evidence]]:
    """Each definition with the callers that follow it."""
    groups: list[list[Evidence]] = []
    for evidence in answer.evidence:
        if evidence.role == "definition" or not groups:
            groups.append([])
        groups[-1].append(evidence)
    return groups


def _with_callers(group: Sequence[Evidence], html_url: str, none: str) -> str:
    """A definition and, a line each, where it is called: the calling line says more than a block around it."""
    rows = [
        f"- {call_row(html_url, each.citation, each.symbol, _word(each))}"
        for each in group
        if each.role != "definition"
    ]
    head = [_item(each, html_url, SIGNATURE_LINES) for each in group if each.role == "definition"]
    return "\n\n".join([*head, *(["\n".join(rows)] if rows else [f"- {none}"] if none else [])])


def _word(evidence: Evidence) -> str:
    doubt = "possible " if "possible" in evidence.reasons else ""
    return f"{doubt}{'test' if evidence.role == 'test' else 'call'}"


def _item(evidence: Evidence, html_url: str, most: int = LINES_SHOWN) -> str:
    symbol = code_span(evidence.symbol) if evidence.symbol else ""
    head = joined([f"**{_role(evidence)}**", place(html_url, evidence.citation), symbol])
    return f"{head}\n\n{excerpt(evidence, most)}"


def _folder(evidence: Evidence, html_url: str) -> str:
    """One folder or file with what it is for in its own words, or with what it defines where it has none."""
    much, *names = evidence.reasons
    says = inline(first_sentence(purpose_text(evidence.citation.text)), PURPOSE_LENGTH)
    if names:
        says = f"defines {', '.join(map(code_span, names))}"
    return f"- {code_span(evidence.symbol)}{f' ({much})' if much else ''}: {says} {place(html_url, evidence.citation)}"


def _near(answer: Answer, html_url: str) -> list[Section]:
    lines = [f"- {_line(evidence, html_url)}" for evidence in answer.near[:NEAR_ITEMS]]
    return [Section("Closest:", ["\n".join(lines)], 1, "place", "places")] if lines else []


def _line(evidence: Evidence, html_url: str) -> str:
    link = place(html_url, evidence.citation)
    return f"{code_span(evidence.symbol)} in {link}" if evidence.symbol else link


def _opening(answer: Answer, html_url: str) -> str:
    """What was found, in one sentence that stands alone in a mail's first line."""
    best, unknown = answer.evidence[0], _unknown(answer)
    if answer.kind == "overview" or _only_named(answer):
        return _sentences(_reason(answer), _lost(answer))
    definitions, tests = _of(answer, "definition"), _of(answer, "test")
    about = code_span(definitions[0].symbol) if definitions else ""
    if answer.kind == "snippet":
        return _sentences(_like(best, _line(best, html_url)), _reason(answer))
    if answer.kind == "callers" and definitions:
        return _sentences(_called(answer, about if len(definitions) == 1 else code_span(_simple(best))), unknown)
    if answer.kind == "signature" and "signature" in best.reasons:
        return _sentences(f"{count(len(definitions), 'signature fits', 'signatures fit')}.", _reason(answer), unknown)
    if answer.kind == "tests" and tests:
        return _sentences(_tests(tests, definitions), unknown)
    if answer.kind == "definition" and best.role == "definition":
        return _sentences(_defined(best, _namesakes(answer), html_url), unknown)
    start = "The best match in the docs is" if answer.kind == "docs" and best.role == "doc" else "The best match is"
    return _sentences(f"{start} {_line(best, html_url)}.", unknown)


def _like(best: Evidence, where: str) -> str:
    """How the best place resembles pasted code, in words that its reason carries."""
    if Likeness.SAME.value in best.reasons:
        return f"This code stands in {where}."
    if Likeness.FORM.value in best.reasons:
        return f"The same form, with other names or values, stands in {where}."
    return f"The closest code is {where}."


def _tests(tests: Sequence[Evidence], definitions: Sequence[Evidence]) -> str:
    """ "3 tests name `save`." — what their lines prove; that a test covers something is more than can be read off them."""
    name = _simple(definitions[0]) if definitions else ""
    naming = sum(bool(name) and name in evidence.citation.text for evidence in tests)
    if not naming:
        return f"{count(len(tests), 'test comes', 'tests come')} closest."
    return f"{count(naming, 'test names', 'tests name')} {code_span(name)}."


def _called(answer: Answer, name: str) -> str:
    """ "`save` is called from 5 places, 2 of them tests; 3 more are possible." """
    calls = [evidence for evidence in answer.evidence if evidence.role != "definition"]
    sure = [evidence for evidence in calls if "possible" not in evidence.reasons]
    doubtful = len(calls) - len(sure)
    if not calls:
        return _sentences(f"No caller of {name} found.", _reason(answer))
    if not sure:
        return _sentences(f"{name} is possibly called from {count(doubtful, 'place', 'places')}.", _reason(answer))
    tests = sum(evidence.role == "test" for evidence in sure)
    among = f", {tests} of them in tests" if tests else ""
    if tests == len(sure):
        among = ", a test" if tests == 1 else ", all of them in tests"
    more = f"; {doubtful} more {'is' if doubtful == 1 else 'are'} possible" if doubtful else ""
    left = _NOT_SHOWN.search(answer.reason)
    return _sentences(
        f"{name} is called from {count(len(sure), 'place', 'places')}{among}{more}.", left[0] if left else ""
    )


def _opens_with_the_best(answer: Answer) -> bool:
    """Whether the opening sentence links to the first piece of evidence."""
    if (
        answer.thin
        or answer.kind == "signature"
        or _only_named(answer)
        or (answer.kind == "tests" and _of(answer, "test"))
    ):
        return False
    return answer.kind != "definition" or answer.evidence[0].role != "definition" or len(_namesakes(answer)) == 1


def _only_named(answer: Answer) -> bool:
    """Whether what was asked for is defined nowhere, and the evidence only names it."""
    return bool(answer.missing and answer.reason) and not (answer.kind == "callers" and _of(answer, "definition"))


def _of(answer: Answer, role: str) -> list[Evidence]:
    return [evidence for evidence in answer.evidence if evidence.role == role]


def _namesakes(answer: Answer) -> list[Evidence]:
    """The definitions that have the name of the first one."""
    name = _simple(answer.evidence[0])
    return [evidence for evidence in _of(answer, "definition") if _simple(evidence) == name]


def _simple(evidence: Evidence) -> str:
    return evidence.symbol.rsplit(".", 1)[-1]


def _defined(best: Evidence, namesakes: Sequence[Evidence], html_url: str) -> str:
    if len(namesakes) > 1:
        return f"{code_span(_simple(best))} has {len(namesakes)} definitions, the likeliest first."
    return f"{code_span(best.symbol)} is defined in {place(html_url, best.citation)}."


def _thin(answer: Answer) -> str:
    return _sentences("No clear match.", _reason(answer), _unknown(answer), "The closest code is below.", NEXT_STEP)


def _nothing(answer: Answer) -> str:
    return _sentences(
        _reason(answer) or _unknown(answer) or "Nothing found.",
        NEXT_STEP if answer.head and answer.kind not in {"snippet", "overview", "signature"} else "",
    )


def _reason(answer: Answer) -> str:
    return inline(f"{answer.reason.rstrip(' .')}.", REASON_LENGTH) if answer.reason else ""


def _unknown(answer: Answer) -> str:
    if not answer.missing:
        return _lost(answer)
    names = ", ".join(code_span(name, 80) for name in answer.missing[:NAMES_SHOWN])
    return _sentences(f"No definition of {names} exists here.", _lost(answer))


def _lost(answer: Answer) -> str:
    if not answer.lost:
        return ""
    paths = ", ".join(code_span(path, 120) for path in answer.lost[:NAMES_SHOWN])
    return f"No file {paths} exists here."


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _role(evidence: Evidence) -> str:
    return ROLES.get(evidence.role, "Related")


def _footer(answer: Answer) -> str:
    if not answer.head:
        return ""
    dropped = answer.cited - answer.verified
    if not answer.evidence and not answer.near:
        return f"<sub>{joined([f'searched @ {answer.head[:7]}', *_without(answer)])}</sub>"
    parts = [f"{count(answer.cited, 'citation', 'citations')} · {answer.verified:,} verified @ {answer.head[:7]}"]
    if dropped > 0:
        parts.append(f"{dropped:,} left out, the lines have moved")
    return f"<sub>{joined([*parts, *_without(answer)])}</sub>"


def _without(answer: Answer) -> list[str]:
    return ["by words and names only, the embeddings did not answer"] if answer.words_only else []
