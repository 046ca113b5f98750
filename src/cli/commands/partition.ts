import { Clock, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { dirname, join, resolve } from "node:path"
import { collate } from "../../diagnostic/collate.ts"
import { number, plural } from "../../diagnostic/count.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { type Manifest, manifestName, maxParts } from "../../run/parts/Manifest.ts"
import { loadedLists } from "../facility/standardLists.ts"
import { expectOutputFolder } from "../files/outputTargets.ts"
import { OutputError, temporaryName } from "../files/WholeFile.ts"
import {
  common,
  facility,
  facilityFlag,
  inputs,
  numberFlag,
  optional,
  outputFlag,
  rejectedOk,
  textFlag,
  withoutBase
} from "../flags.ts"
import { perform } from "../perform.ts"
import { requestOf } from "../PipelineApi.ts"
import { someNotDone } from "../process/exitCode.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"

const units = { kB: 1e3, MB: 1e6, GB: 1e9 } as const

/** Returns the bytes of a size such as `200MB`. */
const bytesOf = (text: string): Option.Option<number> => {
  const [, digits] = /^(\d{1,6})[kMG]B$/u.exec(text) ?? []
  const [, bytes] = Object.entries(units).find(([unit]) => text.endsWith(unit)) ?? []
  return Option.filter(Option.some(Number(digits) * (bytes ?? 0)), (size) => size > 0)
}

const config = {
  inputs,
  facility,
  output: outputFlag("DIR", "Folder for the parts. It must be empty, or not exist yet"),
  into: optional(numberFlag("into", `Number of parts, 1 to ${maxParts}`, { max: maxParts })),
  size: optional(
    textFlag("size", "SIZE", "Approximate size of a part (default: 200MB)").pipe(
      Flag.filterMap(bytesOf, () => "a number with kB, MB, or GB, for example 200MB")
    )
  ),
  withoutBase,
  rejectedOk,
  ...common
}

export const partitionCommand = Command.make("partition", config, (flags) => perform(flags, execute(flags))).pipe(
  withHelp(
    "Split an export into parts that are converted independently, on any number of machines. All visits of a patient code are in one part.",
    ["fhir2visit partition export/ --facility hospital-a/ -o parts/ --into 64", "Split into 64 parts"]
  )
)

type Flags = Command.Command.Config.Infer<typeof config>

const defaultBytes = 200e6

/** `partition`: cuts an export into parts. The folder appears when all of it is written. */
const execute = Effect.fn("partition")(function*(flags: Flags) {
  const screen = yield* Screen
  const fs = yield* FileSystem.FileSystem
  if (flags.into !== undefined && flags.size !== undefined) {
    return yield* new UsageError({
      title: "give either --into (number of parts) or --size (maximum size of a part)"
    })
  }
  yield* expectOutputFolder(flags.output)
  const folder = resolve(flags.output)
  yield* expectFree(flags.output, folder)
  const facility = yield* readFacility(flags.facility)
  const { lists } = yield* loadedLists(facility)
  const now = yield* Clock.currentTimeMillis
  const { manifest, problems } = yield* Effect.scoped(Effect.gen(function*() {
    yield* screen.progress(() => "partitioning")
    const unfinished = yield* temporaryName(folder)
    yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(unfinished, { recursive: true, force: true })))
    const { partitionInputs } = yield* Effect.promise(() => import("../../run/parts/partitionInputs.ts"))
    const partitioned = yield* partitionInputs(
      requestOf({
        inputs: flags.inputs,
        facility,
        lists,
        now,
        showValues: flags.showValues,
        withoutBase: flags.withoutBase
      }),
      flags.into === undefined ? { bytes: flags.size ?? defaultBytes } : { count: flags.into },
      unfinished
    )
    if (partitioned.manifest === undefined) return partitioned
    yield* Effect.mapError(
      fs.rename(unfinished, folder),
      () => new OutputError({ file: flags.output, reason: "cannot be written" })
    )
    return partitioned
  }))
  const errors = problems.filter(({ severity }) => severity === "error")
  yield* screen.problems(collate(errors))
  if (manifest === undefined) {
    yield* screen.failure({ title: "the input contains no records: nothing was written", help: [] })
    return yield* someNotDone
  }
  yield* screen.say(summary(manifest, flags))
  if (errors.length > 0 && !flags.rejectedOk) return yield* someNotDone
})

/** Fails if the folder exists and is not empty. */
const expectFree = Effect.fnUntraced(function*(name: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => undefined)
  if (names === undefined) {
    const parent = yield* Effect.orElseSucceed(fs.exists(dirname(folder)), () => false)
    if (!parent) return yield* new OutputError({ file: name, reason: "no such folder" })
  } else if (names.length > 0) {
    return yield* new UsageError({
      title: names.includes(manifestName)
        ? `\`${name}\` already contains a complete partition`
        : `\`${name}\` exists and is not empty`,
      help: [`choose another folder, or remove \`${name}\` first`]
    })
  }
})

const summary = ({ copied, count, leftOut, parts, records, shared }: Manifest, flags: Flags): string => {
  const sizes = parts.map(({ bytes }) => bytes)
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
  return [
    `${plural(records, "record")} in ${plural(count, "part")} of ${megabytes(Math.min(...sizes))} to ${
      megabytes(Math.max(...sizes))
    }; ${number(shared.records)} shared, ${number(copied)} in several parts, ${
      number(leftOut)
    } not written because no visit uses them`,
    "",
    `  next   fhir2visit convert ${flags.output}${
      facilityFlag(flags)
    } --part 1/${count} -o visits-1.ndjson --report report-1.json`,
    `         … and so on to --part ${count}/${count}, then:`,
    `         fhir2visit merge-reports report-*.json --parts ${join(flags.output, manifestName)} -o report.json`,
    ""
  ].join("\n")
}
