package store

type Saver interface {
	Save(row string)
}

type Store struct {
	rows []string
}

func New() *Store {
	return &Store{}
}

func (s *Store) Save(row string) {
	s.validate(row) // -> store/store:Store.validate
	s.rows = append(s.rows, row)
}

func (s *Store) validate(row string) {
	check(row) // -> store/check:check
}

type Cached struct {
	inner *Store
}

func (c *Cached) Save(row string) {
	c.inner.Save(row) // -> store/store:Store.Save
}

func Total(prices []int) int {
	if len(prices) == 0 {
		return 0
	}
	return prices[0] + Total(prices[1:])
}
