/**
 * The words of the mapping language: for the check, which takes no others, and for the schema of editors, which completes and explains
 * them.
 */

/** The words of the top level of a mapping file. */
export const topLevelKeys = [
  "mapping",
  "description",
  "extends",
  "fhirVersion",
  "time",
  "text",
  "stated",
  "table",
  "assumption",
  "accept",
  "constant",
  "conceptMap",
  "function",
  "grouping",
  "key",
  "visit"
] as const

/** The declaration of an assumption. */
export const assumptionWords = ["means", "instead", "ask", "level"] as const

/** An acceptance of an assumption: why, who and when; and a hash of the lines that were accepted. */
export const acceptanceWords = ["why", "hash"] as const

/** Who can decide about an assumption. */
export const assumptionAsks = ["hospital", "operator"] as const

/** How an assumption that is not accepted is reported. */
export const assumptionLevels = ["warning", "error"] as const

export const timeWords = ["partialTimestamp", "partialEnd", "partialDate", "missingOffset"] as const

export const partialTimestamps = ["reject", "start-of-day", "midday"] as const

export const partialEnds = ["end-of-day", ...partialTimestamps] as const

export const partialDates = ["reject", "blank", "first-day"] as const

export const missingOffsets = ["zone", "local", "reject"] as const

export const textWords = ["normalise"] as const

export const normalForms = ["NFC", "none"] as const

export const statedWords = ["row", "part", "field"] as const

/** What may be said for all tables at once, under `"*"`. */
export const sharedTableWords = [
  "encoding",
  "delimiter",
  "quote",
  "escape",
  "header",
  "format",
  "null",
  "trim",
  "formulaGuard",
  "optional",
  "fileOptional",
  "description"
] as const

/** The words of a table. */
export const tableWords = ["file", "key", "order", "column", "link", ...sharedTableWords] as const

/** How dates, numbers and truth values are written, where a column does not say otherwise. */
export const formatWords = ["timestamp", "date", "calendar", "decimal", "group", "true", "false"] as const

/** The words of a column. */
export const columnWords = [
  "type",
  "from",
  "format",
  "calendar",
  "decimal",
  "group",
  "true",
  "false",
  "null",
  "trim",
  "optional",
  "description"
] as const

/** The words of a link from table to table. */
export const linkWords = ["table", "on", "description"] as const

export const decimalSigns = [".", ","] as const

/** The words of a concept map. `file` and `accept` are done with before the check: their rows stand in `table` (see `tables/`). */
export const conceptMapWords = ["table", "file", "accept", "unmapped", "list", "send", "description"] as const

/** What of a row of the standard data is sent. */
export const sendWords = ["name", "code"] as const

/** What happens to a code that has no row, in a word. */
export const unmappedModes = ["reject", "warn", "skip", "provided"] as const

/** What is done besides with a code that has no row; `policy` holds one of `unmappedModes`, beside `assume`. */
export const unmappedWords = ["fixed", "table", "policy", "assume"] as const

/** A row of a concept map that is an assumption. */
export const conceptRowWords = ["value", "assume"] as const

export const functionWords = ["parameters", "path", "over", "description"] as const

/** Whether a function stands on each item of its input, or on all of them together. */
export const functionInputs = ["item", "collection"] as const

export const groupingWords = [
  "resource",
  "where",
  "copies",
  "understood",
  "partOf",
  "rootIsEncounter",
  "kind",
  "patient",
  "start",
  "end",
  "link",
  "document",
  "window",
  "patientScope",
  "description"
] as const

/** When the root of a visit is one of its encounters. */
export const rootRoles = ["when-none-of-its-kind", "when-no-members", "always", "never"] as const

export const windowWords = ["enabled", "patient", "time", "before", "after", "several", "description"] as const

/** What is done with a record that falls into several visits. */
export const severalVisits = ["reject", "nearest"] as const

export const keyWords = ["path", "mint", "description"] as const

/** Structural words of a component; no field of the specification has one of these names. */
export const componentWords = [
  "sameAs",
  "resource",
  "scope",
  "forEach",
  "forEachOrNull",
  "unionAll",
  "where",
  "groupBy",
  "orderBy",
  "onePer",
  "take",
  "needs",
  "assume",
  "enabled",
  "description"
] as const

/** An item of `orderBy`. */
export const orderWords = ["field", "conceptMap", "path", "descending"] as const

/** Whose records are the rows. */
export const rowScopes = ["visit", "patient"] as const

/** Which rows of a component are sent. */
export const acceptedRows = ["first", "all"] as const

/** The attributes of a field's long form. */
export const leafWords = [
  "path",
  "value",
  "conceptMap",
  "unit",
  "default",
  "required",
  "join",
  "take",
  "empty",
  "assume",
  "description"
] as const

export const requiredWords = ["error", "warning", "none"] as const

/** A value or default that is reported where it is sent: in words of its own, or as an assumption. */
export const defaultWords = ["value", "warn", "assume"] as const

/** An expression that is reported when it counts: in words of its own, or as an assumption. */
export const warningKeys = ["path", "warn", "assume"] as const

/** Every word that stands beside `warn` or `assume`. */
export const remarkedWords: ReadonlySet<string> = new Set([...warningKeys, ...defaultWords, ...unmappedWords])

export const unitWords = ["to", "from", "conceptMap", "of", "round", "spelling", "molarMass"] as const
