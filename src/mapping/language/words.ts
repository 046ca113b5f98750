/**
 * The keywords of the mapping language, for two users: the check, which rejects all others, and the editors' schema, which completes
 * and explains them.
 */

/** The top-level keys of a mapping file. */
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

/** The keys of an assumption's declaration. */
export const assumptionWords = ["means", "instead", "ask", "level"] as const

/** The keys of an acceptance of an assumption: why, who and when; and a hash of the accepted lines. */
export const acceptanceWords = ["why", "hash"] as const

/** Who can decide about an assumption. */
export const assumptionAsks = ["hospital", "operator"] as const

/** The severity of an assumption that is not accepted. */
export const assumptionLevels = ["warning", "error"] as const

export const timeWords = ["partialTimestamp", "partialEnd", "partialDate", "missingOffset"] as const

export const partialTimestamps = ["reject", "start-of-day", "midday"] as const

export const partialEnds = ["end-of-day", ...partialTimestamps] as const

export const partialDates = ["reject", "blank", "first-day"] as const

export const missingOffsets = ["zone", "local", "reject"] as const

export const textWords = ["normalise"] as const

export const normalForms = ["NFC", "none"] as const

export const statedWords = ["row", "part", "field"] as const

/** The keys that can be set for all tables at once, under `"*"`. */
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

/** The keys of a table. */
export const tableWords = ["file", "key", "order", "column", "link", ...sharedTableWords] as const

/** The formats of dates, numbers and truth values, unless a column sets its own. */
export const formatWords = ["timestamp", "date", "calendar", "decimal", "group", "true", "false"] as const

/** The keys of a column. */
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

/** The keys of a link between tables. */
export const linkWords = ["table", "on", "description"] as const

export const decimalSigns = [".", ","] as const

/** The keys of a concept map. `file` and `accept` are resolved before the check: their rows are in `table` (see `tables/`). */
export const conceptMapWords = ["table", "file", "accept", "unmapped", "list", "send", "description"] as const

/** What is sent from a row of the standard data. */
export const sendWords = ["name", "code"] as const

/** The policies for an unmapped code that are one keyword. */
export const unmappedModes = ["reject", "warn", "skip", "provided"] as const

/** The keys of other policies for an unmapped code; `policy` is one of `unmappedModes`, together with `assume`. */
export const unmappedWords = ["fixed", "table", "policy", "assume"] as const

/** The keys of a concept map row that is an assumption. */
export const conceptRowWords = ["value", "assume"] as const

export const functionWords = ["parameters", "path", "over", "description"] as const

/** Whether a function is evaluated on each item of its input, or on all items together. */
export const functionInputs = ["item", "collection"] as const

export const groupingWords = [
  "resource",
  "where",
  "copies",
  "understood",
  "status",
  "partOf",
  "rootIsEncounter",
  "kind",
  "patient",
  "start",
  "end",
  "link",
  "bundle",
  "window",
  "patientScope",
  "description"
] as const

/** When the root of a visit is one of its encounters. */
export const rootRoles = ["when-none-of-its-kind", "when-no-members", "always", "never"] as const

export const windowWords = [
  "enabled",
  "patient",
  "time",
  "before",
  "after",
  "several",
  "assume",
  "description"
] as const

/** The types of Bundles that can be one visit. What a search found, and a history, are lists of records. */
export const bundleTypes = ["document", "message", "transaction", "batch", "collection"] as const

export const bundleWords = ["enabled", "assume", "description"] as const

/** The policies for a record that belongs to several visits. */
export const severalVisits = ["reject", "nearest"] as const

export const keyWords = ["path", "mint", "description"] as const

/** Structural keys of a component; no field of the specification has one of these names. */
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

/** The keys of an item of `orderBy`. */
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

/** The keys of a value or default with a remark: a warning with its own text, or an assumption. */
export const defaultWords = ["value", "warn", "assume"] as const

/** The keys of an expression with a remark: a warning with its own text, or an assumption. */
export const warningKeys = ["path", "warn", "assume"] as const

/** Every key that can be used together with `warn` or `assume`. */
export const remarkedWords: ReadonlySet<string> = new Set([...warningKeys, ...defaultWords, ...unmappedWords])

export const unitWords = ["to", "from", "conceptMap", "of", "round", "spelling", "molarMass"] as const
