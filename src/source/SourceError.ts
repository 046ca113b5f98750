import { Data } from "effect"
import { didYouMean } from "../diagnostic/suggest.ts"

type SourceErrorReason =
  /** The path does not exist, or a glob matches nothing. `near`: a file or folder next to it with a similar name. */
  | { readonly _tag: "NotFound"; readonly input: string; readonly near?: string }
  /** The path is a folder without files at any depth; hidden files do not count. */
  | { readonly _tag: "NoFiles"; readonly input: string }
  /** The file exists and cannot be opened or read: permissions, a broken disk, a file that disappeared. `detail` is the system's error. */
  | { readonly _tag: "NotReadable"; readonly input: string; readonly detail: string }
  /** The path is a device, a pipe, a socket, a link to itself, or a folder where files are expected. */
  | { readonly _tag: "NotAFile"; readonly input: string; readonly kind: string }
  /** Compressed bytes turn out to be cut off or damaged after the bytes already read. */
  | { readonly _tag: "Damaged"; readonly input: string; readonly detail: string }
  /** The file's size or time changed while it was read, so the bytes read can mix two versions. */
  | { readonly _tag: "Changed"; readonly input: string }
  /**
   * Records could not be written to disk: spilled, or as parts. `detail` is the system's error; `setBy` is what the user sets to
   * choose another folder.
   */
  | { readonly _tag: "NoRoom"; readonly folder: string; readonly detail: string; readonly setBy: "TMPDIR" | "-o" }

/** A failure to read the inputs, which stops the run. An error *in* an input is a `Diagnostic`. */
export class SourceError extends Data.TaggedError("SourceError")<{ readonly reason: SourceErrorReason }> {
  override get message(): string {
    const { reason } = this
    switch (reason._tag) {
      case "NotFound":
        return `there is no input ${reason.input}${reason.near === undefined ? "" : `: ${didYouMean(reason.near)}`}`
      case "NoFiles":
        return `there are no files in ${reason.input}: did the export fail, or is a disk not mounted?`
      case "NotReadable":
        return `${reason.input} cannot be read: ${reason.detail}`
      case "NotAFile":
        return `${reason.input} is ${reason.kind}, not a file; ${
          reason.kind === "a folder" ? "name the files in it" : "standard input is written -"
        }`
      case "Damaged":
        return `${reason.input} cannot be used: ${reason.detail}`
      case "Changed":
        return `${reason.input} changed while it was read: run the same command again when it is complete`
      case "NoRoom":
        return `records cannot be written to ${reason.folder}${
          reason.detail === "" ? "" : ` (${reason.detail})`
        }: this needs about as much space as the input; ${reason.setBy} sets another folder`
    }
  }
}

/** Returns the error of an input or of the disk; anything else is an internal error. */
export const sourceErrorOrDie = (error: unknown): SourceError => {
  if (error instanceof SourceError) return error
  throw error
}
