package report

func (m *viewMaker) verdict() ViewVerdict {
	return ViewVerdict{Headline: headline(m.r), Best: -1, Tied: []int{}, Detail: []string{}, Wins: []ViewWinner{}}
}
