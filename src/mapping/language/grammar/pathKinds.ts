import { anyText, type JsonSchema, type Kind, refer, written } from "./Kind.ts"

/** What a key can hold that has paths, or a time: shared by the grammars of a mapping. */

export const onePath: JsonSchema = { type: ["string", "null"] }
export const listOfPaths: JsonSchema = { type: "array", items: { anyOf: [{ type: "string" }, refer("remark")] } }

/** One expression. */
export const path = written("a path", { type: "string" })
/** Expressions; the first that finds something wins. */
export const pathOrPaths = written("a path, or several in order", {
  oneOf: [onePath, { type: "array", items: { type: "string" } }]
})
/** Expressions, each possibly with what it reports when it takes effect. */
export const pathsWithRemarks = written("a path, several in order, or several with names", {
  anyOf: [
    onePath,
    refer("remark"),
    listOfPaths,
    refer("added"),
    { type: "object", additionalProperties: { anyOf: [onePath, refer("remark")] } }
  ]
})
export const conditions = written("a path, several, or several with names", {
  oneOf: [
    { type: "string" },
    { type: "array", items: { type: "string" } },
    { type: "object", additionalProperties: { anyOf: [onePath, refer("remark")] } }
  ]
})

export const anyLiteral: JsonSchema = { type: ["string", "number", "boolean"] }
export const names: JsonSchema = { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }
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
