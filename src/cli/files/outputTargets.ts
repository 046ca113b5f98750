import { Effect, FileSystem, Option } from "effect"
import { findInputs } from "../../source/read/findInputs.ts"
import { UsageError } from "../UsageError.ts"
import { realName } from "./WholeFile.ts"

/** A file that a flag names. */
type OutputTarget = readonly [flag: string, file: string]

/** Fails if an output is an input, a journal, or the file of another output, under any name. */
export const expectDistinct = Effect.fnUntraced(
  function*(targets: ReadonlyArray<OutputTarget>, inputs: ReadonlyArray<string>) {
    const taken = new Map<string, string>()
    for (const input of inputs) {
      if (input !== "-") {
        taken.set(yield* realName(input), `the input \`${input}\``)
      }
    }
    for (const [flag, file] of targets) {
      const path = file === "-" ? "-" : yield* realName(file)
      const other = taken.get(path)
      // A device takes several results. `/dev/shm` has files.
      if (other !== undefined && (!path.startsWith("/dev/") || path.startsWith("/dev/shm/"))) {
        return yield* new UsageError({
          title: `${flag} and ${other} are the same file`
        })
      }
      taken.set(path, flag)
      const kept = file === "-" ? undefined : yield* whatIsLost(file, inputs)
      if (kept !== undefined) return yield* new UsageError({ title: `${flag} would replace ${kept}` })
      if (/\.(?:gz|zip)$/.test(file)) {
        return yield* new UsageError({ title: `${flag} writes plain text, not \`${file}\`` })
      }
    }
  }
)

/** Fails if `-o` names an input or a journal, under any name. */
export const expectOutputApart = (output: string, inputs: ReadonlyArray<string>) =>
  expectDistinct([["--output", output]], inputs)

/** Fails if an output folder is `-`, which means standard output in other commands, or a file. */
export const expectOutputFolder = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  if (folder === "-") {
    return yield* new UsageError({
      title: "the result is several files: standard output takes one",
      help: ["name a folder; one with this name is  ./-"]
    })
  }
  const known = yield* Effect.option(fs.stat(folder))
  if (Option.isSome(known) && known.value.type !== "Directory") {
    return yield* new UsageError({ title: `\`${folder}\` exists and is not a folder` })
  }
})

/** Returns what would be lost if a file were replaced: an input under any name, or a journal. */
const whatIsLost = Effect.fnUntraced(function*(file: string, inputs: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const identity = (path: string) =>
    Effect.map(
      Effect.option(fs.stat(path)),
      Option.flatMap(({ dev, ino, type }) =>
        type === "File" ? Option.map(ino, (number) => `${dev} ${number}`) : Option.none()
      )
    )
  const own = yield* identity(file)
  if (Option.isNone(own)) return undefined
  const head = yield* Effect.scoped(
    Effect.flatMap(fs.open(file, { flag: "r" }), (opened) => opened.readAlloc(databaseHead.length))
  ).pipe(Effect.map(Option.getOrElse(() => new Uint8Array())), Effect.orElseSucceed(() => new Uint8Array()))
  if (Buffer.from(head).toString("latin1") === databaseHead) return `a database, which may be a journal: \`${file}\``
  // A missing input is reported when it is read.
  const found = yield* Effect.orElseSucceed(findInputs(inputs), () => ({ inputs: [] }))
  for (const input of found.inputs) {
    if (input._tag !== "File") continue
    const other = yield* identity(input.path)
    if (Option.isSome(other) && other.value === own.value) return `the input \`${input.name}\``
  }
  return undefined
})

/** The beginning of every SQLite file. */
const databaseHead = "SQLite format 3"
