from shop import shapes
from shop.shapes import Shape as Base


class Square(Base):
    side = 2.0

    def area(self) -> float:
        return self.side**2

    def report(self) -> str:
        return self.describe() + self.unit()  # -> shop/shapes:Shape.describe  -> shop/shapes:Shape.unit


class Tile(Square):
    def area(self) -> float:
        return super().area() + 1  # -> shop/square:Square.area


def measure() -> str:
    order = shapes.Order()  # -> shop/shapes:Order
    order.book()  # -> shop/shapes:Order.book
    tile = Tile()  # -> shop/square:Tile
    return tile.report() + tile.unit()  # -> shop/square:Square.report  -> shop/shapes:Shape.unit
