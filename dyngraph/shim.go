package dyngraph

func (s *Series) Whole() Window { return Window{Series: s} }
