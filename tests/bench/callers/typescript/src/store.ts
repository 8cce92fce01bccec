export interface Saves {
  save(row: string): void;
}

export class Store implements Saves {
  private rows: string[] = [];
  constructor(readonly name: string) {}

  save(row: string): void {
    this.validate(row); // -> src/store:Store.validate
    this.rows.push(row);
  }

  validate(row: string): void {
    if (!row) throw new Error(row);
  }

  static opened(name: string): Store {
    return new Store(name); // -> src/store:Store
  }
}

export class CachedStore extends Store {
  constructor(private inner: Store) {
    super("cached"); // -> src/store:Store
  }

  save(row: string): void {
    this.inner.save(row); // -> src/store:Store.save
    super.save(row); // -> src/store:Store.save
  }

  flush(): void {
    this.validate("x"); // -> src/store:Store.validate
    this.save("x"); // -> src/store:CachedStore.save
  }
}

export class Ledger {
  save(row: string): void {
    this.check(row); // -> src/store:Ledger.check
  }
  check(row: string): void {
    console.log(row);
  }
}

export default function openStore(name: string): Store {
  return Store.opened(name); // -> src/store:Store.opened
}
