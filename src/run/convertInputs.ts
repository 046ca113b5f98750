import { Effect, Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { setProcessZone } from "../fhirpath/evaluate/processZone.ts"
import type { CheckedMapping } from "../mapping/check/check.ts"
import { loadMapping } from "../mapping/language/loadMapping.ts"
import { findInputs } from "../source/read/findInputs.ts"
import type { JoinRules } from "../source/records/Servers.ts"
import { makeUniqueInRun } from "../visit/rules/uniqueInRun.ts"
import { FileLabels } from "./accounts/fileLabels.ts"
import { runSettings, visitChecks } from "./accounts/visitChecks.ts"
import type { Conversion } from "./Conversion.ts"
import { InvalidInput, InvalidMapping, PartitionRefused } from "./Conversion.ts"
import type { ConversionRequest, MemoryLimits } from "./ConversionRequest.ts"
import { defaultMemoryLimits } from "./ConversionRequest.ts"
import type { RejectedRecord } from "./convertRecords.ts"
import { cutRun } from "./CutRun.ts"
import { inMemoryRun } from "./inMemoryRun.ts"
import { onDiskRun } from "./onDiskRun.ts"
import type { OpenedPartition } from "./openPartition.ts"
import { isPartition, openPartition } from "./openPartition.ts"
import { readRun } from "./readRun.ts"
import { linkingOf } from "./workers/chunks.ts"
import type { PoolSetting } from "./workers/WorkerPool.ts"
import { WorkerPool } from "./workers/WorkerPool.ts"

/**
 * Converts inputs to visits: checks the mapping, reads every input, then converts each visit as it is taken. Nothing is read if the mapping
 * is invalid. The worker threads run until the scope ends, or until the last visit has been taken.
 */
export const convertInputs = Effect.fn("convertInputs")(function*(request: ConversionRequest) {
  const { facility, fill, system, zone } = request
  const { checked, mistakes } = yield* loadedMapping(request)
  const { plan } = checked
  const room = { ...defaultMemoryLimits, ...request.room }
  const settings = runSettings(request.validation, { now: request.now, facility })
  const labels = new FileLabels()
  const joins = { sameServer: request.sameServer ?? [], copies: plan.grouping.copies }
  const opened = request.partition === undefined ? undefined : yield* openedPartition(request, plan.hash)
  // Fill in beneficiaries on this thread, because only this thread sends lookups to the service.
  const team = yield* workerTeam(request, { checked, validation: settings }, room)
  const read = opened === undefined
    ? yield* readInputs(request, { checked, joins, labels, room }, team)
    : readOfPartition(opened, request.showValues ? new FileLabels() : labels)
  // No parts are required: the input has no records, or this thread makes the visits.
  if (read.stored._tag === "Held" || fill !== undefined) yield* Effect.promise(() => team.end())
  const { unreadable } = read
  const ofRun = [...opened === undefined || opened.index === 1 ? mistakes : [], ...read.problems]
  const options = {
    checked,
    facility,
    system,
    zone,
    compareVisit: makeUniqueInRun(),
    ...visitChecks(settings)
  }
  const { groups, homeOf, problems, shared, totals, visits } = read.stored._tag === "Held"
    ? inMemoryRun({ ...options, coverage: request.coverage === true }, read.stored.index, read.lost, fill)
    : onDiskRun(options, read.stored.cut, { where: read.stored.where, joins, lost: read.lost }, fill, team)
  const labelled = <A extends Pick<Diagnostic, "origin" | "facts">>(about: A): A => labels.about(about)
  let made = 0
  return {
    records: read.records + unreadable.length,
    unreadable: unreadable.length,
    groups,
    tables: read.tables.map((table) => ({ ...table, file: labels.of(table.file) })),
    visits: Stream.map(visits, (visit) => {
      made++
      return { ...labelled(visit), problems: visit.problems.map(labelled) }
    }),
    totals: () => {
      const all = totals()
      return {
        ...all,
        groups: made,
        records: unreadable.length + all.usedRecords + all.rejectedRecords.length +
          all.unused.values().reduce((sum, count) => sum + count, 0),
        rejectedRecords: [...unreadable.map(rejectedInput), ...all.rejectedRecords].map((record) => ({
          ...labelled(record),
          problems: record.problems.map(labelled)
        })),
        problems: [...ofRun, ...problems()].map(labelled),
        ...(all.coverage === undefined ? {} : {
          coverage: {
            types: all.coverage.types,
            elements: all.coverage.elements.map(labelled),
            unusedRecords: all.coverage.unusedRecords.map(labelled)
          }
        })
      }
    },
    homeOf: (source, field) => {
      const home = homeOf(source, field)
      return home === undefined ? undefined : labelled(home)
    },
    mappingHash: plan.hash,
    assumptions: plan.assumptions,
    ...(opened === undefined || shared === undefined ? {} : {
      partition: {
        index: opened.index,
        count: opened.manifest.count,
        of: opened.of,
        file: opened.file,
        key: opened.key,
        shared
      }
    }),
    conceptMapLists: new Map(
      [...plan.conceptMaps.values()].flatMap(({ list, name }) => (list === undefined ? [] : [[name, list]]))
    )
  } satisfies Conversion as Conversion
})

/** Loads the mapping of a run and checks it. */
export const loadedMapping = Effect.fnUntraced(function*(request: ConversionRequest) {
  setProcessZone(request.zone)
  const { checked, problems } = request.loaded ??
    (yield* loadMapping(request.mapping, request.shippedMappings, {
      ...(request.tables === undefined ? {} : { tables: request.tables }),
      accepted: request.accepted,
      ...(request.validation?.lists === undefined ? {} : { lists: request.validation.lists })
    }))
  if (checked === undefined) return yield* new InvalidMapping({ problems })
  return { checked, mistakes: problems }
})

/** The worker threads of a run, which run until the scope ends. */
export const workerTeam = (
  { facility, fhirVersion, fill, system, zone }: ConversionRequest,
  setting: Omit<PoolSetting, "facility" | "fhirVersion" | "system" | "zone">,
  room: MemoryLimits
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      new WorkerPool(
        { ...setting, facility, fhirVersion, system, zone },
        fill === undefined ? room : { ...room, workers: 0 }
      )
    ),
    (team) => Effect.promise(() => team.end())
  )

/** Reads the inputs of a run. Fails if they cannot be converted. */
export const readInputs = Effect.fnUntraced(function*(
  request: ConversionRequest,
  { checked, isCut = false, joins, labels, room }: {
    readonly checked: CheckedMapping
    readonly joins: JoinRules
    readonly labels: FileLabels
    readonly room: MemoryLimits
    readonly isCut?: boolean
  },
  team: WorkerPool
) {
  const { plan } = checked
  const folder = request.inputs.find(isPartition)
  if (folder !== undefined) {
    return yield* new PartitionRefused({
      title: `\`${folder}\` is an export that was cut into parts`,
      help: [`one of them:  --part I/N --parts ${folder}/parts.json`, "or convert the export itself"]
    })
  }
  const found = yield* findInputs(request.inputs)
  // Coverage requires all records in memory.
  const linking = request.coverage === true ? undefined : linkingOf(plan)
  const read = yield* readRun(
    {
      joins,
      fhirVersion: request.fhirVersion,
      found,
      plan,
      linking,
      room,
      isCut,
      labels: request.showValues && !isCut ? undefined : labels,
      onRead: request.onRead
    },
    team
  )
  const invalid = [...read.otherVersions, ...(request.withoutBase === true ? [] : read.missingBases)]
  if (invalid.length > 0) {
    return yield* new InvalidInput({ problems: invalid.map((problem) => labels.about(problem)) })
  }
  const { stored } = read
  return {
    ...read,
    found,
    problems: [...read.missing, ...read.incomplete, ...read.passedOver],
    stored: stored._tag === "Held"
      ? stored
      : { ...stored, cut: cutRun(stored.records, room.partBytes), where: stored.records.where }
  }
})

/** Opens the requested partition. It must belong to this facility and mapping. */
const openedPartition = Effect.fnUntraced(function*(
  { facility, inputs, partition, system }: ConversionRequest,
  hash: string
) {
  const opened = yield* openPartition(partition!, inputs)
  const { manifest } = opened
  const other = manifest.mapping !== hash
    ? "another mapping"
    : manifest.facility !== facility || manifest.system !== system
    ? "another facility or system"
    : undefined
  if (other === undefined) return opened
  return yield* new PartitionRefused({
    title: `\`${opened.file}\` was made for ${other}`,
    help: ["convert with the settings that the export was partitioned with, or partition it again"]
  })
})

/** What was read of a run, as its partition records it. The first part reports what concerns the run as a whole. */
const readOfPartition = ({ cut, index, part, run, where }: OpenedPartition, labels: FileLabels) => {
  for (const [file, words] of run.hidden) labels.hide(file, words)
  const isFirst = index === 1
  const left = isFirst ? run.unused.reduce((sum, [, count]) => sum + count, 0) : 0
  return {
    stored: { _tag: "Spilled", cut: { ...cut, expected: part.visits }, where } as const,
    records: part.records + left,
    unreadable: isFirst ? run.unreadable : [],
    problems: isFirst ? run.problems : [],
    tables: isFirst ? run.tables : [],
    lost: run.lost
  }
}

const rejectedInput = (problem: Diagnostic): RejectedRecord => ({
  source: problem.source ?? problem.origin?.reference ?? "",
  origin: problem.origin ?? { file: "", line: 0, reference: "" },
  problems: [problem]
})
