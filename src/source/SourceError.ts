import { Schema } from "effect"

/** Nothing of that name exists, or a glob matches nothing. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { input: Schema.String }) {}
/** It is a folder, and no file is in it or below it; hidden ones do not count. */
export class NoFiles extends Schema.TaggedError<NoFiles>()("NoFiles", { input: Schema.String }) {}
/** It exists and cannot be opened or read: rights, a broken disk, a file that went away. `detail` is the system's word. */
export class NotReadable extends Schema.TaggedError<NotReadable>()("NotReadable", {
  input: Schema.String,
  detail: Schema.String
}) {}
/** It is a device, a pipe, a socket, a link that leads to itself, or a folder where files are asked for. */
export class NotAFile extends Schema.TaggedError<NotAFile>()("NotAFile", {
  input: Schema.String,
  kind: Schema.String
}) {}
/** Compressed bytes that turn out to be cut off or damaged behind what was read of them. */
export class Damaged extends Schema.TaggedError<Damaged>()("Damaged", {
  input: Schema.String,
  detail: Schema.String
}) {}
/** Its size or time changed while it was read: what was read may be half of each. */
export class Changed extends Schema.TaggedError<Changed>()("Changed", { input: Schema.String }) {}
/** Records that do not fit into memory could not be put aside on disk. `detail` is the system's word. */
export class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", { folder: Schema.String, detail: Schema.String }) {}

/** What can go wrong between us and the inputs so that the run stops. What is wrong *in* an input is a `Diagnostic`. */
export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  reason: Schema.Union([NotFound, NoFiles, NotReadable, NotAFile, Damaged, Changed, NoRoom])
}) {
  override get message(): string {
    const { reason } = this
    switch (reason._tag) {
      case "NotFound":
        return `there is no input ${reason.input}`
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
        return `records cannot be put aside in ${reason.folder}${
          reason.detail === "" ? "" : ` (${reason.detail})`
        }: a large input needs room there, about as much as it has; another folder is named by TMPDIR`
    }
  }
}
