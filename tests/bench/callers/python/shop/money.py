"""Functions that share their names with methods and locals elsewhere."""


def round_up(price: float) -> int:
    return -int(-price // 1)


def total(prices: list[float]) -> float:
    if not prices:
        return 0.0
    return prices[0] + total(prices[1:])


def with_tax(price: float, rate: float = 0.2) -> float:
    return price * (1 + rate)


def discount(price: float) -> float:
    def apply(amount: float) -> float:
        return price - amount

    return apply(1.0)  # -> shop/money:discount.apply


PRICE = with_tax(10.0)  # -> shop/money:with_tax
