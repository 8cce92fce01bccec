package main

import (
	shop "example.com/acme/shop/store"
)

func check(row string) {}

type ledger struct{}

func (l ledger) Save(row string) {
	check(row) // -> cmd/main:check
}

func put(s shop.Saver) {
	s.Save("x")
}

func main() {
	s := shop.New() // -> store/store:New
	s.Save("y") // -> store/store:Store.Save
	l := ledger{}
	l.Save("z") // -> cmd/main:ledger.Save
	shop.Total(nil) // -> store/store:Total
	put(s) // -> cmd/main:put
	check("") // -> cmd/main:check
}
