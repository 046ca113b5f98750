import { Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"
import fc from "fast-check"
import { plural } from "../../diagnostic/count.ts"
import type { Facility } from "../../facility/Facility.ts"
import { readList, standardDataFolder } from "../../facility/lists/StandardData.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { nonEmptyText } from "../../service/responses/ServiceResponse.ts"
import { standardData } from "../../service/sandbox/data/standardData.ts"
import { toFhir } from "../../studio/canonical/toFhir.ts"
import { beneficiaryOf } from "../../studio/proof/beneficiaryOf.ts"
import { inventedVisit } from "../../studio/proof/inventedVisit.ts"
import { encodeVisit } from "../../visit/encode.ts"
import { referenceListTypes } from "../../visit/Field.ts"
import type { Visit } from "../../visit/Visit.ts"
import { openOutput } from "../files/Output.ts"
import { expectOutputApart } from "../files/outputTargets.ts"
import { common, facility, numberFlag, outputFlag, wordFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { Screen } from "../screen/Screen.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  visits: numberFlag("visits", "Number of visits (default: 10)").pipe(Flag.withDefault(10)),
  seed: numberFlag("seed", "Random seed (default: 1)", { min: -Infinity }).pipe(Flag.withDefault(1)),
  as: wordFlag(
    "as",
    "FORMAT",
    ["visits", "fhir", "sandbox-data"],
    "visits: one per line; fhir: one Bundle per line; sandbox-data: input for `sandbox --data` (default: visits)"
  ).pipe(Flag.withDefault("visits")),
  facility,
  output: outputFlag("FILE", "Output file (default: standard output)").pipe(Flag.withDefault("-")),
  ...common
}

export const generateCommand = Command.make("generate", config, (flags) => perform(flags, execute(flags))).pipe(
  withHelp(
    "Generate synthetic visits for rehearsals. The visits cover every section and use values of the standard data.",
    [
      "fhir2visit generate --visits 1000 --facility hospital-a/ -o visits.ndjson",
      "Generate 1,000 visits for `submit --sandbox`"
    ],
    ["fhir2visit generate --as fhir | fhir2visit convert - -o -", "Generate FHIR, and convert it with the base mapping"]
  )
)

/** Returns the downloaded lists of the facility's service; a list that is not downloaded is that of the embedded service. */
const listsOf = Effect.fnUntraced(function*(facility: Facility) {
  const folder = standardDataFolder(facility)
  const lists = { ...standardData }
  if (folder === null) return lists
  for (const type of referenceListTypes) {
    const read = yield* Effect.result(readList(folder, type))
    if (Result.isFailure(read) || read.success.items.length === 0) continue
    lists[type] = read.success.items.map((row) => {
      const code = nonEmptyText(row["code"]) ?? ""
      return {
        code,
        name: nonEmptyText(row["name"]) ?? code,
        description: nonEmptyText(row["description"]) ?? nonEmptyText(row["name"]) ?? code
      }
    })
  }
  return lists
})

/** `generate`: writes synthetic visits. A visit depends only on the seed and its number, so a longer list begins with the same visits. */
const execute = Effect.fn("generate")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  yield* expectOutputApart(flags.output, [])
  const settings = yield* readFacility(flags.facility)
  const facility = settings.code ?? "HF0001"
  const lists = yield* listsOf(settings)
  const visitsOf = (n: number): ReadonlyArray<Visit> =>
    fc.sample(inventedVisit(n, { facility, lists }), { numRuns: 1, seed: flags.seed * 1_000_003 + n })
  yield* Effect.scoped(Effect.gen(function*() {
    const output = yield* openOutput(flags.output)
    if (flags.as === "sandbox-data") yield* output.write("{\"beneficiaries\": [\n")
    for (let n = 1; n <= flags.visits; n++) {
      for (const visit of visitsOf(n)) {
        yield* output.write(
          flags.as === "visits"
            ? `${encodeVisit(visit)}\n`
            : flags.as === "fhir"
            ? `${JSON.stringify(toFhir(visit))}\n`
            : `${JSON.stringify(beneficiaryOf(visit))}${n === flags.visits ? "\n]}" : ","}\n`
        )
      }
    }
    yield* output.commit
  }))
  yield* screen.say(`${plural(flags.visits, "invented visit")} of ${facility}, seed ${flags.seed}`)
})
