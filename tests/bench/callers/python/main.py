"""A script over the package's own names, and calls at module level."""

import shop
from shop import Order, Store, ceil_price, place
from shop import square

ORDER = Order(3.0)  # -> shop/orders:Order
STORE = Store("main")  # -> shop/store:Store
place(ORDER, STORE)  # -> shop/orders:place
ceil_price(2.5)  # -> shop/money:round_up


class Runner:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.orders = [ORDER]

    def run(self) -> None:
        self.store.save("run")  # -> shop/store:Store.save
        self.step()  # -> main:Runner.step
        shop.place(ORDER, self.store)  # -> shop/orders:place

    def step(self) -> None:
        with_measure = square.measure  # no call
        print(with_measure())
        square.measure()  # -> shop/square:measure

    async def wait(self) -> None:
        await self.later()  # -> main:Runner.later

    async def later(self) -> None:
        print([each.total() for each in self.orders])


if __name__ == "__main__":
    Runner(STORE).run()  # -> main:Runner  -> main:Runner.run
