package random
import ("testing";"math";"fmt";"os")
func TestGap(t *testing.T) {
	f,_ := os.Create("/tmp/exp.txt")
	for _, u := range draws(2, 100_000) {
		for _, x := range []float64{1400*Unit(u) - 700, 2*Unit(u)-1} {
			fmt.Fprintf(f,"%x %x %x\n", math.Float64bits(x), math.Float64bits(Exp(x)), math.Float64bits(math.Exp(x)))
		}
	}
	f.Close()
	f,_ = os.Create("/tmp/log.txt")
	for _, u := range draws(2, 100_000) {
		for _, x := range []float64{Unit(u), 1+Unit(u)/64, 1-Unit(u)/64, 1e9*Unit(u)} {
			fmt.Fprintf(f,"%x %x %x\n", math.Float64bits(x), math.Float64bits(Log(x)), math.Float64bits(math.Log(x)))
		}
	}
	f.Close()
}
