package scenarios
import ("testing";"time";"fmt";"strings")
func TestTiming(t *testing.T){
 src:=recovering+"sweep: {clients.count: 1..5000 step 1}\n"
 t0:=time.Now(); f,err:=Load("x",[]byte(src),nil,nil); if err!=nil{t.Fatal(err)}
 fmt.Println("5000 points",time.Since(t0),"nodes",f.root.size())
 M:=1<<20
 head:="name: x\nclients: {calls: a0}\n"
 for name,s:=range map[string]string{
  "services": func()string{var b strings.Builder; b.WriteString(head+"services:\n"); for i:=0;b.Len()<M;i++{fmt.Fprintf(&b,"  a%d: {workers: 1}\n",i)};return b.String()}(),
  "900 services chain": func()string{var b strings.Builder; b.WriteString(head+"services:\n"); for i:=0;i<900;i++{fmt.Fprintf(&b,"  a%d: {calls: a%d, policy: {max_attempts: 2}}\n",i,i+1)};b.WriteString("  a900: {}\n");return b.String()}(),
  "policies chain": func()string{var b strings.Builder; b.WriteString(head+"services: {a0: {}}\npolicies:\n"); for i:=0;i<900;i++{fmt.Fprintf(&b,"  p%d: {extends: p%d, max_attempts: 2}\n",i,i+1)};b.WriteString("  p900: {timeout: 1s}\n");return b.String()}(),
  "variants": func()string{var b strings.Builder; b.WriteString(head+"services: {a0: {}}\nvariants:\n"); for i:=0;i<900;i++{fmt.Fprintf(&b,"  v%d: {clients.count: %d, until: 5m, slo: 5s}\n",i,i+1)};return b.String()}(),
  "900 services x 900 variants": func()string{var b strings.Builder; b.WriteString(head+"services:\n"); for i:=0;i<900;i++{fmt.Fprintf(&b,"  a%d: {calls: a%d}\n",i,i+1)};b.WriteString("  a900: {}\nvariants:\n");for i:=0;i<900;i++{fmt.Fprintf(&b,"  v%d: {services.*.workers: %d}\n",i,i+1)}; return b.String()}(),
  "unknown": func()string{var b strings.Builder; for i:=0;b.Len()<M/4;i++{fmt.Fprintf(&b,"kkkkkk%d: 1\n",i)};return b.String()}(),
  "flow": "a: ["+strings.Repeat("1,",M/4)+"]",
  "flow colons": "a: {"+strings.Repeat("a: ",15000)+"}",
  "flow pairs": "a: ["+strings.Repeat("a: b, ",12000)+"]",
  "dashes": strings.Repeat("- ",20000),
  "braces": strings.Repeat("{a: ",20000),
  "long plain": "name: "+strings.Repeat("x ",M/2-10),
  "long rate": "name: x\nclients: {calls: db, network: "+strings.Repeat("9",M-100)+"s}\n",
  "words": "name: x\nclients: {calls: db, network: "+strings.Repeat("a ",M/2-100)+"}\n",
  "quotes": strings.Repeat("'",M-1),
  "dquotes": strings.Repeat("\"\\x",M/4),
  "colon": strings.Repeat(":",M-1),
  "q": strings.Repeat("?",M-1),
  "qs": strings.Repeat("? ",M/2-1),
  "bang": strings.Repeat("!",M-1),
  "bangs": strings.Repeat("! ",M/2-1),
  "pct": strings.Repeat("%",M-1),
  "pipe": strings.Repeat("|\n",M/2-1),
  "gt": strings.Repeat("a: >\n",M/5-1),
  "hash": strings.Repeat("#",M-1),
  "ctl": strings.Repeat("a\n",M/2-1),
  "indent": func()string{var b strings.Builder; for i:=0;i<1400;i++{b.WriteString(strings.Repeat(" ",i)+"a:\n")};return b.String()}(),
  "indentlist": func()string{var b strings.Builder; for i:=0;i<1400;i++{b.WriteString(strings.Repeat(" ",i)+"-\n")};return b.String()}(),
  "keys same": strings.Repeat("a: 1\n",12000),
 }{
  t0:=time.Now(); _,err:=Load("x",[]byte(s),nil,nil); e:="ok"; if err!=nil{e=fmt.Sprint(len(err.Error())," ",err.Error())}
  fmt.Printf("%-30s %8v %.150q\n",name,time.Since(t0).Round(time.Millisecond),e)
 }
}
