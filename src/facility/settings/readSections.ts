import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { defaultSource, type SourceSettings } from "../../mirror/SourceSettings.ts"
import { processedFacts, type ProcessedFields } from "../../service/settings/ListSettings.ts"
import type { ReconcileSettings } from "../../service/settings/ReconcileSettings.ts"
import { defaultRetry, type RetrySettings } from "../../service/settings/RetrySettings.ts"
import { type Facility, fillableFields } from "../Facility.ts"
import type { FacilityReader } from "./FacilityReader.ts"
import {
  beneficiaryKeys,
  processedFieldsKeys,
  processedKeys,
  reconcileKeys,
  referenceKeys,
  retryKeys
} from "./serviceGrammar.ts"
import { certificateKeys, sourceKeys } from "./sourceGrammar.ts"

/** `retry:` of a `facility.yaml`: number of retries, and the delays between them. */
export const readRetry = (reader: FacilityReader, root: SyntaxMap): RetrySettings => {
  const { map, values } = reader.section(root, "retry", retryKeys)
  const { deadline, delay, longest = Math.max(defaultRetry.longestMillis, delay), unknownPatient, ...counts } = values
  if (map !== undefined && longest < delay) {
    reader.report("invalid-facility", map.span, "`longest` is shorter than `delay`")
  }
  return {
    ...counts,
    delayMillis: delay,
    longestMillis: longest,
    unknownPatientMillis: unknownPatient,
    deadlineMillis: deadline
  }
}

/** `reconcile:` of a `facility.yaml`: when the journal is compared with the service's list, and the part of the requests for it. */
export const readReconcile = (reader: FacilityReader, root: SyntaxMap): ReconcileSettings => {
  const { confirmAfter, partialAfter, share, wait } = reader.section(root, "reconcile", reconcileKeys).values
  return { waitMillis: wait, partialAfterMillis: partialAfter, confirmAfterMillis: confirmAfter, share }
}

/** `reference:` and `processed:` of a `facility.yaml`: how the service's lists are requested and read, and how long they are valid. */
export const readListSettings = (
  reader: FacilityReader,
  root: SyntaxMap
): Pick<Facility, "lists" | "referenceDays"> => {
  const { maxAge, ...reference } = reader.section(root, "reference", referenceKeys).values
  const { map, values: { fields: _, ...processed } } = reader.section(root, "processed", processedKeys)
  return {
    lists: { reference, processed: { ...processed, fields: readFields(reader, map) } },
    referenceDays: Math.floor(maxAge / 86_400_000)
  }
}

const readFields = (reader: FacilityReader, processed: SyntaxMap | undefined): ProcessedFields => {
  const { values } = reader.section(processed, "fields", processedFieldsKeys)
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const fact of processedFacts) {
    const path = values[fact]
    if (path === undefined) continue
    if (/^[\w-]{1,64}(?:\.[\w-]{1,64}){0,5}$/u.test(path.value)) found[fact] = path.value.split(".")
    else {
      reader.report("invalid-facility", path.span, `\`${fact}\` must be a key of a row, or keys with points between`, {
        help: [`${fact}: visit.code`]
      })
    }
  }
  return found
}

/** `beneficiary:` of a `facility.yaml`: which cards are looked up, and which patient fields are filled from the responses. */
export const readBeneficiarySettings = (
  reader: FacilityReader,
  root: SyntaxMap
): Pick<Facility, "checkCards" | "fillPatient"> => {
  const { check, fill = [] } = reader.section(root, "beneficiary", beneficiaryKeys).values
  const fields = fill.flatMap((text) => {
    const field = fillableFields.find((field) => field === text.value)
    if (field === undefined) {
      reader.report("invalid-facility", text.span, "only some fields of a patient can be filled in", {
        help: [`fill: [${fillableFields.join(", ")}]`]
      })
    }
    return field === undefined ? [] : [field]
  })
  return { checkCards: check, fillPatient: [...new Set(fields)] }
}

/** `source:` of a `facility.yaml`: the FHIR server that `fetch` reads. Paths are as written. */
export const readSource = (reader: FacilityReader, root: SyntaxMap): SourceSettings | undefined => {
  const { map, values } = reader.section(root, "source", sourceKeys)
  if (map === undefined) return undefined
  const { auth, downloads, full, group, mirror, mode, origins = [], overlap, pageSize, patience, scope } = values
  const { level = group === undefined ? defaultSource.level : "group", server, tokenUrl, types } = values
  const wrong = (title: string, help: string): undefined =>
    reader.report("invalid-facility", map.span, title, { help: [help] })
  if (!map.entries.has("server")) {
    wrong("`source` has no `server`", "write the base address:  server: https://fhir.example/r4")
  }
  if (level === "group" && group === undefined) wrong("`level: group` needs the id of the group", "write  group: ID")
  if (level !== "group" && group !== undefined) {
    wrong("`group` needs `level: group`", "remove `level`, or write  level: group")
  }
  if (group !== undefined && !/^[A-Za-z0-9\-.]{1,64}$/u.test(group.value)) {
    reader.report("invalid-facility", group.span, "`group` must be the id of a Group resource")
  }
  const { map: certificate, values: { certFile, keyFile } } = reader.section(map, "certificate", certificateKeys)
  if (certificate !== undefined && (certFile === undefined || keyFile === undefined)) {
    wrong("`certificate` needs a `certFile` and a `keyFile`", "both are PEM files")
  }
  return {
    server: (server?.value ?? "").replace(/\/+$/u, ""),
    level,
    group: group?.value ?? null,
    mode,
    auth,
    tokenUrl: tokenUrl?.value ?? null,
    scope,
    types: types ?? null,
    overlapMillis: overlap,
    mirror,
    fullMillis: full,
    origins,
    certificate: certFile === undefined || keyFile === undefined
      ? null
      : { certFile: certFile.value, keyFile: keyFile.value },
    patienceMillis: patience,
    downloads,
    pageSize
  }
}
