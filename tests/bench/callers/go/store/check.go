package store

func check(row string) {
	if row == "" {
		panic(row)
	}
}

var started = Total([]int{1}) // -> store/store:Total

func keep(s *Store, c Cached) {
	s.Save("a") // -> store/store:Store.Save
	c.Save("b") // -> store/store:Cached.Save
	check("c") // -> store/check:check
}
