import { isPathFault, parsePath } from "../fhirpath/FhirPath.ts"
import { standardFunctions } from "../fhirpath/functionForms.ts"
import type { RecordSource } from "../grouping/groupByEncounter.ts"
import type { GroupingPath, GroupingPlan } from "../grouping/GroupingPlan.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import { LaterRecord } from "../source/LaterRecord.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"

/**
 * The records of a run without those that cannot belong to one of a few visits: of a type whose paths look at the record alone, a line
 * that mentions neither an encounter nor a patient of these visits, under any of their names, is left unread.
 */
export const nearRecords = (
  source: RecordSource,
  plan: GroupingPlan,
  groups: ReadonlyArray<VisitGroup>
): RecordSource => {
  const names = groups.flatMap(({ patient, records }) => [
    ...(records.get(plan.rootType) ?? []),
    ...(patient === undefined ? [] : [patient])
  ]).map(namesOf)
  // Looking for many names would take longer than reading.
  if (names.includes(undefined) || names.length > 8) return source
  const texts = [...new Set([...names.flatMap((some) => some ?? []), ...disguises])].map((text) => Buffer.from(text))
  return {
    types: source.types,
    resolve: source.resolve,
    all: (type) =>
      type === plan.rootType || !readsItselfAlone(plan, type)
        ? source.all(type)
        : source.all(type).filter((record) => !(record instanceof LaterRecord) || record.mentions(texts))
  }
}

/** How a name may be written otherwise: a letter as an escape, a search that stands for a reference. */
const disguises = ["\\u00", "?identifier="]

/** What a reference to a record must hold; `undefined` when it may be written in ways that cannot be looked for. */
const namesOf = ({ fullUrl, resource: { id, identifier } }: SourceRecord): ReadonlyArray<string> | undefined => {
  const values = (Array.isArray(identifier) ? identifier : [identifier]).map((one: unknown) =>
    typeof one === "object" && one !== null && "value" in one ? String(one.value) : undefined
  )
  const names = [id, fullUrl, ...values].filter((name): name is string => typeof name === "string" && name !== "")
    // JSON may write a slash, a quote and letters beyond ASCII in several ways.
    .map((name) => longest(name.split(/[^\w .:-]+/u)))
  return names.some((name) => name.length < 2) ? undefined : names
}

const longest = (parts: ReadonlyArray<string>): string =>
  parts.reduce((best, part) => (part.length > best.length ? part : best))

/** Whether no path that places records of a type leads through other records. */
const readsItselfAlone = ({ links, patientScope, windows }: GroupingPlan, type: string): boolean => {
  const window = windows.get(type)
  const scope = patientScope.get(type)
  return [
    ...(links.get(type) ?? links.get("*") ?? []),
    ...(window === undefined ? [] : [...window.patient, ...window.time]),
    ...(scope === undefined ? [] : [scope])
  ].every(looksWithin)
}

const looksWithin = ({ text }: GroupingPath): boolean => {
  const names = parsePath(text)
  return !isPathFault(names) && names.functions.every(({ name }) => standardFunctions.has(name))
}
