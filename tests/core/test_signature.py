"""Signature search: which signatures fit, in the spelling of their language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.signature import fit, parts

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
    ("optional", "def load(path: Path | None = None) -> Optional[Cart]", "load", ("Path",), ("Cart",), True),
    ("optional none", "def load(path: 't.Optional[Path]') -> t.Union[Cart, None]", "load", ("Path",), ("Cart",), True),
    ("what a container holds is not what is taken", "def load(paths: list[Path]) -> dict[str, Cart]", "load", ("Path",), (), False),
    ("a container with what it holds", "def load(paths: list[Path]) -> dict[str, Cart]", "load", ("list", "Path"), ("dict", "Cart"), True),
    ("python default", 'def load(mode: str = "a, (b", *, size: int = max(1, 2)) -> bytes', "load", ("int",), ("bytes",), True),
    ("name of a typed parameter", "def load(timeout: float, path: str) -> None", "load", ("timeout",), ("None",), True),
    ("a name is no type", "def load(error_text: str) -> Cart", "load", ("error",), (), False),
    ("go pointer", "func (s *Store) Load(req *http.Request, names ...string) (*Cart, error)", "Load", ("Request",), ("Cart",), True),
    ("go names in a row", "func Join(first, second string) string", "Join", ("second", "string"), ("string",), True),
    ("go map", "func Load(values map[string][]string) error", "Load", ("string",), ("error",), False),
    ("go map asked for", "func Load(values map[string][]string) error", "Load", ("map",), ("error",), True),
    ("go named results", "func Load(name string) (cart Cart, err error)", "Load", ("string",), ("error",), True),
    ("go nothing", "func Load(name string)", "Load", ("string",), ("error",), False),
    ("go generic", "func Map[T any, K comparable](items []T, of func(T) K) map[K]T", "Map", ("slice", "T"), ("map",), True),
    ("rust bound", "fn load<P: AsRef<Path>, F: Fn(&str) -> bool>(&self, path: P, keep: F) -> io::Result<Vec<u8>>", "load", ("Path",), ("vec",), True),
    ("rust reference", "fn load<'a>(&'a mut self, text: &'a str, store: &mut Store) -> Option<&'a Cart>", "load", ("Store",), ("Cart",), True),
    ("rust self", "fn load(&self) -> Cart", "load", ("self",), (), False),
    ("rust dyn", "fn load(reader: Box<dyn Read + Send>) -> Result<Cart, LoadError>", "load", ("Read",), ("error",), True),
    ("rust nothing", "fn load(text: &str)", "load", ("string",), ("Cart",), False),
    ("java generic", "public static <T extends Comparable<T>> List<T> sort(final Collection<? extends T> items, T least) throws IOException", "sort", ("Comparable",), ("list",), True),
    ("java annotated", "public Cart load(@Nonnull String name, int... sizes)", "load", ("int",), ("Cart",), True),
    ("typescript optional", "export function load(url?: string | null, options: Options = {}): Cart | undefined", "load", ("string", "Options"), ("Cart",), True),
    ("typescript array", "export const load = async (urls: readonly string[]): Promise<Cart[]> =>", "load", ("array",), ("list",), True),
    ("typescript callback", "export function load(done: (error: Error) => void): void", "load", ("callback",), ("void",), True),
    ("typescript callback's own", "export function load(done: (error: Error) => void): void", "load", ("error",), (), False),
    ("typescript bound", "export function parse<T extends ZodType>(schema: T, value: unknown): output<T>", "parse", ("ZodType",), ("output",), True),
    ("end of a name", "def load(request: HttpRequest) -> HttpResponse", "load", ("Request",), ("Response",), True),
    ("bytes in go", "func ToBytes(s string) []byte", "ToBytes", ("string",), ("byte",), True),
    ("bytes in rust", "pub fn load(data: &[u8]) -> Vec<u8>", "load", ("bytes",), ("bytes",), True),
    ("plural", "def load(rows: list[str]) -> bytes", "load", ("lists",), ("bytes",), True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("signature", "name", "takes", "returns", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_signature_fits_by_its_types(
    signature: str, name: str, takes: tuple[str, ...], returns: tuple[str, ...], expected: bool
) -> None:
    language = row_language(signature)
    assert (fit(signature, name, "", takes, returns, language) > 0) is expected


def row_language(signature: str) -> str:
    """The language that the signature is written in, by its first word."""
    first = signature.split()[0]
    return {"def": "python", "func": "go", "pub": "rust", "fn": "rust", "public": "java", "export": "typescript"}.get(
        first, ""
    )


def test_the_docstring_tells_what_an_untyped_function_returns() -> None:
    assert fit("def load(frame):", "load", "Loads.\n\nReturns a dict of columns.", ("frame",), ("dict",))
    assert not fit("def load(frame):", "load", "Prints a dict.", ("frame",), ("dict",))


def test_what_is_met_as_written_and_has_little_else_fits_better() -> None:
    said = [
        "def a(x: dict) -> str",
        "def a(x: Mapping) -> str",
        "def a(x: dict, y: int, z: int) -> str",
        "def a(x: Mapping, y: int, z: int) -> str",
    ]
    marks = [fit(each, "a", "", ("dict",), ("str",), "python") for each in said]
    assert marks == sorted(marks, reverse=True)
    assert len(set(marks)) == 4


@given(st.text(max_size=200), st.text(max_size=10), st.lists(st.text(max_size=8), max_size=3))
def test_any_signature_is_judged(signature: str, name: str, types: list[str]) -> None:
    _, parameters, result = parts(signature, name)
    assert len(parameters) + len(result) <= 2 * len(signature)
    for language in ("go", "rust", "python", ""):
        assert 0 <= fit(signature, name, "", types, types, language) <= 1


@given(st.text("<[({>])},=:|&* abP'", max_size=300))
def test_brackets_that_do_not_close_are_read_too(signature: str) -> None:
    assert 0 <= fit(f"def a({signature}", "a", "", ("b",), ("P",)) <= 1
