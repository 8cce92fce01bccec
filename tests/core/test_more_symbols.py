"""Holds what the languages beyond the first nine prove about names: one realistic source each, and what is read from it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.chunk import chunk_file
from tests.core.more_sources import SOURCES, Sample
from tests.core.test_chunk import assert_promises, is_definition, parses_alone
from tests.core.test_symbols import symbols, targets

NAMES = [sample.language for sample in SOURCES]


@pytest.mark.parametrize("sample", SOURCES, ids=NAMES)
def test_every_definition_is_named_with_its_kind_its_lines_and_its_words(sample: Sample) -> None:
    source = chunk_file(sample.path, sample.text)
    assert source.parsed
    assert source.language == sample.language
    found = {definition.qualified: definition for definition in source.definitions}
    assert {name: found[name].kind for name in sample.kinds if name in found} == sample.kinds
    for name, docstring in sample.docstrings.items():
        assert found[name].docstring == docstring
    for name, signature in sample.signatures.items():
        assert found[name].signature == signature
    for name, bases in sample.bases.items():
        assert found[name].bases == bases
    lines = sample.text.split("\n")
    for definition in source.definitions:
        assert any(definition.name.strip("~") in line for line in lines[definition.first - 1 : definition.last]), (
            definition
        )


@pytest.mark.parametrize("sample", SOURCES, ids=NAMES)
def test_calls_lead_where_the_file_proves_it(sample: Sample) -> None:
    found = targets(sample.language, sample.text)
    assert {call: found.get(call) for call in sample.targets} == sample.targets
    within = {call.name: call.within for call in symbols(sample.language, sample.text).calls}
    assert {name: within.get(name) for name in sample.within} == sample.within


@pytest.mark.parametrize("sample", SOURCES, ids=NAMES)
def test_imports_are_read_in_the_languages_own_forms(sample: Sample) -> None:
    found = [(one.module, one.name, one.alias) for one in symbols(sample.language, sample.text).imports]
    assert found == sample.imports


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("sample", SOURCES, ids=NAMES)
def test_chunks_keep_their_promises_and_definitions_parse_alone(sample: Sample, ending: str) -> None:
    text = sample.text.replace("\n", ending)
    source = chunk_file(sample.path, text)
    assert_promises(source, text)
    for chunk in filter(is_definition, source.chunks):
        assert parses_alone(chunk), chunk
    for name, attribute in sample.above.items():
        holder = next(chunk for chunk in source.chunks if name in chunk.defines)
        assert attribute in holder.text


@dataclass(frozen=True)
class Scrambled:
    sample: Sample
    text: str


@st.composite
def scrambled(draw: st.DrawFn) -> Scrambled:
    """Lines of one source left out, repeated, cut and in any order."""
    sample = draw(st.sampled_from(SOURCES))
    lines = sample.text.split("\n")
    chosen = draw(st.lists(st.sampled_from(lines), max_size=40))
    cut = draw(st.integers(0, 200))
    text = "\n".join(chosen)
    return Scrambled(sample, text[: len(text) - cut] if draw(st.booleans()) else text)


@settings(max_examples=200, deadline=None)
@given(scrambled())
def test_scrambled_sources_keep_the_promises(case: Scrambled) -> None:
    source = chunk_file(case.sample.path, case.text)
    if source.skip is None:
        assert_promises(source, case.text)
    for chunk in filter(is_definition, source.chunks if source.parsed else ()):
        assert parses_alone(chunk), chunk


@pytest.mark.parametrize("sample", SOURCES, ids=NAMES)
@pytest.mark.parametrize(
    "text", ["(" * 20_000, "{" * 20_000, "a(" * 10_000, "[" * 20_000 + "]" * 20_000, '"' * 9_999, "<" * 20_000]
)
def test_hostile_sources_end_as_chunks(sample: Sample, text: str) -> None:
    """[H16] Each grammar meets the same nests and unclosed quotes."""
    assert_promises(chunk_file(sample.path, text), text)
