"""Two stores whose methods have the same names."""

from __future__ import annotations


class Store:
    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[str] = []

    def save(self, row: str) -> None:
        self.validate(row)  # -> shop/store:Store.validate
        self.rows.append(row)

    def validate(self, row: str) -> None:
        if not row:
            raise ValueError(row)

    @classmethod
    def opened(cls, name: str) -> Store:
        return cls(name)  # -> shop/store:Store

    @staticmethod
    def normal(row: str) -> str:
        return row.strip()


class CachedStore(Store):
    """Delegates to another store: not a recursion."""

    def __init__(self, inner: Store) -> None:
        super().__init__("cached")  # -> shop/store:Store.__init__
        self.inner = inner

    def save(self, row: str) -> None:
        self.inner.save(row)  # -> shop/store:Store.save
        super().save(row)  # -> shop/store:Store.save

    def flush(self) -> None:
        self.validate("x")  # -> shop/store:Store.validate
        for row in self.rows:
            self.save(row)  # -> shop/store:CachedStore.save


class Ledger:
    """Not a store, and has a `save` all the same."""

    def save(self, row: str) -> None:
        self.check(row)  # -> shop/store:Ledger.check

    def check(self, row: str) -> None:
        print(row)


def open_store(name: str) -> Store:
    return Store.opened(Store.normal(name))  # -> shop/store:Store.opened  -> shop/store:Store.normal


def open_ledger() -> Ledger:
    return Ledger()  # -> shop/store:Ledger
