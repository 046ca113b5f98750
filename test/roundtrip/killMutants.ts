import { Effect } from "effect"
import fc from "fast-check"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { at } from "../../src/at.ts"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { check } from "../../src/mapping/check/check.ts"
import type { Syntax, SyntaxMap } from "../../src/mapping/language/MappingSyntax.ts"
import { mergeSyntax } from "../../src/mapping/language/mergeSyntax.ts"
import { parseYaml } from "../../src/mapping/language/parseYaml.ts"
import { normalize } from "../../src/studio/canonical/normalize.ts"
import { toFhir } from "../../src/studio/canonical/toFhir.ts"
import { type Block, type Case, readCases } from "../../src/studio/cases/readCases.ts"
import { runCase } from "../../src/studio/cases/runCase.ts"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import type { SourceText } from "../../src/studio/proof/recordsOf.ts"
import { variants } from "../../src/studio/proof/variants.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import { visitFields } from "../../src/visit/fields.ts"
import { toEpochMillis } from "../../src/visit/values/Timestamp.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { present } from "../present.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { convert, zone } from "./convert.ts"
import type { Law, Mutant } from "./mutants.ts"
import { ordinaryVisit, withoutStatements } from "./ordinaryVisit.ts"

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../mappings/fhir-r4")

const read = (file: string, text: string): SyntaxMap => {
  const { syntax } = parseYaml(file, text)
  if (syntax?.kind !== "map") throw new Error(`${file} is no map`)
  return syntax
}

const withoutExtends = (syntax: SyntaxMap): SyntaxMap => ({
  ...syntax,
  entries: new Map([...syntax.entries].filter(([key]) => key !== "extends"))
})

/** The base mapping as it is merged from its files. */
export const baseSyntax: Syntax = globSync(join(folder, "*.yaml")).toSorted()
  .map((file) => withoutExtends(read(file, readFileSync(file, "utf8"))))
  .reduce<Syntax>((below, own) => mergeSyntax(below, own), read("empty", "{}"))

const checking = (overlay: string | Syntax) => {
  const over = typeof overlay === "string" ? read("mutant.yaml", overlay) : overlay
  return check(mergeSyntax(baseSyntax, over), { hash: "", visitFields })
}

const checkIfGood = (overlay: string | Syntax): CheckedMapping | undefined => checking(overlay).checked

export const checkedWith = (overlay: string | Syntax): CheckedMapping => {
  const { checked, problems } = checking(overlay)
  if (checked === undefined) throw new Error(problems.map(({ label, title }) => `${title} ${label ?? ""}`).join("; "))
  return checked
}

interface Example {
  readonly law: Law
  readonly texts: ReadonlyArray<SourceText>
  readonly wanted: string
  readonly zone: string
}

const example = (law: Law, visit: Visit, texts: ReadonlyArray<SourceText>, inZone = zone): Example => ({
  law,
  texts,
  wanted: encodeVisit(normalize(visit, inZone)),
  zone: inZone
})

const file = (bundle: unknown): ReadonlyArray<SourceText> => [{ file: "visit.json", text: JSON.stringify(bundle) }]

/** A visit whose patient was operated on before. */
const operated: Visit = {
  ...exampleVisit,
  medical_histories: [{
    ...at(exampleVisit.medical_histories, 0),
    name: "Past Surgical History",
    value: ["Appendectomy", "Hernia repair"]
  }]
}

/** A visit with a laboratory whose results are in two reports of one order, because they are of two categories. */
const reportedTwice: Visit = {
  ...ordinaryVisit,
  laboratories: ordinaryVisit.laboratories.map((one) => ({
    ...one,
    results: one.results.map((result, index) => ({ ...result, category: `Panel of result ${index}` }))
  }))
}

const ordinary = withoutStatements(toFhir(ordinaryVisit))

/** What the laws are tried on, the quickest first. */
const examples: ReadonlyArray<Example> = [
  example("map(toFhir(v)) equals v", ordinaryVisit, file(ordinary)),
  example("map(toFhir(v)) equals v", reportedTwice, file(withoutStatements(toFhir(reportedTwice)))),
  ...[exampleVisit, operated, ...fc.sample(arbitraryVisit, { numRuns: 12, seed: 20_260_302 })].map((visit) =>
    example("map(toFhir(v)) equals v", visit, file(toFhir(visit)))
  ),
  ...variants.flatMap(({ of }) =>
    fc.sample(of(ordinary), { numRuns: 5, seed: 8 }).map((texts) =>
      example("the way records reach us changes nothing", ordinaryVisit, texts)
    )
  ),
  example("a visit in another zone is the same visit", ordinaryVisit, file(ordinary), "America/St_Johns")
]

const time = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d)"/g

/** The narrower law that an answer breaks, where it breaks nothing else. */
const narrower = (got: string, wanted: string): Law | undefined => {
  const equal = (of: (json: string) => string): boolean => of(got) === of(wanted)
  if (
    equal((json) => json.replace(time, "")) &&
    !equal((json) => json.replace(time, (_, text: string) => `${toEpochMillis(text)}`))
  ) {
    return "an instant keeps its instant"
  }
  if (equal((json) => json.replace(/"birthdate":"[^"]+"/, ""))) return "a date never shifts"
  if (equal((json) => json.replace(/(?<=:)-?\d[\d.]*(?=[,}])/g, (digits) => String(Number(digits))))) {
    return "a decimal keeps its digits"
  }
  return equal((json) => [...json].toSorted().join("")) ? "keys are in the specification's order" : undefined
}

/** The laws that catch a mutant; none when it survives. Stops at the law that is looked for. */
export const caughtBy = (mutant: Mutant | Syntax, wanted: Law | undefined): ReadonlySet<Law> => {
  const { overlay = "{}", reads, writes } = "name" in mutant ? mutant : { overlay: mutant }
  const checked = "name" in mutant ? checkedWith(overlay) : checkIfGood(overlay)
  if (checked === undefined) return new Set(["the mapping is invalid before any record is read"])
  const caught = new Set<Law>()
  const ofLaw = examples.filter(({ law }) => law === wanted)
  // An example can also break a narrower law than its own.
  for (const { law, texts, wanted: expected, zone: inZone } of ofLaw.length > 0 ? ofLaw : examples) {
    const given = reads === undefined
      ? texts
      : texts.map(({ file, text }) => ({ file, text: file.endsWith(".json") ? reads(text) : text }))
    const [visit, ...more] = convert(checked, given, inZone).visits
    const got = visit === undefined || more.length > 0
      ? undefined
      : writes === undefined
      ? visit.json
      : writes(visit.json)
    if (got !== expected) {
      caught.add(law)
      const also = got === undefined ? undefined : narrower(got, expected)
      if (also !== undefined) caught.add(also)
    }
    if (wanted === undefined ? caught.size > 0 : caught.has(wanted)) return caught
  }
  return caught
}

/** Lines for records that `toFhir` does not write. No round trip reaches them: cases of the mapping do. */
const otherSources = [
  "prescriptions.unionAll.administration.",
  "invoices.unionAll.claim.",
  "imageries.unionAll.study.",
  "laboratories.results.unionAll.component.",
  "laboratories.results.unionAll.words.",
  "laboratories.unionAll.single.",
  "patient.identifications.unionAll.coverage.",
  "emergencies.unionAll.part.",
  "progress_notes.unionAll.composition.",
  "soaps.unionAll.impression.",
  "invoices.unionAll.charge.",
  "invoices.unionAll.benefit.",
  "diagnosis.unionAll.elsewhere.",
  "consultations.unionAll.plan.",
  "consultations.unionAll.note.",
  "consultations.unionAll.request.",
  "physical_examinations.unionAll.whole.",
  "inpatients.unionAll.ward.",
  "medical_histories.unionAll.social.",
  // Each of the two branches has a line of its own.
  "prescriptions.medications.unit"
]

export interface RemovedLine {
  readonly name: string
  readonly overlay: Syntax
  /** The line is for records that `toFhir` does not write; a case of the mapping catches it. */
  readonly elsewhere: boolean
}

const isIn = (syntax: Syntax, ...[key, ...rest]: ReadonlyArray<string>): boolean => {
  if (key === undefined) return true
  const entry = syntax.kind === "map" ? syntax.entries.get(key) : undefined
  return entry !== undefined && isIn(entry.value, ...rest)
}

/** Every line of a field in the base mapping taken away, one at a time: its place and the overlay that does it. */
export const removedLines = (): ReadonlyArray<RemovedLine> => {
  const found: Array<RemovedLine> = []
  const structural = new Set(
    "sameAs resource scope forEach forEachOrNull where groupBy orderBy onePer take needs enabled assume description"
      .split(" ")
  )
  const leafWords = new Set("path value conceptMap unit default required join take description".split(" "))
  const walk = (syntax: Syntax, path: ReadonlyArray<string>): void => {
    // A branch that only reports makes no rows, so its fields change nothing.
    if (isIn(syntax, "where", "onlyReported")) return
    const leaf = syntax.kind !== "map" ||
      syntax.entries.size > 0 && [...syntax.entries.keys()].every((word) => leafWords.has(word))
    if (leaf) {
      if (syntax.kind === "scalar" && syntax.value === null) return
      const nothing: Syntax = { kind: "scalar", span: syntax.span, value: null, verbatim: false, textColumn: 1 }
      const overlay = path.reduceRight<Syntax>(
        (inner, key) => ({
          kind: "map",
          span: syntax.span,
          entries: new Map([[key, { key: syntax.span, value: inner }]])
        }),
        nothing
      )
      const name = path.slice(1).join(".")
      found.push({ name, overlay, elsewhere: otherSources.some((prefix) => name.startsWith(prefix)) })
      return
    }
    for (const [key, entry] of syntax.entries) if (!structural.has(key)) walk(entry.value, [...path, key])
  }
  if (baseSyntax.kind !== "map") throw new Error("the base mapping is no map")
  walk(present(baseSyntax.entries.get("visit")).value, ["visit"])
  return found
}

/** A removed line as the first `yaml mapping` block of a case. */
const blockOf = ({ overlay }: RemovedLine): Block => {
  const plain = (syntax: Syntax): unknown =>
    syntax.kind === "map"
      ? Object.fromEntries([...syntax.entries].map(([key, { value }]) => [key, plain(value)]))
      : null
  const { visit } = jsonObjectOf(plain(overlay))
  return { text: `visit: ${JSON.stringify(visit)}\n`, line: 1 }
}

/** The pages of cases of the base mapping, first those that fill every field. */
const pages = ["claims", "every-field", "*"]
  .flatMap((name) => globSync(join(folder, `cases/${name}.md`)).toSorted())
  .filter((file, index, all) => all.indexOf(file) === index)
  .map((file) => readCases(file, readFileSync(file, "utf8")))

/** Returns the cases, with their pages: first those whose visits have the section and the field of a line. */
const casesFor = ({ name }: RemovedLine) => {
  const words = name.split(".")
  const rankOf = ({ visit }: Case): number =>
    [words[0], words.at(-1)].filter((word) => visit?.text.includes(`"${word}"`)).length
  return pages
    .flatMap((page) => page.cases.map((one) => ({ page, one, rank: rankOf(one) })))
    .toSorted((first, second) => second.rank - first.rank)
}

/** Returns the first case that fails without the line. */
export const failingCase = Effect.fn("failingCase")(function*(line: RemovedLine) {
  const run = { mapping: join(folder, "mapping.yaml"), shippedMappings: dirname(folder), settings: { timezone: "UTC" } }
  const block = blockOf(line)
  for (const { one, page } of casesFor(line)) {
    const { broken, differences } = yield* runCase(page, { ...one, mappings: [block, ...one.mappings] }, run)
    if (broken.length + differences.length > 0) return `${page.title}: ${one.name}`
  }
  return undefined
})
