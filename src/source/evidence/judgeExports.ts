import { number, plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import { getOrMake } from "../../maps.ts"
import { typesInName } from "../records/resourceTypes.ts"
import { serverOfExport, Servers } from "../records/Servers.ts"
import type { LocatedUnreadableRecord } from "../records/UnreadableRecord.ts"
import type { PlacedEvidence } from "./Evidence.ts"
import { type Export, type ExportedFile, exportsOf } from "./Export.ts"
import { missingBases } from "./missingBases.ts"
import { outcomeConcerns } from "./outcomeConcerns.ts"

/** What was read of the inputs, for the comparison with evidence. */
interface InputContents {
  /** All input files, including those without records. */
  readonly files: ReadonlyArray<string>
  /** Records of each type in a file, before duplicates are removed. */
  readonly records: (file: string) => ReadonlyMap<string, number>
  /** Lines and entries of a file that could not be read. */
  readonly unreadable: (file: string) => number
  /** Deleted records that a file lists. */
  readonly deletions: (file: string) => number
  /** Base addresses of one server. */
  readonly sameServer: ReadonlyArray<string>
  /** Whether a Patient of this id was read. */
  readonly hasPatient: (id: string) => boolean
}

/** What evidence shows about a run. */
export interface Judgement {
  /** Why an export is incomplete. */
  readonly problems: ReadonlyArray<Diagnostic>
  /** Records that may be missing. */
  readonly lost: ReadonlyArray<LocatedUnreadableRecord>
  /** Exports that hold only changes, and whose base is not in the input. */
  readonly missingBases: ReadonlyArray<Diagnostic>
  /** That exports are of several servers. */
  readonly severalServers: ReadonlyArray<Diagnostic>
}

/** Compares what exports declare with what was read. */
export const judgeExports = (evidence: ReadonlyArray<PlacedEvidence>, contents: InputContents): Judgement => {
  const all = exportsOf(evidence)
  const exports = all.filter((one) => !all.some((other) => replaces(other, one)))
  const current = exports.filter((one) => !exports.some((other) => supersedes(other, one)))
  const past = exports.filter((one) => !current.includes(one))
  const isCurrent = ({ origin }: PlacedEvidence): boolean => !past.some(({ folder }) => origin.file.startsWith(folder))
  const findings = [
    ...current.flatMap((one) => findingsOf(one, scopeOf(one, exports, contents), contents)),
    ...outcomeFindings(evidence.filter(isCurrent), contents)
  ]
  return {
    problems: findings.flatMap(({ problem }) => problem ?? []),
    lost: findings.flatMap(({ lost }) => lost),
    missingBases: missingBases(exports),
    severalServers: severalServers(exports, contents.sameServer)
  }
}

interface Finding {
  readonly problem?: Diagnostic
  readonly lost: ReadonlyArray<LocatedUnreadableRecord>
}

const exportAgain = "export again, or download what is missing, and convert again"

const incomplete = (
  origin: Origin,
  title: string,
  facts: ReadonlyArray<readonly [string, string]>,
  help = exportAgain
): Diagnostic => ({
  code: "incomplete-export",
  severity: "error",
  title,
  origin,
  ...(facts.length === 0 ? {} : { facts }),
  help: [help]
})

/** Reports that records of these types may be missing; of any type if none is given. */
const lostOf = (origin: Origin, types: Iterable<string> | undefined): ReadonlyArray<LocatedUnreadableRecord> =>
  types === undefined
    ? [{ names: [], references: [], origin, rest: "export" }]
    : [...types].map((type) => ({ type, names: [], references: [], origin, rest: "export" }))

/** A later attempt for the same data, stored in the same folder, replaces a failed one. */
const replaces = (other: Export, one: Export): boolean =>
  other !== one && other.isLog && one.isLog && other.folder === one.folder && other.url === one.url &&
  isWhole(other) && !isWhole(one) && (other.startedAt ?? "") > (one.startedAt ?? "")

/**
 * A later export in an adjacent folder requested everything that this one requested. Whatever this export lacks, or could not export, is
 * in the later one. What the later export lacks is reported with it.
 */
const supersedes = (other: Export, one: Export): boolean =>
  other.isLog && one.isLog && isWhole(other) && (other.startedAt ?? "") > (one.startedAt ?? "") &&
  !other.folder.startsWith(one.folder) && !one.folder.startsWith(other.folder) &&
  one.url !== undefined && addressOf(other.url) === addressOf(one.url) &&
  (other.types === undefined || (one.types !== undefined && one.types.isSubsetOf(other.types))) &&
  (other.since === undefined || (one.since !== undefined && Date.parse(other.since) <= Date.parse(one.since)))

const addressOf = (url: string | undefined): string | undefined => url?.split("?", 1)[0]

const isWhole = ({ files, unfinished }: Export): boolean =>
  unfinished === undefined && files.every(({ isStored }) => isStored)

/** Returns the files of an export: those of its folder, without those of other exports below it. */
const scopeOf = (one: Export, exports: ReadonlyArray<Export>, { files, records }: InputContents) => {
  const below = exports.map(({ folder }) => folder).filter((folder) =>
    folder !== one.folder && folder.startsWith(one.folder)
  )
  const near = files.filter((file) => file.startsWith(one.folder) && !below.some((folder) => file.startsWith(folder)))
  const isOf = (file: string): boolean => one.files.some(({ type }) => type !== undefined && records(file).has(type))
  // A log can be stored apart from the data.
  return near.some(isOf) ? near : files
}

const findingsOf = (one: Export, scope: ReadonlyArray<string>, contents: InputContents): ReadonlyArray<Finding> => {
  const { origin, unfinished } = one
  const findings: Array<Finding> = []
  if (unfinished !== undefined) {
    findings.push({ problem: incomplete(origin, whyUnfinished[unfinished], []), lost: lostOf(origin, undefined) })
  }
  const failed = one.files.filter(({ isStored }) => !isStored)
  const [first] = failed
  if (first !== undefined) {
    findings.push({
      problem: incomplete(first.origin, "files of the export were not downloaded", countedByType(failed)),
      lost: lostOf(first.origin, failed.some((file) => typeOf(file) === undefined) ? undefined : typesOf(failed))
    })
  }
  const stored = one.files.filter(({ isStored }) => isStored)
  return [...findings, ...missingOutput(stored, scope, contents), ...missingLists(stored, scope, contents)]
}

const whyUnfinished = {
  "no-end": "the log of the export has no `export_complete`: the download did not finish",
  "files-not-requested": "the log lists more files than were downloaded",
  "unreadable-list": "the manifest of the export has a list of files that cannot be read",
  "next-page": "the manifest of the export names a next page, which is not in the input"
} as const satisfies Record<NonNullable<Export["unfinished"]>, string>

const typeOf = ({ type, url }: ExportedFile): string | undefined => {
  const [found, ...others] = type === undefined ? typesInName(`${nameOf(url)}.ndjson`) : [type]
  return others.length === 0 ? found : undefined
}

const typesOf = (files: ReadonlyArray<ExportedFile>): ReadonlySet<string> =>
  new Set(files.flatMap((file) => typeOf(file) ?? []))

const countedByType = (files: ReadonlyArray<ExportedFile>): ReadonlyArray<readonly [string, string]> =>
  [...Map.groupBy(files, (file) => typeOf(file) ?? "unknown type")].map(([type, some]) => [
    type,
    plural(some.length, "file")
  ])

/** Reports files of records that are missing or have fewer lines than the export declares. */
const missingOutput = (
  stored: ReadonlyArray<ExportedFile>,
  scope: ReadonlyArray<string>,
  contents: InputContents
): ReadonlyArray<Finding> => {
  const shortages: Array<{ readonly type: string; readonly origin: Origin; readonly fact: string }> = []
  for (const [type, files] of Map.groupBy(stored.filter(({ list }) => list === "output"), typeOf)) {
    const [file] = files
    const fact = type === undefined ? undefined : shortageOf(type, files, scope, contents)
    if (type !== undefined && file !== undefined && fact !== undefined) {
      shortages.push({ type, origin: file.origin, fact })
    }
  }
  const [first] = shortages
  if (first === undefined) return []
  return [{
    problem: incomplete(
      first.origin,
      "the input has fewer records than the export",
      shortages.map(({ fact, type }) => [type, fact])
    ),
    lost: shortages.flatMap(({ origin, type }) => lostOf(origin, [type]))
  }]
}

/** Returns how many of the records, or of the files, of a type were read; `undefined` if all were. */
const shortageOf = (
  type: string,
  files: ReadonlyArray<ExportedFile>,
  scope: ReadonlyArray<string>,
  { records, unreadable }: InputContents
): string | undefined => {
  const recordsIn = (some: ReadonlyArray<string>): number => sumOf(some, (file) => records(file).get(type) ?? 0)
  const unreadableIn = (some: ReadonlyArray<string>): number => sumOf(some, unreadable)
  const byName = Map.groupBy(scope, nameOf)
  const namesakes = ({ url }: ExportedFile): ReadonlyArray<string> => byName.get(nameOf(url)) ?? []
  const expected = sumOf(files, ({ count = 0 }) => count)
  if (files.every((file) => namesakes(file).length > 0)) {
    const missing = sumOf(files, (file) => {
      const read = namesakes(file)
      return Math.max(0, (file.count ?? 0) - recordsIn(read) - unreadableIn(read))
    })
    return missing === 0 ? undefined : `${number(expected - missing)} of ${plural(expected, "record")}`
  }
  // Downloaders may store a file under another name.
  if (files.every(({ count }) => count !== undefined)) {
    const read = recordsIn(scope)
    return read + unreadableIn(scope) >= expected ? undefined : `${number(read)} of ${plural(expected, "record")}`
  }
  const holding = scope.filter((file) => records(file).has(type) || typesInName(file).includes(type))
  const enough = scope.every((file) => file === "-") ? 1 : files.length
  return holding.length >= enough ? undefined : `${number(holding.length)} of ${plural(files.length, "file")}`
}

const sumOf = <A>(items: ReadonlyArray<A>, count: (item: A) => number): number =>
  items.reduce((sum, item) => sum + count(item), 0)

/** Reports error messages and lists of deleted records that an export has and the input lacks. Which records they concern is unknown. */
const missingLists = (
  stored: ReadonlyArray<ExportedFile>,
  scope: ReadonlyArray<string>,
  { deletions, records }: InputContents
): ReadonlyArray<Finding> =>
  (["error", "deleted"] as const).flatMap((list): ReadonlyArray<Finding> => {
    const files = stored.filter((file) => file.list === list && file.count !== 0)
    const names = new Set(scope.map(nameOf))
    const isInInput = scope.some((file) =>
      list === "error" ? (records(file).get("OperationOutcome") ?? 0) > 0 : deletions(file) > 0
    )
    const [first] = files
    if (first === undefined || isInInput || files.every(({ url }) => names.has(nameOf(url)))) return []
    const { origin } = first
    const what = list === "error" ? "files of errors" : "files of deleted records"
    return [{
      problem: incomplete(
        origin,
        `the export has ${what}, which are not in the input`,
        [[list, plural(files.length, "file")]],
        `add the folder \`${list}\` of the export to the input`
      ),
      lost: lostOf(origin, undefined)
    }]
  })

/** Returns the name of a file without its folder and `.gz`, or of an address without its query. */
const nameOf = (file: string): string => {
  const [path = ""] = file.split(/[?#]/u, 1)
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.gz$/iu, "")
}

/** Reports the server's errors: by patient if one in the input is listed, otherwise by type, otherwise for any record. */
const outcomeFindings = (
  evidence: ReadonlyArray<PlacedEvidence>,
  { hasPatient }: InputContents
): ReadonlyArray<Finding> => {
  const byFile = new Map<string, { readonly origin: Origin; count: number; readonly unknown: Set<string> }>()
  const lost: Array<LocatedUnreadableRecord> = []
  for (const { evidence: one, origin } of evidence) {
    if (one._tag !== "Outcome") continue
    for (const { patients, types } of outcomeConcerns(one.outcome)) {
      const ofFile = getOrMake(byFile, origin.file, () => ({ origin, count: 0, unknown: new Set() }))
      ofFile.count++
      const unknown = patients.filter((id) => !hasPatient(id))
      for (const id of unknown) ofFile.unknown.add(id)
      if (patients.length === unknown.length) {
        lost.push(...lostOf(origin, types.length === 0 ? undefined : types))
        continue
      }
      const references = patients.map((id) => `Patient/${id}`)
      const of = types.length === 0 ? [undefined] : types
      lost.push(...of.map((type): LocatedUnreadableRecord => ({
        ...(type === undefined ? {} : { type }),
        names: [],
        references,
        origin,
        isNotExported: true
      })))
    }
  }
  return [
    ...[...byFile.values()].map(({ count, origin, unknown }) => ({
      problem: incomplete(
        origin,
        "the server reported errors during the export",
        [
          ["errors", number(count)],
          ...(unknown.size === 0 ? [] : [["patients", `${number(unknown.size)} not in the input`] as const])
        ],
        "read the OperationOutcomes of the file, correct the cause, and export again"
      ),
      lost: []
    })),
    { lost }
  ]
}

/**
 * Returns a problem if exports are of several servers. Their files have no addresses of records, so a reference such as `Patient/1` could
 * lead to a patient of the other server. `sameServer` are addresses of one server.
 */
const severalServers = (
  exports: ReadonlyArray<Export>,
  sameServer: ReadonlyArray<string>
): ReadonlyArray<Diagnostic> => {
  const servers = new Servers(sameServer)
  const known = exports.flatMap(({ origin, url }) => {
    const base = url === undefined ? undefined : serverOfExport(url)
    return base === undefined ? [] : [{ base, name: servers.nameOf(base), origin }]
  })
  const [first] = known
  const other = known.find(({ name }) => name !== first?.name)
  if (first === undefined || other === undefined) return []
  return [{
    code: "several-servers",
    severity: "error",
    title: "the input has exports of two servers, and records of both can have the same id",
    origin: other.origin,
    facts: [["server", other.base], ["other", first.base]],
    help: [
      "convert the exports of each server separately, with mappings that generate different codes",
      "if both are addresses of one server, in facility.yaml:  sameServer: [FIRST, SECOND]"
    ]
  }]
}
