package report

// There is no Parquet in a browser: its writer would be most of what a page has to
// load, and who wants it has the command.

func (t *table) parquetFile() string { return "" }

func parquetFiles(*table, *pass) []File { return nil }
