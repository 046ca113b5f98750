import type { Span } from "../../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import type { Syntax, SyntaxScalar } from "../MappingSyntax.ts"
import { additionKeys, isAddition } from "../MappingSyntax.ts"
import type { Expression, SyntaxReader } from "../SyntaxReader.ts"
import { anyText, type JsonSchema, type Kind, type Placed, placed, refer, severalTexts } from "./Kind.ts"

/** What a key can hold that has paths, or a time: shared by the grammars of a mapping. */

/** By the format, the editor knows where to propose elements and functions. */
const pathText: JsonSchema = { type: "string", format: "fhirpath" }
const pathTexts: JsonSchema = { type: "array", items: pathText }
export const onePath: JsonSchema = { type: ["string", "null"], format: "fhirpath" }
export const listOfPaths: JsonSchema = { type: "array", items: { anyOf: [pathText, refer("remark")] } }

/** One expression; `advice`: how several become one. */
export const onePathOf = (advice: string): Kind<SyntaxScalar> => ({
  shown: "a path",
  schema: pathText,
  read: (reader, { value }, what) => reader.path(value, what, advice)
})
/** Expressions; the first that finds something wins. */
export const pathOrPaths: Kind<ReadonlyArray<SyntaxScalar>> = {
  shown: "a path, or several in order",
  schema: { oneOf: [onePath, pathTexts] },
  read: (reader, { value }, what) => reader.texts(value, what)
}

const expressions = (shown: string, schema: JsonSchema): Kind<ReadonlyArray<Expression>> => ({
  shown,
  schema,
  read: (reader, { value }, what) => reader.expressions(value, what)
})
/** Reports `path: {before: PATH}`, which would be a path with the name `before`; what is added is a list. */
const reportBareAdditions = (reader: SyntaxReader, paths: Syntax): boolean => {
  if (paths.kind !== "map") return false
  const report = (span: Span, title: string, more: Parameters<SyntaxReader["report"]>[3]): true =>
    reader.report("invalid-value", span, title, more) ?? true
  for (const word of additionKeys) {
    const entry = paths.entries.get(word)
    if (entry?.value.kind !== "scalar") continue
    return report(entry.value.span, `\`${word}\` takes a list`, {
      help: [`paths that are added to those of the mapping below:  ${word}: [PATH]`]
    })
  }
  for (const [name, { key, value }] of paths.entries) {
    const word = value.kind === "list" ? suggest(name, additionKeys) : undefined
    if (word === undefined || isAddition(paths)) continue
    return report(key, `\`${name}\` is read as the name of a path, which cannot be a list`, {
      label: name === word ? undefined : didYouMean(word),
      help: [
        "`before` and `after` add to the paths of the mapping below if they are the only keys of the map:  {before: [PATH]}",
        "a path with a name is one path:  {NAME: PATH}"
      ]
    })
  }
  return false
}

/** Expressions, each possibly with what it reports when it takes effect. */
const severalPaths = expressions("a path, several in order, or several with names", {
  anyOf: [
    onePath,
    refer("remark"),
    listOfPaths,
    refer("added"),
    { type: "object", additionalProperties: { anyOf: [onePath, refer("remark")] } }
  ]
})
export const pathsWithRemarks: typeof severalPaths = {
  ...severalPaths,
  read: (reader, entry, what) =>
    reportBareAdditions(reader, entry.value) ? undefined : severalPaths.read(reader, entry, what)
}
export const conditions = expressions("a path, several, or several with names", {
  oneOf: [
    pathText,
    pathTexts,
    { type: "object", additionalProperties: { anyOf: [onePath, refer("remark")] } }
  ]
})
/** Conditions of which none has a remark. */
export const plainConditions: Kind<ReadonlyArray<SyntaxScalar>> = {
  ...pathOrPaths,
  shown: conditions.shown,
  schema: {
    oneOf: [
      pathText,
      pathTexts,
      { type: "object", additionalProperties: onePath }
    ]
  }
}

/** An expression, of which the map around it says more. */
export const remarkedPath: Kind<string> = { ...anyText, schema: pathText }

/** Names of mappings or files. */
export const severalNames = severalTexts("a name, or several")

/** Texts, such as names of fields. */
export const listOfTexts = (shown: string): Kind<ReadonlyArray<SyntaxScalar>> => ({
  shown,
  schema: { type: "array", items: { type: "string" } },
  read: (reader, { value }, what) => reader.texts(value, what)
})

/** The name of a concept map that the mapping has. */
export const conceptMapName: Kind<Placed<string>> = placed({
  shown: "a name",
  schema: { type: ["string", "null"] },
  read: (reader, entry, what) =>
    entry.value.kind === "map"
      ? reader.report("invalid-value", entry.value.span, `${what} must be the name of a concept map`, {
        help: ["its rows are at the top of the mapping:  conceptMap: {NAME: {table: …}}"]
      })
      : reader.text(entry, what)
})

export const anyLiteral: JsonSchema = { type: ["string", "number", "boolean"] }
export const orNull: JsonSchema = { type: ["object", "null"] }

const millis = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

/** `30 minutes`, `2 hours`, `1 day`, in milliseconds. */
export const duration: Kind<number> = {
  shown: "a length of time",
  schema: { anyOf: [{ const: 0 }, { type: "string", pattern: "^\\d{1,5}\\s*(minute|hour|day|week)s?$" }] },
  read: (reader, { value }, what) => {
    if (value.kind === "scalar" && value.value === 0) return 0
    const given = value.kind === "scalar" && typeof value.value === "string" ? value.value.trim() : ""
    const parts = /^(\d{1,5})\s*(minute|hour|day|week)s?$/u.exec(given)
    // The pattern allows only these words.
    if (parts !== null) return Number(parts[1]) * millis[parts[2] as keyof typeof millis]
    return reader.report("invalid-value", value.span, `${what} is not a length of time`, {
      help: ["write a number and a unit: 30 minutes, 2 hours, 1 day, 1 week"]
    })
  }
}

export const assume = {
  kind: { ...anyText, schema: { type: "string", pattern: "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$" } },
  doc: "The name of the assumption that is made here. It is declared under `assumption`."
} as const
