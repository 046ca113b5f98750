import { effectOf } from "../../../fhirpath/effectOf.ts"
import type { Task } from "../../../fhirpath/generate/Units.ts"
import type { Writer } from "../../../fhirpath/generate/write/Writer.ts"
import { asListedCode } from "../../../visit/values/ReferenceList.ts"
import type { LeafPlan, PathPlan } from "../../MappingPlan.ts"
import { isCleanText } from "./cleanText.ts"

/** Kinds of fields that take a text unchanged. */
const textKinds: ReadonlySet<string> = new Set(["code", "identifier", "text"])

/**
 * Writes a function that fills consecutive fields of a row. Its parameters are the focus, the variables, the scope, the row, and a
 * `FieldFiller`, to which it leaves all other cases. It returns `null` if the variables are not those that it was written for.
 */
export const writeFields = (writer: Writer, leaves: ReadonlyArray<LeafPlan>): void => {
  const clean = writer.constant(["given", "isCleanText"])
  writer.line("const reads = h.reads, pending = h.pending, times = h.timestamps, isSeveral = h.isSeveral")
  writer.line("let x, start")
  // A field that reads an element that is not written as the model says is left to the definition, and the others are not.
  const whole = writer.constant(["names", writer.read])
  writer.line(`const isPartly = !h.canRead(${whole})`)
  for (const [at, leaf] of leaves.entries()) {
    const field = new FieldWriter(writer, leaf, at, clean)
    writer.part((elements) => `if (isPartly && !h.canRead(${elements})) h.leaf(${at})\nelse`, () => field.write())
  }
  writer.line("return true")
}

/** Returns the task of these fields. Its name has all that their code depends on, apart from the functions of the mapping. */
export const taskOfFields = (leaves: ReadonlyArray<LeafPlan>): Task => {
  const given = new Map<string, unknown>([["isCleanText", isCleanText], ["asListedCode", asListedCode]])
  for (const [at, { listed }] of leaves.entries()) if (listed !== undefined) given.set(`list ${at}`, listed)
  return { name: `fields ${JSON.stringify(leaves.map(factsOfField))}`, given }
}

const factsOfField = (
  { conceptMap, empty, fallback, field, join, listed, literal, literalRemark, name, paths, required, unit }: LeafPlan
): ReadonlyArray<unknown> => [
  name,
  [field.kind, field.mandatory, field.blank, field.optional],
  paths.map(({ assume, text, warn }) => [text, assume !== undefined, warn !== undefined]),
  [literal, literal === undefined],
  [empty, empty === undefined],
  required,
  [conceptMap, fallback, join, listed, literalRemark, unit].map((one) => one !== undefined)
]

class FieldWriter {
  readonly #writer: Writer
  readonly #leaf: LeafPlan
  readonly #at: number
  readonly #clean: string
  readonly #effects: ReadonlyArray<ReturnType<typeof effectOf>>

  constructor(writer: Writer, leaf: LeafPlan, at: number, clean: string) {
    this.#writer = writer
    this.#leaf = leaf
    this.#at = at
    this.#clean = clean
    this.#effects = leaf.paths.map(({ text }) => effectOf(text, writer.units.functions))
  }

  write(): void {
    const writer = this.#writer
    const { literal, literalRemark, name } = this.#leaf
    const at = this.#at
    if (literal !== undefined) {
      const { kind } = this.#leaf.field
      const isPlain = typeof literal === "string"
        ? textKinds.has(kind) && isCleanText(literal)
        : typeof literal === "number"
        ? kind === "decimal"
        : kind === "boolean"
      if (!isPlain) return writer.line(`h.leaf(${at})`)
      if (literalRemark !== undefined) writer.line(`h.remarkOnLiteral(${at})`)
      writer.line(`r.${name} = ${JSON.stringify(literal)}`)
      return
    }
    if (this.#isNoted()) writer.line("if (reads.length > 0) reads.length = 0")
    if (this.#canReport()) writer.line("start = pending.length")
    writer.line("x = undefined")
    writer.block(`p${at}:`, () => {
      for (const [index, path] of this.#leaf.paths.entries()) this.#path(path, index)
      this.#none()
    })
    writer.line(`if (x !== undefined) r.${name} = x`)
  }

  /** Whether it can matter later which path found the value, or what was read. */
  #isNoted(): boolean {
    return this.#effects.length > 1 || this.#effects.some((effect) => effect !== "none")
  }

  /** Whether the definition has to be asked what it reports if there is no value. */
  #canReport(): boolean {
    const { fallback, field: { kind, mandatory }, required } = this.#leaf
    return fallback !== undefined || kind === "strings" || !(required === "none" || (required === "error" && mandatory))
  }

  #none(): void {
    const { empty, field: { blank, optional } } = this.#leaf
    if (this.#canReport()) this.#writer.line(`x = h.none(${this.#at}, start)`)
    else if (empty !== undefined || !optional) {
      this.#writer.line(`x = ${JSON.stringify(empty === undefined ? blank : empty)}`)
    }
  }

  /** Whether a text is sent as it is found. */
  #isText(): boolean {
    const { conceptMap, field: { kind }, join, unit } = this.#leaf
    return textKinds.has(kind) && conceptMap === undefined && join === undefined && unit === undefined
  }

  #isTime(): boolean {
    const { conceptMap, field: { kind }, join, unit } = this.#leaf
    return kind === "timestamp" && conceptMap === undefined && join === undefined && unit === undefined
  }

  #path(path: PathPlan, index: number): void {
    const writer = this.#writer
    const at = this.#at
    const found = (values: string): string => `h.found(${at}, ${index}, ${values})`
    const taken = (values: string): void => {
      const hasRemark = path.assume !== undefined || path.warn !== undefined
      writer.block("if (x !== undefined)", () => {
        if (hasRemark) writer.line(`h.remark(${at}, ${index}, ${values})`)
        if (this.#isNoted()) writer.line(`if (isSeveral || reads.length > 0) h.filled(${at}, ${index})`)
        writer.line(`break p${at}`)
      })
    }
    const reports = this.#effects[index] === "reports"
    if (reports) writer.line("h.forget()")
    const values = writer.values(path.text)
    if (values === undefined) {
      const list = `e${at}_${index}`
      writer.line(`const ${list} = h.values(${at}, ${index})`)
      writer.block(`if (${list}.length > 0)`, () => {
        writer.line(`x = ${found(list)}`)
        taken(list)
      })
      return
    }
    if (values.form === "none") {
      if (reports) writer.line(`if (h.hasReports()) h.report(${at}, ${index}, [])`)
      return
    }
    const { value } = values
    const list = values.form === "list" ? value : `[${value}]`
    if (reports) writer.line(`if (h.hasReports()) h.report(${at}, ${index}, ${value} === undefined ? [] : ${list})`)
    writer.block(`if (${value} !== undefined)`, () => {
      const only = values.form === "list" ? `${value}[0]` : value
      const tests = [
        ...(values.form === "list" ? [`${value}.length === 1`] : []),
        ...(values.form === "one" && values.isText ? [] : [`typeof ${only} === "string"`])
      ]
      if (this.#isText()) {
        const { listed } = this.#leaf
        const sent = listed === undefined
          ? only
          : `${writer.constant(["given", "asListedCode"])}(${
            writer.constant(["given", `list ${at}`])
          }, ${only}) ?? ${only}`
        writer.line(`x = ${[...tests, `${this.#clean}(${only})`].join(" && ")} ? ${sent} : ${found(list)}`)
      } else if (this.#isTime()) {
        writer.line(`x = (${[...tests, `times.get(${only})`].join(" && ")}) || ${found(list)}`)
      } else writer.line(`x = ${found(list)}`)
      taken(list)
    })
  }
}
