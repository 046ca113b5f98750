import type { Node } from "../../src/fhirpath/evaluate/Node.ts"
import { canRead, oddElements } from "../../src/fhirpath/generate/regular.ts"
import { isJsonObject } from "../../src/json/JsonObject.ts"

/** A mistake that a generator could make, and what it changes in the text of a function. */
interface PlantedFault {
  readonly name: string
  readonly alter: (text: string) => string
}

const every = (name: string, pattern: RegExp, by: string): PlantedFault => ({
  name,
  alter: (text) => text.replaceAll(new RegExp(pattern, "gmu"), by)
})

/** Faults in the code of expressions. */
export const faultsOfExpressions: ReadonlyArray<PlantedFault> = [
  every("the guard of an absent element is inverted", /if \((t\d+) !== undefined\) \{/u, "if ($1 === undefined) {"),
  every("the guard of an absent element is dropped", /if \((t\d+) !== undefined\) \{/u, "{"),
  every("the break of first() is dropped", /^(t\d+f = true)\nbreak l\d+$/u, "$1"),
  every("the break of a condition is dropped", /^(t\d+ = (?:Boolean\(.*\)|true|false))\nbreak l\d+$/u, "$1"),
  every("first() keeps the last of several", /if \((t\d+e) === undefined\) /u, ""),
  every("the mark of first() is not reset", /^(t\d+f) = false$/u, ""),
  every("a loop starts at 1", /for \((t\d+) = 0;/u, "for ($1 = 1;"),
  every("a loop ends before the last", /(t\d+) < (\S+)\.length;/u, "$1 < $2.length - 1;"),
  every("`or` is `and`", / === true \|\| (t\d+) === true \? true/u, " === true && $1 === true ? true"),
  every("`and` is `or`", / === false \|\| (t\d+) === false \? false/u, " === false && $1 === false ? false"),
  every("`implies` is `or`", /(t\d+) === false \|\| (t\d+) === true \? true/u, "$1 === true || $2 === true ? true"),
  every("`xor` is `=`", /\? undefined : (t\d+) !== (t\d+)$/u, "? undefined : $1 === $2"),
  every("an empty operand of `or` is false", /\? undefined : false$/u, "? false : false"),
  every("an empty operand of `and` is true", /\? undefined : true$/u, "? true : true"),
  every("the second operand is left out in the wrong case", /if \((t\d+) !== (true|false)\) \{/u, "if ($1 === $2) {"),
  every("a comparison is inverted", /=== ("[^"\n]*")/u, "!== $1"),
  every("the last alternative is left out", / \|\| t\d+ === "[^"\n]*"$/u, ""),
  every("an equality with nothing is false", / === undefined \? undefined : /u, " === undefined ? false : "),
  every(
    "the opposite of an equality with nothing is true",
    /^(t\d+) = (t\d+ === undefined \? undefined : t\d+ === "[^"\n]*")\n(t\d+) = \1 === undefined \? undefined : !\1$/u,
    "$1 = $2\n$3 = !$1"
  ),
  every("the URL of an extension is not compared", /if \(t\d+\.url === "[^"\n]*"\)/u, "if (true)"),
  every("not() and empty() return their input", /!(t\d+)/u, "$1"),
  every("a condition is ignored", /if \(t\d+\) \{/u, "if (true) {"),
  every("the parts of iif() are swapped", /if \((t\d+)\) \{/u, "if (!$1) {"),
  every("all() ignores an element", /^if \(t\d+ !== true\) t\d+ = false$/u, ""),
  every("the rest of a list is dropped", /^else t\d+\.push\(.*\)$/u, ""),
  every("a list is reversed", /\.push\(/u, ".unshift("),
  every("an element is returned for its value", /valueOf\((t\d+)\)/u, "$1"),
  every("a number loses its digits", /dataOf\(([^()]*)\)/u, "Number($1)"),
  every("a node has no position in its list", /^(.*new Node\(.*), t\d+\)/u, "$1, null)"),
  every("a node has no parent", /new Node\((?:f|t\d+g?|new Node\([^()]*\)), /u, "new Node(null, "),
  every("a node has another type", /"Coding", "Coding"/u, "\"Identifier\", \"Identifier\""),
  every("a node has no path in the model", /null, "Quantity", "Quantity"/u, "null, null, \"Quantity\""),
  every("another type of a choice is read", /\.data\.valueString|\.valueString/u, ".valueQuantity"),
  every("an element is read by another name", /\.family/u, ".text"),
  every("the arguments of a call are swapped", /\((t\d+), (t\d+), s\)/u, "($2, $1, s)"),
  every("the arguments of a function are left out", /\.call\((t\d+), k\d+, s\)/u, ".call($1, [], s)"),
  every("only the last element is tested", /^if \(!t\d+\) (t\d+ = k\d+\(.*\))$/u, "$1"),
  every("an empty list exists", /\.length > 0$/u, ".length >= 0"),
  every("count() starts at 1", /^(t\d+) = 0$/u, "$1 = 1"),
  every("the texts of `&` are swapped", /= (t\d+) \+ (t\d+)$/u, "= $2 + $1"),
  every("an empty text of `&` is a space", /= ''$/u, "= ' '"),
  every("true and false are swapped", /\? yes : no/u, "? no : yes"),
  every("a union keeps equal elements", /^if \(t\d+\.length > 1\) t\d+ = k\d+\(t\d+, none, s\)$/u, ""),
  every("the value of a constant is not checked", /^if \(v\["\w+"\] !== k\d+\) return null$/u, ""),
  every("the type of a variable is not checked", / \|\| t\d+g\.path !== "\w+"/u, ""),
  every("the number of a variable's elements is not checked", /if \(v\["\w+"\]\.length !== 1 \|\| /u, "if ("),
  every("an empty variable is not checked", /^if \(v\["\w+"\]\.length !== 0\) return null$/u, ""),
  every("the value of the element before remains", /^(t\d+) = undefined$/u, ""),
  every("the list of the element before remains", /^(t\d+) = none$/u, "$1 ??= none"),
  every("the answer for the element before remains", /^(t\d+) = false$/u, ""),
  every("a failed part counts as nothing", /=== null\) fail\(\)/u, "=== null) return none"),
  every(
    "the result of a function for another variable is taken",
    /^(t\d+) = (k\d+\(\w+, v, s\))\nif \(\1 === null\) fail\(\)$/u,
    "$1 = $2"
  ),
  every("what several elements are together is ignored", /truthOfAll\((t\d+s)\)/u, "true"),
  every("several conditions count as the last", /^if \(t\d+ !== 1\) (t\d+) = false$/u, ""),
  every("the result of aggregate() is the first element", /^(t\d+) = (t\d+)$/u, "if ($1.length === 0) $1 = $2"),
  every("an element of any type has no extensions", /extensionsWith\(.*\)$/u, "none"),
  every("a companion is lost", /(new Node\(\w+, t\d+, )\w+(?:\.data)?\._\w+,/u, "$1null,"),
  every("a companion is that of the first of several", /(\._\w+ \?\? none\))\[t\d+\]/u, "$1[0]"),
  every("the encounters of a visit are not checked", /^if \(!areOf\(.*\)\) return null$/u, ""),
  every(
    "a record that a reference leads to is taken as one of the type that the model permits",
    /^if \(!\(t\d+\.path === .*\)\) fail\(\)$/u,
    ""
  ),
  every("records of a named type are taken as written as the model says", /^if \(!\(areOf\(.*\)\)\) fail\(\)$/u, ""),
  every("the body of a function is on another element", /(k\d+)\((t\d+), v, s\)/u, "$1(f, v, s)")
]

/** Faults in the code of fields and of conditions. */
export const faultsOfFields: ReadonlyArray<PlantedFault> = [
  every("the records that a field has read are lost", /^if \(isSeveral \|\| reads\.length > 0\) h\.filled\(.*\)$/u, ""),
  every("another path is noted as the one that filled a field", /h\.filled\((\d+), [1-9]\d*\)/u, "h.filled($1, 0)"),
  every("the assumption of a path is not reported", /^h\.remark\(.*\)$/u, ""),
  every("the assumption of another path is reported", /^h\.remark\((\d+), \d+,/u, "h.remark($1, 0,"),
  every("what functions report for a field is lost", /^if \(h\.hasReports\(\)\) h\.report\(.*\)$/u, ""),
  every(
    "what functions report for a field that never has a value is lost",
    /^if \(h\.hasReports\(\)\) h\.report\(\d+, \d+, \[\]\)$/u,
    ""
  ),
  every("null is sent as a blank text", /^x = null$/u, "x = \"\""),
  every(
    "what functions report for a condition is lost",
    /^if \(h\.hasReports\(\)\) h\.report\(.*, e, .*\)$/u,
    ""
  ),
  every("what a condition found is lost", /^(if \(h\.hasReports\(\)\) h\.report\(\w+), .*(, e, .*)$/u, "$1, none$2"),
  every("what earlier conditions reported for a line that is left out remains", /^h\.pending\.length = start$/u, ""),
  every("what an earlier evaluation reported remains", /^h\.forget\(\)$/u, ""),
  every("a condition is ignored", /^if \(!\(t\d+ === true\)\) \{$/u, "if (false) {"),
  every("a condition is inverted", /^if \(!\((t\d+) === true\)\) \{$/u, "if ($1 === true) {"),
  every("another condition excludes", /^return [1-9]\d*$/u, "return 0"),
  every("a blank is not sent", /^x = (?:null|"")$/u, ""),
  every("a blank text is sent as null", /^x = ""$/u, "x = null"),
  every("what the definition does without a value is left out", /^x = h\.none\(.*\)$/u, ""),
  every("the problems of earlier fields explain a missing value", /^start = pending\.length$/u, "start = 0"),
  every("a later path takes precedence", /^break p\d+$/u, ""),
  every("a later path is not tried", /^if \(x !== undefined\) \{$/u, "{"),
  every("a text is sent as it is found", /^x = k\d+\((t\d+)\) \? .* : h\.found\(.*\)$/u, "x = $1"),
  every("of several texts the first is sent", /^x = t\d+\.length === 1 && /u, "x = "),
  every("a code is not sent as its list writes it", /k\d+\(k\d+, (t\d+)\) \?\? t\d+/u, "$1"),
  every(
    "a time is sent only if it is known",
    /^x = \(.*times\.get\((\S+)\)\) \|\| h\.found\(.*\)$/u,
    "x = times.get($1)"
  ),
  every("a time is sent as it is found", /^x = \(.*times\.get\((\S+)\)\) \|\| h\.found\(.*\)$/u, "x = $1"),
  every("the value of the field before is sent", /^x = undefined$/u, ""),
  every("the rest of the values is dropped", /^(x = h\.found\(\d+, \d+, )(t\d+)\)$/u, "$1[$2[0]])"),
  every("a value is found by another path", /h\.found\((\d+), [1-9]\d*,/u, "h.found($1, 0,"),
  every("a value is that of another field", /h\.found\(1,/u, "h.found(0,"),
  every("what only the definition evaluates is left out", /^const (e\d+_\d+) = h\.values\(.*\)$/u, "const $1 = []"),
  every("a field has another name", /r\.medicine_name = x/u, "r.strength = x"),
  every("a fixed value is another", /^(r\.\w+) = ("[^"\n]*"|true|false|\d+)$/u, "$1 = null"),
  every(
    "a concept of a constant is swapped with another",
    /\.call\((t\d+), k(\d)(\d?), s\)/u,
    ".call($1, [['other']], s)"
  )
]

/** A mistake in deciding which records are written as the model says. */
interface ReadingFault {
  readonly name: string
  readonly canRead: (node: Node, elements: ReadonlySet<string>) => boolean
}

/** Takes an element as regular if it is in a copy with changes. */
const ifChanged =
  (change: (key: string, value: unknown) => unknown) => (node: Node, elements: ReadonlySet<string>): boolean => {
    let root = node
    while (root.parentResNode !== null) root = root.parentResNode
    return canRead(node, elements) || oddElements(copied(root.data, change))?.isDisjointFrom(elements) === true
  }

const copied = (value: unknown, change: (key: string, value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => copied(one, change))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, change(key, copied(inner, change))])
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined))
}

export const faultsOfReading: ReadonlyArray<ReadingFault> = [
  { name: "every record is regular", canRead: () => true },
  {
    name: "a record with a companion is regular",
    canRead: ifChanged((key, value) => (key.startsWith("_") ? undefined : value))
  },
  { name: "a record with null is regular", canRead: ifChanged((_, value) => value ?? undefined) },
  {
    name: "a record with two types of a choice is regular",
    canRead: ifChanged((key, value) => (key === "valueString" ? undefined : value))
  },
  {
    name: "a record with a list for one value is regular",
    canRead: ifChanged((key, value) => (key === "status" && Array.isArray(value) ? value[0] : value))
  },
  {
    name: "a record with one value for a list is regular",
    canRead: ifChanged((key, value) => (key === "coding" && !Array.isArray(value) ? [value] : value))
  },
  {
    name: "a record with a number for a text is regular",
    canRead: ifChanged((key, value) => (key === "gender" ? "other" : value))
  }
]
