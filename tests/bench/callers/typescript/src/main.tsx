import { ceilPrice, money, open, Store } from ".";
import { Order, place as put } from "./orders";

const order = new Order(3); // -> src/orders:Order
put(order, open("main")); // -> src/orders:place  -> src/store:openStore
ceilPrice(2.5); // -> src/money:roundUp
money.discount(3); // -> src/money:discount

export class Runner {
  constructor(private store: Store) {}

  run = (): void => {
    this.store.save("run"); // -> src/store:Store.save
    this.step(); // -> src/main:Runner.step
  };

  step(): void {
    order.book(); // -> src/orders:Order.book
  }
}

export function App(): JSX.Element {
  const onClick = () => new Runner(Store.opened("app")).run(); // -> src/main:Runner  -> src/store:Store.opened  -> src/main:Runner.run
  return <button onClick={onClick}>{order.total()}</button>; // -> src/orders:Order.total
}
