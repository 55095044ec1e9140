package forecast

// Styles are for tests.
var Styles = styles
