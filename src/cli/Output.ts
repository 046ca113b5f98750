import { Effect, type FileSystem, type Scope, Stdio, Stream } from "effect"
import { buffered, openWhole, OutputError, type WholeFile } from "./WholeFile.ts"

/** Opens what `-o` names: `-` is standard output, anything else a file that appears whole. */
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

/** How visits are written: one a line, or one submission request (§2.3). */
export const visitLayout = (name = ""): {
  readonly head: string
  readonly between: string
  readonly tail: (count: number) => string
} =>
  name.endsWith(".json")
    ? { head: "{\"visits\":[", between: ",", tail: () => "]}\n" }
    : { head: "", between: "\n", tail: (count) => (count === 0 ? "" : "\n") }
