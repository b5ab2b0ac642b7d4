package sarif

// The objects of the format with the members that are used. Names are those of the standard, §3.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool       tool            `json:"tool"`
	Bases      map[string]base `json:"originalUriBaseIds,omitempty"`
	ColumnKind string          `json:"columnKind"`
	Results    []result        `json:"results"`
}

type base struct {
	URI string `json:"uri"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name    string `json:"name"`
	Version string `json:"semanticVersion,omitempty"`
	URI     string `json:"informationUri,omitempty"`
	Rules   []rule `json:"rules"`
}

type rule struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Short message `json:"shortDescription"`
	Full  message `json:"fullDescription"`
	Help  message `json:"help"`
}

type message struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type result struct {
	RuleID    string     `json:"ruleId"`
	RuleIndex *int       `json:"ruleIndex,omitempty"`
	Level     string     `json:"level"`
	Message   message    `json:"message"`
	Locations []location `json:"locations,omitempty"`
	Fixes     []fix      `json:"fixes,omitempty"`
}

type location struct {
	Physical physical `json:"physicalLocation"`
}

type physical struct {
	Artifact artifactLocation `json:"artifactLocation"`
	Region   *region          `json:"region,omitempty"`
}

type artifactLocation struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type fix struct {
	Description message  `json:"description"`
	Changes     []change `json:"artifactChanges"`
}

type change struct {
	Artifact     artifactLocation `json:"artifactLocation"`
	Replacements []replacement    `json:"replacements"`
}

type replacement struct {
	Deleted  region   `json:"deletedRegion"`
	Inserted *content `json:"insertedContent,omitempty"`
}

type content struct {
	Text string `json:"text"`
}
