import { Effect, type FileSystem, type Scope, Stdio, Stream } from "effect"
import { buffered, openWhole, OutputError, type WholeFile } from "./WholeFile.ts"

/** Opens the output of `-o`: `-` is standard output; any other name is a file, which appears only when it is complete. */
export const openOutput = (
  name: string
): Effect.Effect<WholeFile, OutputError, FileSystem.FileSystem | Scope.Scope | Stdio.Stdio> =>
  name === "-" ? standardOutput : openWhole(name)

const standardOutput = Effect.map(Stdio.Stdio, (stdio): WholeFile => {
  const { flush, write } = buffered(
    64 * 1024,
    (text) =>
      Stream.run(Stream.succeed(text), stdio.stdout({ endOnDone: false })).pipe(
        Effect.mapError(() => new OutputError({ file: "-", reason: "the reader is gone" }))
      )
  )
  return { write, commit: flush }
})

/** The format of visits: one per line, or one submission request (§2.3). */
export const visitLayout = (name = ""): {
  readonly head: string
  readonly between: string
  readonly tail: (count: number) => string
} =>
  name.endsWith(".json")
    ? { head: "{\"visits\":[", between: ",", tail: () => "]}\n" }
    : { head: "", between: "\n", tail: (count) => (count === 0 ? "" : "\n") }
