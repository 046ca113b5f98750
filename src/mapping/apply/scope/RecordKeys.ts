import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import { shown } from "../../../diagnostic/shown.ts"
import type { Span } from "../../../diagnostic/Span.ts"
import type { Element, Elements, Variables } from "../../../fhirpath/FhirPath.ts"
import { isPathFault, typeNameOf, valuesOfPath, valueText } from "../../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { UnmappedCode } from "../../draft/VisitDraft.ts"
import type { EvaluationScope, RecordKey } from "../../functions/EvaluationScope.ts"
import { hasLastingName, resourceKey } from "../../functions/resourceKey.ts"
import type { ModifierRules } from "../../grouping/modifiers.ts"
import { areTwoPatients, otherPatient, patientOfRecord } from "../../grouping/otherSubject.ts"
import type { KeyPlan, MappingPlan, PathPlan, ValueRemark } from "../../MappingPlan.ts"
import { pathFailed } from "../../pathFailed.ts"
import { objectionTo } from "./DoubtfulRecords.ts"
import { generateCode } from "./generateCode.ts"

/** What finding a key has reported so far, and the record whose key it is. */
interface KeyReports extends Pick<RecordKey, "assumed" | "read" | "unmapped" | "warnings"> {
  readonly record: SourceRecord
  readonly patient: SourceRecord | undefined
  readonly warnings: Array<Diagnostic>
  readonly unmapped: Array<UnmappedCode>
  readonly read: Array<SourceRecord>
  assumed: Array<ValueRemark>
}

/**
 * The business identifiers of a run's records. Each is found once. It depends only on the record, the constants and the settings, so codes
 * are the same in every run. What finding it reports is kept with it, for each visit that uses it.
 */
export class RecordKeys {
  readonly #plan: MappingPlan
  readonly #anyTarget: EvaluationScope["anyTarget"]
  /** The scope in which paths of keys are evaluated. */
  readonly #scope: EvaluationScope
  readonly #facility: string
  readonly #variables: Variables
  readonly #rules: ModifierRules
  readonly #known = new Map<string, Map<SourceRecord, RecordKey>>()
  /** The reports of the key that is being found. */
  #reports: KeyReports | undefined

  /** `scope`: that of the run, without a visit. */
  constructor(
    plan: MappingPlan,
    scope: EvaluationScope,
    { facility, system }: Record<"facility" | "system", string | null>
  ) {
    this.#plan = plan
    this.#anyTarget = scope.anyTarget
    this.#scope = {
      ...scope,
      resolve: (reference, from) => {
        const target = scope.anyTarget(reference, from)
        return target !== undefined && this.#mayUse(target) ? target : undefined
      },
      reverse: (target, element) => {
        const found = scope.anyReverse(target, element)
        return found.length === 0 ? found : found.filter((one) => this.#mayUse(one))
      },
      read: (reached) => void this.#reports?.read.push(reached),
      unmapped: (code) => void this.#reports?.unmapped.push(code),
      assumed: (remark) => void this.#reports?.assumed.push(remark),
      keyWarning: (warning) => void this.#reports?.warnings.push(warning)
    }
    this.#facility = facility ?? ""
    this.#variables = Object.assign(Object.create(plan.constants), {
      facility: facility ?? [],
      system: system ?? []
    })
    this.#rules = { elements: plan.followed.elements, understood: plan.grouping.understood }
  }

  of(name: string, record: SourceRecord): RecordKey {
    let keys = this.#known.get(name)
    if (keys === undefined) this.#known.set(name, keys = new Map())
    let found = keys.get(record)
    if (found === undefined) {
      const key = this.#plan.keys.get(name)
      if (key === undefined) return noKey
      keys.set(record, found = this.#reporting(record, (reports) => this.#find(key, reports)))
    }
    return found
  }

  /** Evaluates paths on a record. A path can use the key of another record, whose reports are its own. */
  #reporting<Found>(record: SourceRecord, evaluate: (reports: KeyReports) => Found): Found {
    const outer = this.#reports
    const patient = this.#patientOf(record)
    this.#reports = { record, patient, warnings: [], unmapped: [], read: [], assumed: [] }
    try {
      return evaluate(this.#reports)
    } finally {
      this.#reports = outer
    }
  }

  #find({ mint, name, paths, span }: KeyPlan, reports: KeyReports): RecordKey {
    const { read, record, unmapped, warnings } = reports
    const focus: ReadonlyArray<Element> = [this.#plan.fhirPath.elementOf(record)]
    for (const path of paths) {
      reports.assumed = []
      const result = valuesOfPath(path, focus, this.#variables, this.#scope)
      const { assumed } = reports
      // Another path, or a generated code, would only be a guess.
      if (isPathFault(result)) {
        return { code: undefined, fault: pathFailed(path, result, placeOf(record)), warnings, assumed, unmapped, read }
      }
      if (result.length === 0) continue
      const wrong = result.find((value) => codeText(value) === undefined)
      if (wrong !== undefined) {
        const fault = { ...noCode(name, path, typeNameOf(wrong)), ...placeOf(record) }
        return { code: undefined, fault, warnings, assumed, unmapped, read }
      }
      const codes = codesIn(result)
      const [code] = codes
      if (code === undefined) continue
      if (codes.size > 1) warnings.push({ ...severalCodes(name, path, codes), ...placeOf(record) })
      if (read.length === 0) return { code, warnings, assumed, unmapped, read }
      const at = result.findIndex((value) => codeText(value) === code)
      let sources: ReadonlySet<SourceRecord> | undefined
      const sourcesOf = () =>
        sources ??= this.#reporting(record, () => path.sources(focus, this.#variables, this.#scope)[at]) ?? new Set()
      return { code, warnings, assumed, unmapped, read, sourcesOf }
    }
    if (mint === undefined) return { code: undefined, warnings, assumed: [], unmapped, read }
    // With the code of a corrected record, the service would store its visit a second time.
    if (record.resource.resourceType === this.#plan.grouping.rootType && !hasLastingName(record)) {
      const fault = { ...noLastingName(name, span, record), ...placeOf(record) }
      return { code: undefined, fault, warnings, assumed: [], unmapped, read }
    }
    return {
      code: generateCode(mint, this.#facility, name, resourceKey(record)),
      warnings,
      assumed: [],
      unmapped,
      read
    }
  }

  #patientOf(record: SourceRecord): SourceRecord | undefined {
    return record.resource.resourceType === "Patient"
      ? record
      : patientOfRecord(record, (subject) => this.#anyTarget(subject, record, "quietly"))
  }

  /** Returns true if the key that is being found may use a record that its paths reach. Otherwise the reason is reported. */
  #mayUse(target: SourceRecord): boolean {
    const problem = this.#problemOf(target)
    if (problem !== undefined) this.#reports?.warnings.push(problem)
    return problem === undefined
  }

  /** Returns why the key that is being found may not use a record that its paths reach. */
  #problemOf(target: SourceRecord): Diagnostic | undefined {
    const objection = objectionTo(target, this.#rules, this.#anyTarget)
    if (objection !== undefined) return objection.problem
    const { patient: own, record } = this.#reports ?? {}
    const patient = own === undefined ? undefined : this.#patientOf(target)
    return record !== undefined && own !== undefined && patient !== undefined && areTwoPatients(own, patient)
      ? otherPatient("a record that a code is made of refers to a different patient", target, record)
      : undefined
  }
}

const placeOf = ({ origin }: SourceRecord): Pick<Diagnostic, "source" | "origin"> => ({
  source: origin.reference,
  origin
})

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

const noLastingName = (name: string, span: Span, { fullUrl, resource, row }: SourceRecord): Diagnostic => {
  const type = resource.resourceType
  const lacks = row !== undefined
    ? `the table \`${type}\` has no key`
    : fullUrl === undefined
    ? `the ${type} has no id`
    : `the ${type} has no id, and its \`fullUrl\` is unique only in its Bundle`
  return {
    code: "no-value",
    severity: "error",
    title: `${lacks}: no code \`${name}\` can be made that stays the same after a correction`,
    mapping: span,
    help: row === undefined
      ? [
        fullUrl === undefined
          ? "export the records with their ids"
          : "export the records with their ids, or the Bundle with its `identifier`",
        `or name the element that has the code:  key: {${name}: {path: PATH}}`
      ]
      : [`declare the column that names the row:  table: {${type}: {key: COLUMN}}`]
  }
}

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
