package field

// Features is the number of node features in the control, 0 without.
func (c *Control) Features() int {
	if c.features == nil {
		return 0
	}
	return c.features.Shape().Dim(-1)
}
