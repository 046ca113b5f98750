import { Schema } from "effect"
import { didYouMean } from "../diagnostic/suggest.ts"

/** The path does not exist, or a glob matches nothing. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  input: Schema.String,
  /** A file or folder next to it with a similar name. */
  near: Schema.optionalKey(Schema.String)
}) {}
/** The path is a folder without files at any depth; hidden files do not count. */
export class NoFiles extends Schema.TaggedError<NoFiles>()("NoFiles", { input: Schema.String }) {}
/** The file exists and cannot be opened or read: permissions, a broken disk, a file that disappeared. `detail` is the system's error. */
export class NotReadable extends Schema.TaggedError<NotReadable>()("NotReadable", {
  input: Schema.String,
  detail: Schema.String
}) {}
/** The path is a device, a pipe, a socket, a link to itself, or a folder where files are expected. */
export class NotAFile extends Schema.TaggedError<NotAFile>()("NotAFile", {
  input: Schema.String,
  kind: Schema.String
}) {}
/** Compressed bytes turn out to be cut off or damaged after the bytes already read. */
export class Damaged extends Schema.TaggedError<Damaged>()("Damaged", {
  input: Schema.String,
  detail: Schema.String
}) {}
/** The file's size or time changed while it was read, so the bytes read can mix two versions. */
export class Changed extends Schema.TaggedError<Changed>()("Changed", { input: Schema.String }) {}
/** Records could not be written to disk: spilled, or as parts. `detail` is the system's error. */
export class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", {
  folder: Schema.String,
  detail: Schema.String,
  /** What the user sets to choose another folder. */
  setBy: Schema.Literals(["TMPDIR", "-o"])
}) {}

/** A failure to read the inputs, which stops the run. An error *in* an input is a `Diagnostic`. */
export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  reason: Schema.Union([NotFound, NoFiles, NotReadable, NotAFile, Damaged, Changed, NoRoom])
}) {
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
