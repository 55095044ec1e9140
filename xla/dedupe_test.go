package xla

import (
	"strings"
	"testing"
)

// Operations that repeat an earlier one go, with those that repeat one of these, and what reads them reads the first.
func TestDeduplicated(t *testing.T) {
	const body = `
    %0 = "stablehlo.constant"() { value = dense<1> : tensor<i32> } : () -> tensor<i32>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "stablehlo.constant"() { value = dense<1> : tensor<i32> } : () -> tensor<i32>
    %3 = "stablehlo.add"(%arg0, %2) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %4 = "stablehlo.slice"(%arg1) {
      limit_indices = array<i64: 1>,
  start_indices = array<i64: 0>
    } : (tensor<2xf32>) -> tensor<1xf32>
    %5 = "stablehlo.slice"(%arg1) {
      limit_indices = array<i64: 1>,
  start_indices = array<i64: 0>
    } : (tensor<2xf32>) -> tensor<1xf32>
    %6 = "stablehlo.slice"(%arg1) {
      limit_indices = array<i64: 2>,
  start_indices = array<i64: 1>
    } : (tensor<2xf32>) -> tensor<1xf32>
    %7 = "stablehlo.reduce"(%5, %3) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %8 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%8) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0> } : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
    %9 = "stablehlo.custom_call"(%3) { call_target_name = "x" } : (tensor<i32>) -> tensor<i32>
    %10 = "stablehlo.custom_call"(%1) { call_target_name = "x" } : (tensor<i32>) -> tensor<i32>
    %11:2 = "func.call"(%3) { callee = @two } : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %12 = "stablehlo.add"(%3, %11#1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%12, %5, %6, %7, %9, %10, %3) : (tensor<i32>) -> ()`
	want := body
	for _, gone := range []string{"2", "3", "5"} {
		from := strings.Index(want, "    %"+gone+" = ")
		to := from + 1 + strings.Index(want[from+1:], "\n    %") // of the next operation
		want = want[:from] + want[to+1:]
	}
	for of, by := range map[string]string{"%3": "%1", "%5": "%4"} {
		for _, after := range []string{",", ")"} {
			want = strings.ReplaceAll(want, of+after, by+after)
		}
	}
	if got := string(deduplicated([]byte(body))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	const other = "\n    // no operation\n"
	if got := string(deduplicated([]byte(other))); got != other {
		t.Errorf("%q, want it unchanged", got)
	}
}
