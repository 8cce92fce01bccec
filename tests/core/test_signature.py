"""Signature search: which signatures fit, in the spelling of their language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.signature import fits, parts

ROWS = [
    ("python", "def load(frame: pd.DataFrame, *, deep: bool = False) -> dict[str, int]:", "load", ("DataFrame",), ("dict",), True),
    ("python mapping", "def load(frame: DataFrame) -> Mapping[str, int]:", "load", ("DataFrame",), ("dict",), True),
    ("python other way", "def load(options: dict[str, int]) -> DataFrame:", "load", ("DataFrame",), ("dict",), False),
    ("python name", "def load(request, session):", "load", ("request",), (), True),
    ("go", "func (s *Store) Load(ctx context.Context, path string) ([]byte, error)", "Load", ("string",), ("error",), True),
    ("go receiver is no parameter", "func (s *Store) Load(path string) error", "Load", ("Store",), (), False),
    ("java", "public static Map<String, Cart> load(File file)", "load", ("File",), ("Map",), True),
    ("java void", "public void save(Cart cart)", "save", ("Cart",), ("String",), False),
    ("rust", "pub fn load<P: AsRef<Path>>(path: P, depth: usize) -> Vec<u8> {", "load", ("int",), ("list",), True),
    ("typescript", "export async function load(url: string): Promise<Cart>", "load", ("string",), ("Cart",), True),
    ("plural", "def load(rows: list[str]) -> bytes", "load", ("lists",), ("bytes",), True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("signature", "name", "takes", "returns", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_signature_fits_by_its_types(
    signature: str, name: str, takes: tuple[str, ...], returns: tuple[str, ...], expected: bool
) -> None:
    assert fits(signature, name, "", takes, returns) is expected


def test_the_docstring_tells_what_an_untyped_function_returns() -> None:
    assert fits("def load(frame):", "load", "Returns a dict of columns.", ("frame",), ("dict",))
    assert not fits("def load(frame):", "load", "Prints it.", ("frame",), ("dict",))


@given(st.text(max_size=200), st.text(max_size=10), st.lists(st.text(max_size=8), max_size=3))
def test_any_signature_is_judged(signature: str, name: str, types: list[str]) -> None:
    parameters, result = parts(signature, name)
    assert len(parameters) + len(result) <= 2 * len(signature)
    fits(signature, name, "", types, types)
