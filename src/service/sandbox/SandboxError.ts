import { Schema } from "effect"

/** The embedded service cannot start: its port, its data file or its store. */
export class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", {
  detail: Schema.String,
  help: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.detail
  }
}
