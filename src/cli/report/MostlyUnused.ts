import { number } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { atLevels, type Levels } from "../../diagnostic/levels.ts"
import { typeAt } from "../../diagnostic/Origin.ts"
import { getOrMake } from "../../maps.ts"
import { withoutAbsent } from "../../objects.ts"

/** With fewer records, chance decides which are the majority. */
const minRecords = 10

/** Records that are in no section, as data. */
export type UnusedData = ReadonlyArray<
  readonly [type: string, { readonly count: number; readonly first: Diagnostic; readonly position: number }]
>

/**
 * Counts, by type, the records of visits that no section uses. If they are more than half of a type, the mapping does not fit the source.
 * The run then has an error, in addition to the warnings of the visits.
 */
export class MostlyUnused {
  readonly #unused = new Map<string, { count: number; readonly first: Diagnostic; readonly position: number }>()

  /** `position`: for a part, the visit's position in the run. */
  add(problems: ReadonlyArray<Diagnostic>, position = -1): void {
    for (const problem of problems) {
      const { code, mapping, origin, times = 1 } = problem
      // No line reads the type: no condition can be wrong.
      if (code !== "unused-record" || origin === undefined || mapping === undefined) continue
      getOrMake(this.#unused, typeAt(origin), () => ({ count: 0, first: problem, position })).count += times
    }
  }

  /** What was counted, by type. */
  data(): UnusedData {
    return [...this.#unused].map(([type, one]) => [type, { ...one }])
  }

  /** What was counted in several parts of a run. */
  static of(all: ReadonlyArray<UnusedData>): MostlyUnused {
    const sum = new MostlyUnused()
    for (const [type, one] of all.flat().toSorted(([, one], [, other]) => one.position - other.position)) {
      getOrMake(sum.#unused, type, () => ({ ...one, count: 0 })).count += one.count
    }
    return sum
  }

  /** One error for each type. `used` are the records that are in visits. */
  problems(used: ReadonlyMap<string, number>, levels: Levels | undefined): ReadonlyArray<Diagnostic> {
    return atLevels(
      [...this.#unused].flatMap(
        ([type, { count, first: { mapping, origin, path, source } }]): ReadonlyArray<Diagnostic> => {
          const all = count + (used.get(type) ?? 0)
          return count < minRecords || count * 2 <= all ? [] : [{
            code: "mostly-unused",
            severity: "error",
            title: `${number(count)} of ${number(all)} ${type} records of the visits are in no section of them`,
            ...withoutAbsent({ source, origin, mapping, path }),
            help: [
              "look at the conditions that excluded them: the warnings of the visits show them",
              "if they are not meant for the service, in facility.yaml:  validation: {levels: {mostly-unused: off}}"
            ]
          }]
        }
      ),
      levels
    )
  }
}
