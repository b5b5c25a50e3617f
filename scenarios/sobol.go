package scenarios

// joeKuo are the primitive polynomials and initial direction numbers of axes 2,
// 3, ... of a Sobol sequence: all up to degree 7. Source: S. Joe and F. Y. Kuo,
// "Constructing Sobol sequences with better two-dimensional projections", SIAM
// J. Sci. Comput. 30 (2008), their table new-joe-kuo-6.21201. The degree of a
// polynomial is the number of its initial direction numbers; a has the
// coefficients between the first and the last as bits.
var joeKuo = []struct {
	a uint64
	m []uint64
}{
	{0, []uint64{1}},
	{1, []uint64{1, 3}},
	{1, []uint64{1, 3, 1}},
	{2, []uint64{1, 1, 1}},
	{1, []uint64{1, 1, 3, 3}},
	{4, []uint64{1, 3, 5, 13}},
	{2, []uint64{1, 1, 5, 5, 17}},
	{4, []uint64{1, 1, 5, 5, 5}},
	{7, []uint64{1, 1, 7, 11, 19}},
	{11, []uint64{1, 1, 5, 1, 1}},
	{13, []uint64{1, 1, 1, 3, 11}},
	{14, []uint64{1, 3, 5, 5, 31}},
	{1, []uint64{1, 3, 3, 9, 7, 49}},
	{13, []uint64{1, 1, 1, 15, 21, 21}},
	{16, []uint64{1, 3, 1, 13, 27, 49}},
	{19, []uint64{1, 1, 1, 15, 7, 5}},
	{22, []uint64{1, 3, 1, 15, 13, 25}},
	{25, []uint64{1, 1, 5, 5, 19, 61}},
	{1, []uint64{1, 3, 7, 11, 23, 15, 103}},
	{4, []uint64{1, 3, 7, 13, 13, 15, 69}},
	{7, []uint64{1, 1, 3, 13, 7, 35, 63}},
	{8, []uint64{1, 3, 5, 9, 1, 25, 53}},
	{14, []uint64{1, 3, 1, 13, 9, 35, 107}},
	{19, []uint64{1, 3, 1, 5, 27, 61, 31}},
	{21, []uint64{1, 1, 5, 11, 19, 41, 61}},
	{28, []uint64{1, 3, 5, 3, 3, 13, 69}},
	{31, []uint64{1, 1, 7, 13, 1, 19, 1}},
	{32, []uint64{1, 3, 7, 5, 13, 19, 59}},
	{37, []uint64{1, 1, 3, 9, 25, 29, 41}},
	{41, []uint64{1, 3, 5, 13, 23, 1, 55}},
	{42, []uint64{1, 3, 7, 3, 13, 59, 17}},
	{50, []uint64{1, 3, 1, 3, 5, 53, 69}},
	{55, []uint64{1, 1, 5, 5, 23, 33, 13}},
	{56, []uint64{1, 1, 7, 7, 1, 61, 123}},
	{59, []uint64{1, 1, 7, 9, 13, 61, 49}},
	{62, []uint64{1, 3, 3, 5, 3, 55, 33}},
}

// sobolAxes is how many axes a Sobol sequence can have; the first needs no table.
var sobolAxes = len(joeKuo) + 1

// directions are the direction numbers of an axis, as fractions of 2^64:
//
//	m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s)
//
// divided by 2^k.
func directions(axis int) (v [64]uint64) {
	if axis == 0 {
		for k := range v {
			v[k] = 1 << (63 - k)
		}
		return v
	}
	row := joeKuo[axis-1]
	degree := len(row.m)
	for k := range v {
		if k < degree {
			v[k] = row.m[k] << (63 - k)
			continue
		}
		v[k] = v[k-degree] ^ v[k-degree]>>degree
		for i := 1; i < degree; i++ {
			if row.a>>(degree-1-i)&1 == 1 {
				v[k] ^= v[k-i]
			}
		}
	}
	return v
}
