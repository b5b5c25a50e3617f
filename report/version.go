package report

// ResultsVersion is the version of the numbers: raised by hand whenever any
// number changes that the same scenario and seed gave before, be it by a
// repaired model, another random stream or a metric defined differently.
// Results of different versions are not comparable, so they are not mixed.
const ResultsVersion = 1

// FormatVersion is the version of the files: raised by hand whenever a file,
// column or manifest field changes its name or meaning. Folders of another
// format version cannot be read.
const FormatVersion = 4

// tool is what the manifest calls the program.
const tool = "retrystorm"
