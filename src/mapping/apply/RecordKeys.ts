import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Element, Elements, Variables } from "../../fhirpath/FhirPath.ts"
import { isPathFault, typeNameOf, valuesOfPath, valueText } from "../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { EvaluationScope, RecordKey } from "../functions/EvaluationScope.ts"
import { resourceKey } from "../functions/resourceKey.ts"
import type { ModifierRules } from "../grouping/modifiers.ts"
import { areTwoPatients, otherPatient, patientOfRecord } from "../grouping/otherSubject.ts"
import type { KeyPlan, MappingPlan, PathPlan, ValueRemark } from "../MappingPlan.ts"
import { pathFailed } from "../pathFailed.ts"
import { refusalOf } from "./DoubtfulRecords.ts"
import { shown } from "./FieldReport.ts"
import { generateCode } from "./generateCode.ts"

/** The part of the settings that keys depend on. */
interface KeySettings {
  readonly facility: string | null
  readonly system: string | null
}

/**
 * The business identifiers of a run's records. Each is found once. It depends only on the record, the constants and the settings, so codes
 * are the same in every run. What finding it reports is kept with it, for each visit that uses it.
 */
export class RecordKeys {
  readonly #plan: MappingPlan
  readonly #scope: EvaluationScope
  readonly #facility: string
  readonly #variables: Variables
  readonly #rules: ModifierRules
  readonly #known = new Map<string, Map<SourceRecord, RecordKey>>()

  /** `scope`: that of the run, without a visit. */
  constructor(plan: MappingPlan, scope: EvaluationScope, { facility, system }: KeySettings) {
    this.#plan = plan
    this.#scope = scope
    this.#facility = facility ?? ""
    this.#variables = Object.assign(Object.create(plan.constants), {
      facility: facility ?? [],
      system: system ?? []
    })
    this.#rules = { elements: plan.followed.elements, understood: plan.grouping.understood }
  }

  of(name: string, record: SourceRecord): RecordKey {
    const key = this.#plan.keys.get(name)
    if (key === undefined) return noKey
    const keys = getOrMake(this.#known, name, () => new Map())
    let found = keys.get(record)
    if (found === undefined) keys.set(record, found = this.#find(key, record))
    return found
  }

  #find({ mint, name, paths }: KeyPlan, record: SourceRecord): RecordKey {
    const focus: ReadonlyArray<Element> = [this.#plan.fhirPath.elementOf(record)]
    const about = { source: record.origin.reference, origin: record.origin }
    const warnings: Array<Diagnostic> = []
    const unmapped: Array<UnmappedCode> = []
    const read: Array<SourceRecord> = []
    let assumed: Array<ValueRemark> = []
    const { resolve, reverse } = this.#usable(record, warnings)
    const scope: EvaluationScope = {
      ...this.#scope,
      resolve,
      reverse,
      read: (reached) => void read.push(reached),
      unmapped: (code) => void unmapped.push(code),
      assumed: (remark) => void assumed.push(remark),
      keyWarning: (warning) => void warnings.push(warning)
    }
    for (const path of paths) {
      assumed = []
      const result = valuesOfPath(path, focus, this.#variables, scope)
      const reports = { warnings, assumed, unmapped, read }
      // Another path, or a generated code, would only be a guess.
      if (isPathFault(result)) return { code: undefined, fault: pathFailed(path, result, about), ...reports }
      const wrong = result.find((value) => codeText(value) === undefined)
      if (wrong !== undefined) {
        return { code: undefined, fault: { ...noCode(name, path, typeNameOf(wrong)), ...about }, ...reports }
      }
      const codes = codesIn(result)
      const [code] = codes
      if (code === undefined) continue
      if (codes.size > 1) warnings.push({ ...severalCodes(name, path, codes), ...about })
      return { code, ...reports }
    }
    const code = mint === undefined ? undefined : generateCode(mint, this.#facility, name, resourceKey(record))
    return { code, warnings, assumed: [], unmapped, read }
  }

  /** Follows references only to records that the key of a record may use, and reports each other one that is referred to. */
  #usable(record: SourceRecord, warnings: Array<Diagnostic>): Pick<EvaluationScope, "resolve" | "reverse"> {
    const { anyReverse, anyTarget } = this.#scope
    const patientIn = (one: SourceRecord): SourceRecord | undefined =>
      one.resource.resourceType === "Patient"
        ? one
        : patientOfRecord(one, (subject) => anyTarget(subject, one, "quietly"))
    const own = patientIn(record)
    const problemOf = (target: SourceRecord): Diagnostic | undefined => {
      const refusal = refusalOf(target, this.#rules, anyTarget)
      if (refusal !== undefined) return refusal.problem
      const patient = own === undefined ? undefined : patientIn(target)
      return own !== undefined && patient !== undefined && areTwoPatients(own, patient)
        ? otherPatient("a record that a code is made of refers to a different patient", target, record)
        : undefined
    }
    return {
      resolve: (reference, from) => {
        const target = anyTarget(reference, from)
        const problem = target === undefined ? undefined : problemOf(target)
        if (problem !== undefined) warnings.push(problem)
        return problem === undefined ? target : undefined
      },
      reverse: (target, element) => anyReverse(target, element).filter((one) => problemOf(one) === undefined)
    }
  }
}

const noKey: RecordKey = { code: undefined, warnings: [], assumed: [], unmapped: [], read: [] }

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
