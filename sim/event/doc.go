// Package event is the clock of a discrete-event simulation: virtual time in
// integer nanoseconds and the set of events that are still to come.
//
// # Order
//
// Events have a total order that depends on nothing but their content: first
// the time, then the key. Which of two simultaneous events was pushed first, or
// how it came to be, makes no difference. [Set.Pop] always returns the smallest
// of what is pending, so an event that is pushed at the present instant still
// happens in it, and comes next if its key is smaller than all others, even
// smaller than one that has been popped already. Events with the same time and
// key all come out, in an order that the same pushes and pops since the last
// [Set.Reset] repeat.
//
// There is no way to cancel an event. Whoever pops it finds out by Ref and Gen
// whether it is still wanted.
//
// # How the set works
//
// A heap keeps all events in order all the time, and pays for it with log n
// cache misses each. But only the next few events need an order. The set sorts
// just those in its window, an interval that moves over time, and throws all
// later events into the slots of a wheel, unsorted.
//
// The wheel is a hierarchy. A level has 512 slots, as wide as a whole level
// below it. All levels are aligned, so the highest bit in which the time of an
// event differs from the start of the window tells the level, and the bits
// there tell the slot: a push is some shifts and one store. A slot is a chain of
// chunks in an arena that has no pointers in it, and bitmaps find the next slot
// in use.
//
// When the window is empty, the next slot becomes the window, at whatever level
// it is, if it has few enough events to sort them at once. Otherwise they are
// dealt out to the slots of a lower level. Sparse stretches of time so cost no
// more steps than dense ones. If the events of a slot cannot be told apart by
// time, a herd at one instant, they go to a second wheel that works the same
// way on their keys.
//
// Slots work best with about a dozen events. The set watches how many it finds
// and shifts the digits of the levels accordingly. This changes its speed, never
// its results.
package event
