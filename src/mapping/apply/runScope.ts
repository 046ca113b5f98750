import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Element, Elements, Variables } from "../../fhirpath/FhirPath.ts"
import { isPathFault, typeNameOf, valuesOfPath, valueText } from "../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { EvaluationScope, RecordKey } from "../functions/EvaluationScope.ts"
import { resourceKey } from "../functions/functions.ts"
import type { KeyPlan, MappingPlan, PathPlan } from "../MappingPlan.ts"
import { pathFailed } from "../pathFailed.ts"
import { shown } from "./FieldReport.ts"
import { generateCode } from "./generateCode.ts"

/** Queries on the run's records; the record index of `source` implements them. */
export interface RecordLookup {
  readonly resolve: (reference: unknown, from: SourceRecord) => SourceRecord | undefined
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
}

/**
 * The scope in which a mapping's functions are evaluated before any visit is entered: references, reverse references and
 * business keys. Keys are found once for each record. They depend only on the record, the constants and the settings,
 * so codes are the same in every run. A problem of a key is kept with it, for each visit that uses it.
 */
export const runScope = (
  plan: MappingPlan,
  lookup: RecordLookup,
  { facility, system, zone }: {
    readonly facility: string | null
    readonly system: string | null
    readonly zone: string
  }
): EvaluationScope => {
  const known = new Map<string, Map<SourceRecord, RecordKey>>()
  const variables: Variables = Object.assign(Object.create(plan.constants), {
    facility: facility ?? [],
    system: system ?? []
  })
  /** The warnings of the key that is being found. Those of the keys that its paths use are among them. */
  let open: Array<Diagnostic> | undefined
  const find = ({ mint, name, paths }: KeyPlan, record: SourceRecord, warnings: Array<Diagnostic>): RecordKey => {
    const focus: ReadonlyArray<Element> = [plan.fhirPath.elementOf(record)]
    const about = { source: record.origin.reference, origin: record.origin }
    for (const path of paths) {
      const result = valuesOfPath(path, focus, variables)
      // Another path, or a generated code, would only be a guess.
      if (isPathFault(result)) return { code: undefined, fault: pathFailed(path, result, about), warnings }
      const wrong = result.find((value) => codeText(value) === undefined)
      if (wrong !== undefined) {
        return { code: undefined, fault: { ...noCode(name, path, typeNameOf(wrong)), ...about }, warnings }
      }
      const codes = codesIn(result)
      const [code] = codes
      if (code === undefined) continue
      if (codes.size > 1) warnings.push({ ...severalCodes(name, path, codes), ...about })
      return { code, warnings }
    }
    const code = mint === undefined ? undefined : generateCode(mint, facility ?? "", name, resourceKey(record))
    return { code, warnings }
  }
  return {
    zone,
    resolve: lookup.resolve,
    reverse: lookup.reverse,
    anyTarget: lookup.resolve,
    anyReverse: lookup.reverse,
    keyOf: (name, record) => {
      const key = plan.keys.get(name)
      if (key === undefined) return noKey
      const keys = getOrMake(known, name, () => new Map())
      let found = keys.get(record)
      if (found === undefined) {
        const outer = open
        found = find(key, record, open = [])
        open = outer
        keys.set(record, found)
      }
      open?.push(...found.warnings)
      return found
    },
    keyWarning: () => undefined,
    conceptMap: (name) => plan.conceptMaps.get(name),
    inVisit: () => [],
    ofPatient: () => [],
    encounters: [],
    encounterOf: () => undefined,
    unmapped: () => undefined,
    assumed: () => undefined,
    read: () => undefined
  }
}

const noKey: RecordKey = { code: undefined, warnings: [] }

/** Returns the text of a value that can be a code: a text, or the digits of a number. */
const codeText = (value: Element): string | undefined => (typeof value === "boolean" ? undefined : valueText(value))

/** The different codes among the values that a path found. Blank texts are not codes. */
const codesIn = (values: Elements): ReadonlySet<string> =>
  new Set(values.flatMap((value) => codeText(value) ?? []).filter((code) => code.trim() !== ""))

const noCode = (name: string, { span, text }: PathPlan, type: string): Diagnostic => ({
  code: "wrong-type",
  severity: "error",
  title: `the key \`${name}\` takes a text or a number`,
  label: `this path found a ${type}`,
  mapping: span,
  path: text,
  help: ["end the path in the element that has the code:  identifier.value"]
})

const severalCodes = (name: string, { span, text }: PathPlan, codes: ReadonlySet<string>): Diagnostic => ({
  code: "too-many-values",
  severity: "warning",
  title: `the key \`${name}\` takes one value, this path found ${codes.size}`,
  label: `${codes.size} different values`,
  mapping: span,
  path: text,
  value: shown([...codes].join(" | ")),
  help: [
    "the first was taken; to accept that, end the path in  .first()",
    "or select one value:  .where(use = 'official')"
  ]
})
