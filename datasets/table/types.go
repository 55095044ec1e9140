package table

import (
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/peng-cde/pengcde-go/internal/tabular"
)

// converter makes cells of a column's values, which are not null. Truth values are an error unless they are asked for.
func (f *file) converter(column *parquet.Column, truth bool) (func(parquet.Value) cell, error) {
	kind := "a group"
	if column.Leaf() {
		kind = column.Type().String()
	}
	if column.Repeated() {
		kind = "repeated " + kind
	}
	wrong := fileRow{file: f}.fault(column.Name(), "the type "+kind,
		"one value a row: a number (a float16 as float32, a BOOLEAN as an integer), DECIMAL, text, DATE or TIMESTAMP")
	if !column.Leaf() || column.Repeated() {
		return nil, wrong
	}
	if logical := column.Type().LogicalType(); logical != nil {
		switch of := logical.Value.(type) {
		case *format.StringType, *format.EnumType:
			return textOf, nil
		case *format.NullType:
			return func(parquet.Value) cell { return cell{} }, nil
		case *format.DateType:
			const day = int64(24 * time.Hour / time.Microsecond)
			return func(v parquet.Value) cell { return dateOf(int64(v.Int32()), day, 1) }, nil
		case *format.TimestampType:
			if of.Unit.Value == nil {
				return nil, wrong
			}
			unit := of.Unit.Value.Duration()
			multiple := max(1, int64(unit/time.Microsecond))
			divisor := max(1, int64(time.Microsecond/unit))
			return func(v parquet.Value) cell {
				date := dateOf(v.Int64(), multiple, divisor)
				date.zoned = of.IsAdjustedToUTC && !tabular.WholeDay(instant(date.whole).date())
				return date
			}, nil
		case *format.DecimalType:
			if of.Scale < 0 || of.Scale > mostDigits {
				return nil, wrong
			}
			return decimalOf(column, of.Scale), nil
		case *format.IntType:
			if !of.IsSigned && of.BitWidth == 64 {
				return func(v parquet.Value) cell {
					return cell{kind: textCell, text: strconv.FormatUint(v.Uint64(), 10)}
				}, nil
			}
			if !of.IsSigned && of.BitWidth == 32 {
				return func(v parquet.Value) cell { return cell{kind: wholeCell, whole: int64(v.Uint32())} }, nil
			}
		case nil:
		default:
			return nil, wrong
		}
	}
	switch column.Type().Kind() {
	case parquet.Boolean:
		if truth {
			return func(v parquet.Value) cell { return newText(strconv.FormatBool(v.Boolean())) }, nil
		}
	case parquet.Int32:
		return func(v parquet.Value) cell { return cell{kind: wholeCell, whole: int64(v.Int32())} }, nil
	case parquet.Int64:
		return func(v parquet.Value) cell { return cell{kind: wholeCell, whole: v.Int64()} }, nil
	case parquet.Float:
		return func(v parquet.Value) cell { return numberOf(float64(v.Float())) }, nil
	case parquet.Double:
		return func(v parquet.Value) cell { return numberOf(v.Double()) }, nil
	case parquet.Int96:
		return julian, nil
	case parquet.ByteArray:
		return textOf, nil
	}
	return nil, wrong
}

// mostDigits is how many digits the longest DECIMAL of Arrow has.
const mostDigits = 76

func textOf(v parquet.Value) cell { return newText(string(v.ByteArray())) }

// numberOf is a number, or a missing value for NaN.
func numberOf(value float64) cell {
	if math.IsNaN(value) {
		return cell{}
	}
	return cell{kind: numberCell, number: value}
}

// decimalOf makes numbers of whole numbers that stand for so many digits after the point.
func decimalOf(column *parquet.Column, scale int32) func(parquet.Value) cell {
	const longest = 32 // bytes of mostDigits
	return func(v parquet.Value) cell {
		digits := ""
		switch column.Type().Kind() {
		case parquet.Int32:
			digits = strconv.FormatInt(int64(v.Int32()), 10)
		case parquet.Int64:
			digits = strconv.FormatInt(v.Int64(), 10)
		default:
			bytes := v.ByteArray()
			if len(bytes) > longest {
				return cell{kind: textCell, text: strconv.Itoa(len(bytes)) + " bytes of a decimal"}
			}
			number := new(big.Int).SetBytes(bytes) // in two's complement
			if len(bytes) > 0 && bytes[0] > math.MaxInt8 {
				number.Sub(number, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
			}
			digits = number.String()
		}
		if whole, err := strconv.ParseInt(digits, 10, 64); err == nil && scale == 0 {
			return cell{kind: wholeCell, whole: whole}
		}
		value, _ := strconv.ParseFloat(digits+"e-"+strconv.Itoa(int(scale)), 64) // the nearest number, infinity too
		return cell{kind: numberCell, number: value}
	}
}

// dateOf is a date of the years 0 to 9999, or a number that no date is.
func dateOf(count, multiple, divisor int64) cell {
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	at := count / divisor
	if count%divisor < 0 {
		at--
	}
	if at < first.UnixMicro()/multiple || at >= last.UnixMicro()/multiple {
		return cell{kind: textCell, text: strconv.FormatInt(count, 10) + " units since 1970"}
	}
	return cell{kind: dateCell, whole: at * multiple}
}

// julian is the older form of timestamps: nanoseconds of a day, counted in Julian days.
func julian(v parquet.Value) cell {
	const unixDay = 2440588
	const day = int64(24 * time.Hour / time.Microsecond)
	parts := v.Int96()
	nanoseconds := int64(parts[1])<<32 | int64(parts[0])
	date := dateOf(int64(parts[2])-unixDay, day, 1)
	if date.kind != dateCell {
		return date
	}
	if nanoseconds < 0 || nanoseconds >= 24*int64(time.Hour) {
		return cell{kind: textCell, text: strconv.FormatInt(nanoseconds, 10) + " nanoseconds of a day"}
	}
	date.whole += nanoseconds / int64(time.Microsecond)
	return date
}
