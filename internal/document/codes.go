package document

// The codes of what can be wrong with a rule file apart from its triggers and its template. They are stable.
const (
	codeTooBig      = "R0401" // the file or its front matter is too big
	codeBytes       = "R0402" // bytes that are no text
	codeExtension   = "R0403" // no rule file by its name
	codeUnclosed    = "R0404" // a front matter that is not closed, or does not begin on the first line
	codeSyntax      = "R0405" // YAML cannot be read
	codeTooMany     = "R0406" // too many keys, nested too deep
	codeShape       = "R0407" // a list where keys are wanted, or the other way round
	codeDocuments   = "R0408" // more than one YAML document
	codeUnknownKey  = "R0410"
	codeTwice       = "R0411" // a key is given twice
	codeType        = "R0412" // a value of the wrong type
	codeOneTrigger  = "R0413" // more than one of when, trigger, while, schedule
	codeNoTrigger   = "R0414" // an empty trigger
	codeTag         = "R0415" // a value that YAML takes for a tag
	codeAlias       = "R0416" // an anchor, an alias, a merge key
	codeEaten       = "R0417" // a value whose first character means something else to YAML
	codeComment     = "R0418" // a comment behind an unquoted trigger
	codeID          = "R0420" // no id, or one that cannot be
	codeSameID      = "R0421" // an id that is taken
	codeEmptyText   = "R0422"
	codeTwoTexts    = "R0423" // a body and a content
	codeSpan        = "R0424" // for, cooldown, keep
	codeNumber      = "R0425" // a number out of its range
	codeWord        = "R0426" // a word that is none of those allowed
	codeKind        = "R0430" // schedule.kind
	codeInterval    = "R0431" // schedule.turn_interval, schedule.interval
	codeNotItsKind  = "R0432" // a key that another kind of schedule takes
	limitFile       = 256 << 10
	limitFront      = 16 << 10
	limitEntries    = 40_000 // keys, list items and comments of a file: what memory the YAML library takes is by the entry
	limitKeys       = 1000   // keys of one mapping; a reminder has sixteen
	limitNesting    = 64
	limitWholeValue = 1<<31 - 1
)
