"""Base classes over two files, and a class of a name that another file has too."""

from abc import ABC, abstractmethod


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...

    def describe(self) -> str:
        return f"{self.area()} {self.unit()}"  # -> shop/shapes:Shape.area  -> shop/shapes:Shape.unit

    def unit(self) -> str:
        return "m"


class Order:
    """The order of shapes, not that of the shop."""

    def total(self) -> int:
        return 1

    def book(self) -> None: ...


def sort_key(order: Order) -> int:
    order.book()  # -> shop/shapes:Order.book
    return order.total()  # -> shop/shapes:Order.total
