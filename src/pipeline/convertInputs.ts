import { Effect, Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { setProcessZone } from "../fhirpath/processZone.ts"
import { loadMapping } from "../mapping/loadMapping.ts"
import { findInputs } from "../source/findInputs.ts"
import { makeUniqueInRun } from "../visit/rules/uniqueInRun.ts"
import { asideRun } from "./asideRun.ts"
import type { Conversion } from "./Conversion.ts"
import { InvalidInput, MappingRefused, NoShards } from "./Conversion.ts"
import type { ConversionRequest } from "./ConversionRequest.ts"
import { usualRoom } from "./ConversionRequest.ts"
import type { RejectedRecord } from "./convertRecords.ts"
import { FileLabels } from "./fileLabels.ts"
import { heldRun } from "./heldRun.ts"
import { inputDigest } from "./inputDigest.ts"
import { readRun } from "./readRun.ts"
import { linkingOf } from "./stretches.ts"
import { runSettings, visitChecks } from "./visitChecks.ts"
import { WorkerTeam } from "./WorkerTeam.ts"

/**
 * From inputs to visits: checks the mapping, reads every input, then converts visit by visit as they are taken. Nothing is read
 * when the mapping is wrong. The threads that help are there until the scope ends, or until the last visit has been taken.
 */
export const convertInputs = Effect.fn("convertInputs")(function*(request: ConversionRequest) {
  const { facility, fill, shard, system, validation, zone } = request
  setProcessZone(zone)
  const { checked, problems: mistakes, syntax } = yield* loadMapping(request.mapping, request.shippedMappings, {
    ...(request.tables === undefined ? {} : { tables: request.tables }),
    accepted: request.accepted,
    ...(validation?.lists === undefined ? {} : { lists: validation.lists })
  })
  if (checked === undefined || syntax === undefined) return yield* new MappingRefused({ problems: mistakes })
  const found = yield* findInputs(request.inputs)
  const { plan } = checked
  const room = { ...usualRoom, ...request.room }
  const settings = runSettings(validation, { now: request.now, facility })
  // Coverage looks at all records together.
  const linking = request.coverage === true ? undefined : linkingOf(plan)
  if (shard !== undefined && linking === undefined) return yield* new NoShards()
  // What is filled in is asked of the service by this thread.
  const team = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new WorkerTeam(
        { mapping: syntax, hash: plan.hash, facility, system, zone, validation: settings },
        fill === undefined ? room : { ...room, workers: 0 }
      )
    ),
    (team) => Effect.promise(() => team.end())
  )
  const labels = new FileLabels()
  const joins = { sameServer: request.sameServer ?? [], copies: plan.grouping.copies }
  const read = yield* readRun(
    {
      joins,
      fhirVersion: request.fhirVersion,
      found,
      plan,
      linking,
      room,
      isCut: shard !== undefined,
      labels: request.showValues ? undefined : labels
    },
    team
  )
  const invalid = [...read.otherVersions, ...(request.withoutBase === true ? [] : read.missingBases)]
  if (invalid.length > 0) {
    return yield* new InvalidInput({ problems: invalid.map((problem) => labels.about(problem)) })
  }
  const { stored } = read
  // Nobody asks for parts: there was no record after all, or this thread makes the visits.
  if (stored._tag === "Held" || fill !== undefined) yield* Effect.promise(() => team.end())
  // What belongs to a run as a whole is told by its first shard.
  const tellsOfRun = shard === undefined || shard.index === 1
  const unreadable = tellsOfRun ? read.unreadable : []
  const ofRun = tellsOfRun ? [...mistakes, ...read.missing, ...read.incomplete, ...read.passedOver] : []
  const options = {
    checked,
    facility,
    system,
    zone,
    compareVisit: makeUniqueInRun(),
    ...visitChecks(settings)
  }
  const { groups, homeOf, problems, totals, visits } = stored._tag === "Held"
    ? heldRun({ ...options, coverage: request.coverage === true }, stored.index, read.lost, fill)
    : asideRun(
      options,
      stored.records,
      { lost: read.lost, joins },
      { partBytes: room.partBytes, ...(shard === undefined ? {} : { shard }) },
      fill,
      team
    )
  const labelled = <A extends Pick<Diagnostic, "origin" | "facts">>(about: A): A => labels.about(about)
  // Shards are put together by their reports.
  const input = shard === undefined
    ? {}
    : { input: yield* inputDigest(found, read, stored._tag === "Held" ? null : stored.records.links) }
  let made = 0
  return {
    records: read.records + unreadable.length,
    unreadable: unreadable.length,
    groups,
    tables: (tellsOfRun ? read.tables : []).map((table) => ({ ...table, file: labels.of(table.file) })),
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
    ...input,
    conceptMapLists: new Map(
      [...plan.conceptMaps.values()].flatMap(({ list, name }) => (list === undefined ? [] : [[name, list]]))
    )
  } satisfies Conversion as Conversion
})

const rejectedInput = (problem: Diagnostic): RejectedRecord => ({
  source: problem.source ?? problem.origin?.reference ?? "",
  origin: problem.origin ?? { file: "", line: 0, reference: "" },
  problems: [problem]
})
