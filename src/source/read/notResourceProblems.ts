import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { InputProblem } from "../InputProblem.ts"
import { resourceTypes } from "../records/resourceTypes.ts"
import type { UnreadableRecord } from "../records/UnreadableRecord.ts"

/** A value that is not a resource, with its source location. */
export interface Stray {
  readonly line: number
  readonly what: string
  /** Whether there are resources within it. */
  readonly holdsResources?: boolean
  /** Whether this program wrote it: a visit, or a request with visits. */
  readonly isVisits?: boolean
  /** The records that may be in it. */
  readonly lost: ReadonlyArray<UnreadableRecord>
}

export const strayValue = (
  { holdsResources = false, isVisits, what }: Stray,
  severity: "error" | "warning"
): InputProblem => ({
  code: "not-a-resource",
  severity,
  title: `this is JSON and not a FHIR resource: ${what}${holdsResources ? ", with resources within" : ""}`,
  help: [
    holdsResources
      ? "write only the resources: one on each line, or in a Bundle"
      : isVisits === true
      ? "these are visits: `validate` and `submit` read them"
      : "remove the file from the input if it has no records"
  ]
})

/** A file whose name states types of records, and that has none of them. `first`: the first other value in it. */
export const withoutStatedRecords = (stated: ReadonlyArray<string>, first: Stray | undefined): InputProblem => ({
  code: "unreadable-input",
  severity: "error",
  title: `the name of the file states ${stated.map((name) => `\`${name}\``).join(", ")}, and it has no such record`,
  facts: [["found", first?.what ?? "messages of a server, or types that FHIR does not have"]],
  help: ["export it again: it may be a server's error message", "or remove the file from the input"]
})

export const entriesWithoutResource = (count: number): InputProblem => ({
  code: "unreadable-record",
  severity: "error",
  title: "an entry of a Bundle has no resource",
  facts: [["entries", String(count)]],
  help: ["correct the export: an entry has its record under `resource`"]
})

export const entryWithoutType: InputProblem = {
  code: "not-a-resource",
  severity: "error",
  title: "the resource of an entry has no `resourceType`",
  help: ["correct the export: without its type a resource cannot be read"]
}

export const patchedRecord: InputProblem = {
  code: "not-a-resource",
  severity: "error",
  title: "an entry changes a record by a patch, which is not read",
  help: ["export the record as it is after the change"]
}

export const deletionOfMany: InputProblem = {
  code: "not-a-resource",
  severity: "error",
  title: "a deletion refers to no single record: the deleted records are unknown",
  help: ["export the records again, without those that were deleted"]
}

export const untypedBundle: InputProblem = {
  code: "not-a-resource",
  severity: "warning",
  title: "an object with entries and no `resourceType` was read as a Bundle",
  help: ["write `\"resourceType\": \"Bundle\"`"]
}

/** `type`: the spelling of R4. `id`: the rest of the record's reference, such as `/a1`. */
export const misspeltType = (type: string, id: string): InputProblem => ({
  code: "not-a-resource",
  severity: "error",
  title: `FHIR R4 spells this \`resourceType\` as \`${type}\``,
  source: `${type}${id}`,
  help: [`write  "resourceType": "${type}"`]
})

/** The type is shown only if it is a name: anything else may be a value of a patient. */
export const unknownType = (type: string): InputProblem => {
  const isName = /^[A-Za-z]{1,60}$/.test(type)
  const intended = isName ? suggest(type, resourceTypes) : undefined
  return {
    code: "not-a-resource",
    severity: "warning",
    title: isName ? `FHIR R4 has no resource type \`${type}\`` : "a `resourceType` is not a name",
    ...(intended === undefined ? {} : { label: didYouMean(intended) }),
    help: ["its records are read and counted; a mapping reads them only under this name"]
  }
}
