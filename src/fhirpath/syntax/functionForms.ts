/** The syntax of a FHIRPath function, and its number of arguments. */
interface FunctionForm {
  /** `substring(start, length?)`: a question mark means optional, and `…` means repeatable. */
  readonly form: string
  readonly least: number
  readonly most: number
  /** Its first argument is a regular expression. */
  readonly takesPattern: boolean
}

const forms =
  "empty() not() exists(condition?) all(condition) allTrue() anyTrue() allFalse() anyFalse() subsetOf(others) supersetOf(others) " +
  "isDistinct() distinct() count() where(condition) extension('url') select(path) coalesce(path,…) sort(path?,…) " +
  "aggregate(path,start?) sum() min() max() avg() single() first() last() type() ofType(Type) is(Type) as(Type) tail() " +
  "take(number) skip(number) combine(others) union(others) intersect(others) exclude(others) iif(condition,then,otherwise?) " +
  "defineVariable('name',path?) toInteger() toLong() toDecimal() toString() toDate() toDateTime() toTime() toBoolean() " +
  "toQuantity('unit'?) hasValue() getValue() convertsToBoolean() convertsToInteger() convertsToLong() convertsToDecimal() " +
  "convertsToString() convertsToDate() convertsToDateTime() convertsToTime() convertsToQuantity() indexOf('text') " +
  "lastIndexOf('text') substring(start,length?) startsWith('text') endsWith('text') contains('text') upper() lower() " +
  "replace('text','by') matches('pattern','flags'?) matchesFull('pattern','flags'?) replaceMatches('pattern','by') length() " +
  "toChars() join('separator'?) split('separator') trim() encode('format') decode('format') escape('format') " +
  "unescape('format') abs() ceiling() exp() floor() ln() log(base) power(exponent) round(digits?) sqrt() truncate() " +
  "lowBoundary(digits?) highBoundary(digits?) yearOf() monthOf() dayOf() hourOf() minuteOf() secondOf() millisecondOf() " +
  "timezoneOffsetOf() dateOf() timeOf() repeat(path) children() descendants() comparable(other)"

/** FHIRPath functions that mappings can call in addition to those of the mapping language. */
export const standardFunctions: ReadonlyMap<string, FunctionForm> = new Map(
  forms.split(" ").map((form) => {
    const [, name = "", list = ""] = /^(\w+)\((.*)\)$/u.exec(form) ?? []
    const parameters = list === "" ? [] : list.split(",")
    const given = parameters.filter((parameter) => parameter !== "…")
    return [name, {
      form: form.replaceAll(",", ", "),
      least: given.filter((parameter) => !parameter.endsWith("?")).length,
      most: parameters.includes("…") ? Infinity : given.length,
      takesPattern: parameters[0] === "'pattern'"
    }]
  })
)
