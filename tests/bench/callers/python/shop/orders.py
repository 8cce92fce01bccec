from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

import shop.money
from shop import money as cash
from shop.money import with_tax as taxed
from shop.store import CachedStore, Ledger, Store, open_ledger, open_store

from . import store as stores


@dataclass
class Order:
    price: float
    ledger: Ledger = field(default_factory=Ledger)
    place_of: Optional[Store] = None

    def total(self) -> float:
        return taxed(self.price)  # -> shop/money:with_tax

    def book(self) -> None:
        self.ledger.save("order")  # -> shop/store:Ledger.save
        if self.place_of is not None:
            self.place_of.save("order")  # -> shop/store:Store.save


def place(order: Order, store: Store) -> float:
    store.save("placed")  # -> shop/store:Store.save
    order.book()  # -> shop/orders:Order.book
    return order.total()  # -> shop/orders:Order.total


def place_many(orders: list[Order]) -> float:
    local = open_store("many")  # -> shop/store:open_store
    for order in orders:
        place(order, local)  # -> shop/orders:place
    local.save("many")  # -> shop/store:Store.save
    amount = shop.money.total([each.price for each in orders])  # -> shop/money:total
    return amount + cash.with_tax(1.0)  # -> shop/money:with_tax


def keep(row: str) -> None:
    with_ledger = open_ledger()  # -> shop/store:open_ledger
    with_ledger.save(row)  # -> shop/store:Ledger.save
    cached = CachedStore(Store("s"))  # -> shop/store:CachedStore  -> shop/store:Store
    cached.save(row)  # -> shop/store:CachedStore.save
    cached.flush()  # -> shop/store:CachedStore.flush
    stores.Store("t").save(row)  # -> shop/store:Store  -> shop/store:Store.save
    stores.CachedStore.normal(row)  # -> shop/store:Store.normal


def shadowed(rows: list[str]) -> int:
    def place(row: str) -> int:
        return len(row)

    return sum(place(row) for row in rows)  # -> shop/orders:shadowed.place


def handed_in(with_tax, round_up) -> float:
    return with_tax(round_up(1.0))


def unknown(thing) -> None:
    thing.flush()  # ?> shop/store:CachedStore.flush
    thing.book()


def lazily() -> float:
    from shop.money import discount

    return discount(3.0)  # -> shop/money:discount
