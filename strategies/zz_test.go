package strategies
import ("testing";"time";"fmt")
func TestZZ(t *testing.T){
 for _, b := range []time.Duration{1e3,1e6,1e9} { for _, c := range []time.Duration{2e9,25e8,27e8,3e9,86400e9,1e17,1<<60} { for _,dk := range []int64{0,1,3,10,40,400} {
  c := curve{kind:decorrelatedJitter,base:int64(b),cap:int64(c)}
  k:=int64(1); for grow(c.base,3,k,c.cap)<c.cap {k++}
  k+=dk
  fmt.Println(c.base,c.cap,k,int64(c.decorrelatedMean(k)))
 }}}
}
