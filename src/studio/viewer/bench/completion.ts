import { isJsonObject, jsonListOf, type JsonObject, jsonObjectOf } from "../../../json/JsonObject.ts"
import type { MappingView } from "./Wire.ts"
/** A place in a mapping: the keys that lead to it, `[]` for the items of a list. */
interface Cursor {
  readonly steps: ReadonlyArray<string>
  /** Whether a key or a value is written there. */
  readonly at: "key" | "value"
}

/**
 * Returns where a text ends in a mapping, from the indentation of its lines and the braces of the last one. The text need not be valid
 * YAML, because it is being written. `undefined` inside a comment.
 */
export const cursorOf = (text: string): Cursor | undefined => {
  const lines = text.split("\n")
  const last = lines.pop() ?? ""
  if (/^\s*#|\s#/u.test(last)) return undefined
  const steps: Array<string> = []
  const [, blanks = "", marks = "", rest = ""] = /^(\s*)((?:- +)*)(.*)$/su.exec(last) ?? []
  let depth = blanks.length
  for (const line of lines.toReversed()) {
    const found = /^(\s*)((?:- +)*)("[^"]*"|[\w.*-]+):(?:\s|$)/u.exec(line)
    if (found === null || /^\s*#/u.test(line)) continue
    const [, indent = "", marksOf = "", key = ""] = found
    const own = indent.length + marksOf.length
    if (own >= depth && !(marks !== "" && own === depth && marksOf === "")) continue
    if (indent.length >= depth && marks === "") continue
    steps.unshift(...(marksOf === "" ? [] : ["[]"]), key.replaceAll("\"", ""))
    depth = indent.length
    if (depth === 0) break
  }
  if (marks !== "") steps.push("[]")
  return withinLine(steps, rest)
}

/** Follows the flow style of one line: `{path: code, conceptMap: `. */
const withinLine = (outer: ReadonlyArray<string>, line: string): Cursor => {
  const steps = [...outer]
  const opened: Array<number> = []
  let at: Cursor["at"] = "key"
  const token = /"(?:[^"\\]|\\.)*"?|'[^']*'?|[{}[\],]|:(?=\s|$)|[^\s{}[\],:"']+(?::(?!\s|$)[^\s{}[\],:]*)*|\s+/gu
  let word = ""
  for (const [found] of line.matchAll(token)) {
    if (found.trim() === "") continue
    if (found === ":") {
      steps.push(word.replace(/^["']|["']$/gu, ""))
      at = "value"
    } else if (found === "{" || found === "[") {
      opened.push(steps.length)
      if (found === "[") steps.push("[]")
      at = found === "{" ? "key" : "value"
    } else if (found === "}" || found === "]") {
      steps.length = opened.pop() ?? steps.length
      at = "value"
    } else if (found === ",") {
      const base = opened.at(-1) ?? steps.length
      const isList = steps[base] === "[]"
      steps.length = isList ? base + 1 : base
      at = isList ? "value" : "key"
    }
    word = found
  }
  return { steps, at }
}

type Alternatives = ReadonlyArray<readonly [schema: JsonObject, about: string]>

/** Returns the alternatives of a schema, each with the description around it. */
const spread = (grammar: JsonObject, schema: unknown, around = ""): Alternatives => {
  if (!isJsonObject(schema)) return []
  const about = typeof schema["description"] === "string" ? schema["description"] : around
  const reference = schema["$ref"]
  const inner = [
    ...(typeof reference === "string" ? [jsonObjectOf(grammar["$defs"])[reference.slice("#/$defs/".length)]] : []),
    ...jsonListOf(schema["anyOf"]),
    ...jsonListOf(schema["oneOf"])
  ]
  return [[schema, about], ...inner.flatMap((one) => spread(grammar, one, about))]
}

/** Returns what the grammar, a JSON Schema, has after some keys. */
const schemasAt = (grammar: JsonObject, steps: Cursor["steps"]): Alternatives => {
  let here = spread(grammar, grammar)
  for (const step of steps) {
    here = here.flatMap(([schema]) =>
      spread(
        grammar,
        step === "[]" ? schema["items"] : jsonObjectOf(schema["properties"])[step] ?? schema["additionalProperties"]
      )
    )
  }
  return here
}

/** Returns whether a path, or a list of paths, can be written at a place. */
export const takesPath = (grammar: JsonObject, { steps }: Cursor): boolean =>
  [steps, [...steps, "[]"]].some((place) => schemasAt(grammar, place).some(([{ format }]) => format === "fhirpath"))

/** Returns what the grammar allows at a place. */
export const proposalsAt = (
  grammar: JsonObject,
  { at, steps }: Cursor
): ReadonlyArray<{ readonly label: string; readonly detail: string }> => {
  const here = schemasAt(grammar, steps)
  const found = new Map<string, string>()
  for (const [schema, about] of here) {
    if (at === "key") {
      for (const [key, inner] of Object.entries(jsonObjectOf(schema["properties"]))) {
        found.set(
          key,
          spread(grammar, inner)[0]?.[1] || spread(grammar, inner).map(([, text]) =>
            text
          ).find((text) => text !== "") || ""
        )
      }
    } else {
      const values = [
        ...jsonListOf(schema["enum"]),
        ...("const" in schema ? [schema["const"]] : [])
      ]
      for (const value of values) {
        found.set(value === null || value === "" ? JSON.stringify(value) : String(value), about)
      }
      if (schema["type"] === "boolean") { for (const value of ["true", "false"]) found.set(value, about) }
    }
  }
  return [...found].map(([label, detail]) => ({ label, detail }))
}

const takesNames = (names: MappingView["names"], key: string): key is keyof MappingView["names"] =>
  Object.hasOwn(names, key)

/** Returns the names that can be the value of a key; `undefined` if the key takes none. */
export const namesFor = (names: MappingView["names"] | undefined, key: string): ReadonlyArray<string> | undefined =>
  names !== undefined && takesNames(names, key) ? names[key] : undefined
