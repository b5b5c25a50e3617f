package experiment

import "sync"

// InOrder makes n things on several goroutines, and takes them one after the
// other in order on the one that calls it. Few are there at a time. The first
// error in order ends it.
func InOrder[T any](n, workers int, produce func(i int) (T, error), take func(T) error) error {
	type made struct {
		thing T
		err   error
	}
	workers = max(1, min(workers, n))
	// Whoever wants to make a thing takes its place in the queue first.
	queue := make(chan chan made, 2*workers)
	work := make(chan func(), workers)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for f := range work {
				f()
			}
		})
	}
	all.Go(func() {
		defer close(queue)
		defer close(work)
		for i := range n {
			place := make(chan made, 1)
			select {
			case queue <- place:
			case <-stop:
				return
			}
			work <- func() {
				thing, err := produce(i)
				place <- made{thing, err}
			}
		}
	})
	defer all.Wait()
	defer close(stop)
	for place := range queue {
		m := <-place
		if m.err != nil {
			return m.err
		}
		if err := take(m.thing); err != nil {
			return err
		}
	}
	return nil
}
