import openStore, { CachedStore, Ledger, Store } from "./store";
import { withTax as taxed } from "./money";
import * as cash from "./money";

export class Order {
  ledger: Ledger = new Ledger(); // -> src/store:Ledger
  constructor(public price: number, private place?: Store) {}

  total(): number {
    return taxed(this.price); // -> src/money:withTax
  }

  book(): void {
    this.ledger.save("order"); // -> src/store:Ledger.save
    this.place?.save("order"); // -> src/store:Store.save
  }
}

export function place(order: Order, store: Store): number {
  store.save("placed"); // -> src/store:Store.save
  order.book(); // -> src/orders:Order.book
  return order.total(); // -> src/orders:Order.total
}

export const placeMany = (orders: Order[]): number => {
  const local = openStore("many"); // -> src/store:openStore
  local.save("many"); // -> src/store:Store.save
  return cash.total(orders.map((each) => each.price)); // -> src/money:total
};

export function keep(row: string): void {
  const cached = new CachedStore(new Store("s")); // -> src/store:CachedStore  -> src/store:Store
  cached.save(row); // -> src/store:CachedStore.save
  cached.flush(); // -> src/store:CachedStore.flush
  new Store("t").save(row); // -> src/store:Store  -> src/store:Store.save
}

export function shadowed(rows: string[]): number {
  const place = (row: string): number => row.length;
  return place(rows[0]); // -> src/orders:shadowed.place
}

export function handedIn(withTax: (n: number) => number): number {
  return withTax(1);
}

export function unknown(thing: any): void {
  thing.flush(); // ?> src/store:CachedStore.flush
  thing.book();
}
