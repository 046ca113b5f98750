import { Data } from "effect"

/** The command line is invalid, or asks for something impossible. Nothing was read and nothing was sent. */
export class UsageError extends Data.TaggedError("UsageError")<{
  readonly title: string
  readonly help?: ReadonlyArray<string>
}> {
  override get message() {
    return this.title
  }
}
