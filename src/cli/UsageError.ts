import { Data } from "effect"

/** The command line asks for something that cannot be. Nothing was read and nothing was sent. */
export class UsageError extends Data.TaggedError("UsageError")<{
  readonly title: string
  readonly help?: ReadonlyArray<string>
}> {
  override get message() {
    return this.title
  }
}
