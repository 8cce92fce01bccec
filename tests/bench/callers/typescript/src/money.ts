export const roundUp = (price: number): number => Math.ceil(price);

export function total(prices: number[]): number {
  return prices.length ? prices[0] + total(prices.slice(1)) : 0;
}

export function withTax(price: number, rate = 0.2): number {
  return price * (1 + rate);
}

export function discount(price: number): number {
  function apply(amount: number): number {
    return price - amount;
  }
  return apply(1); // -> src/money:discount.apply
}

export const PRICE = withTax(10); // -> src/money:withTax
