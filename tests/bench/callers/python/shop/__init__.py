"""A shop: the package hands its names on."""

from .money import round_up as ceil_price
from .orders import Order, place
from .store import *

__all__ = ["Order", "Store", "ceil_price", "place"]
