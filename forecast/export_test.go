package forecast

// Styles exports styles for tests.
var Styles = styles
