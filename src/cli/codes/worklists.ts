import { Effect, Option } from "effect"
import { hash } from "node:crypto"
import { join } from "node:path"
import { plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { type Facility, InvalidFacility } from "../../facility/Facility.ts"
import { listIndex, valueIndex } from "../../facility/lists/listIndex.ts"
import { readList, standardDataFolder } from "../../facility/lists/StandardData.ts"
import type { CountedCode } from "../../run/Conversion.ts"
import { readWorklist } from "../../studio/codes/readWorklist.ts"
import { worklistCsv } from "../../studio/codes/worklist.ts"
import type { ReferenceListType } from "../../visit/Field.ts"
import { countVisits } from "../conversion/convertInputs.ts"
import { makeOutputFolder, writeWhole } from "../files/WholeFile.ts"

/** Converts, and writes the worklists into a folder. Returns a line of text for each, and the counts of the conversion. */
export const writeWorklists = Effect.fnUntraced(
  function*(
    flags: {
      readonly inputs: ReadonlyArray<string>
      readonly folder: string
      readonly showValues: boolean
      readonly withCoverage?: boolean
    },
    facility: Facility
  ) {
    yield* makeOutputFolder(flags.folder)
    const { conversion, tally } = yield* countVisits(flags, facility)
    const byTable = Map.groupBy(conversion.totals().unmapped, ({ table }) => table)
    // Read everything before writing, so that an unreadable earlier worklist is not overwritten.
    const earlier = new Map<string, Effect.Success<ReturnType<typeof readWorklist>>["rows"]>()
    const problems: Array<Diagnostic> = []
    for (const name of byTable.keys()) {
      const read = yield* readWorklist(join(flags.folder, fileName(name)))
      earlier.set(name, read.rows)
      problems.push(...read.problems)
    }
    if (problems.length > 0) return yield* new InvalidFacility({ problems })
    const lines: Array<ReadonlyArray<string>> = []
    const valueLines: Array<string> = []
    const unlisted = new Set<ReferenceListType>()
    for (const [name, codes] of byTable) {
      const list = conversion.conceptMapLists.get(name)
      const values = conversion.conceptMapValues.get(name) ?? []
      const index = yield* indexOf(facility, list, values)
      if (values.length > 0) valueLines.push(`known values of \`${name}\`:  ${values.join(", ")}`)
      if (list !== undefined && index === undefined) unlisted.add(list)
      const file = join(flags.folder, fileName(name))
      yield* writeWhole(file, worklistCsv(codes, index, earlier.get(name), list))
      lines.push([file, plural(codes.length, "code"), blockedWords(codes)])
    }
    return {
      lines,
      /** The possible values of concept maps that have few, a line for each. */
      valueLines,
      /** Lists that suggestions need and that are not downloaded. */
      unlisted: [...unlisted].toSorted(),
      worklists: [...byTable].map(([table, codes]) => ({
        table,
        file: join(flags.folder, fileName(table)),
        codes: codes.length
      })),
      counts: tally.counts,
      /** Elements that no line read, if requested. */
      coverage: conversion.totals().coverage,
      problems: tally.problems.all()
    }
  }
)

/** The index of a list of the service, or of the few values of another concept map; `undefined` if the list is not downloaded. */
export const indexOf = Effect.fnUntraced(function*(
  facility: Facility,
  list: ReferenceListType | undefined,
  values: ReadonlyArray<string> = []
) {
  if (values.length > 0) return valueIndex(values)
  const folder = standardDataFolder(facility)
  const pulled = list === undefined || folder === null ? undefined : yield* Effect.option(readList(folder, list))
  return list === undefined || pulled === undefined || Option.isNone(pulled)
    ? undefined
    : listIndex(list, pulled.value.items)
})

const blockedWords = (codes: ReadonlyArray<CountedCode>): string => {
  const [max] = codes.toSorted((a, b) => b.blocked - a.blocked)
  return max === undefined || max.blocked === 0 ? "" : `the first blocks ${plural(max.blocked, "visit")}`
}

/** The name of a concept map as a file name; a name that cannot be one is named by its hash. */
export const fileName = (name: string): string =>
  `${
    /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/u.test(name)
      ? name
      : hash("sha256", name).slice(0, 16)
  }.csv`
