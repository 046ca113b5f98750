import { Schema } from "effect"

/** Another process runs on this journal. The process id and the start are `null` if it has not written them yet. */
export class InUse extends Schema.TaggedError<InUse>()("InUse", {
  pid: Schema.NullOr(Schema.Finite),
  host: Schema.NullOr(Schema.String),
  since: Schema.NullOr(Schema.String)
}) {}
/** Another process started a run on this journal during this one, because their locks are on different files. */
export class TakenOver extends Schema.TaggedError<TakenOver>()("TakenOver", {
  pid: Schema.Finite,
  host: Schema.String,
  since: Schema.String
}) {}
/** The file is not a journal of this program. */
export class NotAJournal extends Schema.TaggedError<NotAJournal>()("NotAJournal", { detail: Schema.String }) {}
/** It is a journal with unreliable contents. */
export class Corrupt extends Schema.TaggedError<Corrupt>()("Corrupt", { detail: Schema.String }) {}
/** The journal of another facility, another service or another environment. */
export class OtherFacility extends Schema.TaggedError<OtherFacility>()("OtherFacility", {
  what: Schema.Literals(["facility", "service", "environment"]),
  expected: Schema.String,
  found: Schema.String,
  /** Nothing was sent with it. */
  isUnsent: Schema.Boolean
}) {}
/** Written by a newer version of the program. */
export class NewerSchema extends Schema.TaggedError<NewerSchema>()("NewerSchema", {
  found: Schema.Finite,
  known: Schema.Finite
}) {}
/** Written by an older version, and opened only for reading: a run migrates it. */
export class OlderSchema extends Schema.TaggedError<OlderSchema>()("OlderSchema", {
  found: Schema.Finite,
  known: Schema.Finite
}) {}
/** The folder or the file cannot be written or read. */
export class NotWritable extends Schema.TaggedError<NotWritable>()("NotWritable", {
  detail: Schema.String,
  /** Permissions or the path are the cause, and not the disk. */
  denied: Schema.Boolean
}) {}
/** It cannot be opened: a permission is missing, or the path is wrong. */
export class NoPermission extends Schema.TaggedError<NoPermission>()("NoPermission", { detail: Schema.String }) {}
/** The file is on a network drive, which does not support its locks. */
export class NotLocal extends Schema.TaggedError<NotLocal>()("NotLocal", { detail: Schema.String }) {}
/** No space for another row. */
export class DiskFull extends Schema.TaggedError<DiskFull>()("DiskFull", {}) {}

/** A failure of the journal that stops the run. Nothing is sent without a journal. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  file: Schema.String,
  reason: Schema.Union([
    InUse,
    TakenOver,
    NotAJournal,
    Corrupt,
    OtherFacility,
    NewerSchema,
    OlderSchema,
    NotWritable,
    NoPermission,
    NotLocal,
    DiskFull
  ])
}) {}
export type JournalErrorReason = JournalError["reason"]

/** Returns the problem and the next step, in one sentence each. */
export const explainJournalError = (error: JournalError): { readonly title: string; readonly help: string } => {
  const file = `\`${error.file}\``
  const { reason } = error
  switch (reason._tag) {
    case "InUse":
      return {
        title: `another run is using the journal ${file}`
          + (reason.pid === null ? "" : `: process ${reason.pid} on ${reason.host ?? "this host"}`)
          + (reason.since === null ? "" : `, since ${reason.since}`),
        help: "wait for it to finish; `status` can run meanwhile"
      }
    case "TakenOver":
      return {
        title:
          `another run has taken over the journal ${file}: process ${reason.pid} on ${reason.host}, since ${reason.since}`,
        help: "this run has stopped; when the other one has ended, run the same command again"
      }
    case "NotAJournal":
      return {
        title: `${file} is not a journal: ${reason.detail}`,
        help: "choose another journal file; this one was not changed"
      }
    case "Corrupt":
      return {
        title: `the journal ${file} is damaged: ${reason.detail}`,
        help: "restore it from a copy, or move it away: a run without it first looks up what the service already holds"
      }
    case "OtherFacility":
      return {
        title: `the journal ${file} belongs to ${reason.what} \`${environmentName(reason.found)}\`, this run to \`${
          environmentName(reason.expected)
        }\``,
        help: reason.isUnsent && reason.what !== "facility"
          ? "nothing was sent with it: if its address was a mistake, delete it, and otherwise use a separate journal"
          : "use a separate journal for each facility and service"
      }
    case "NewerSchema":
      return {
        title: `the journal ${file} has format ${reason.found}, this program supports up to ${reason.known}`,
        help: "use the version of the program that wrote it, or a newer one"
      }
    case "OlderSchema":
      return {
        title: `the journal ${file} has format ${reason.found}, this program uses ${reason.known}`,
        help: "the next run migrates it"
      }
    case "NotWritable":
      return {
        title: `cannot read or write the journal ${file}: ${reason.detail}`,
        help: "check the disk and the file's permissions, and run the same command again; no data was lost"
      }
    case "NoPermission":
      return {
        title: `cannot open the journal ${file}: ${reason.detail}`,
        help:
          "make its folder writable for the user that runs this command, or set `journal` to a file in another folder"
      }
    case "NotLocal":
      return {
        title: `the journal ${file} is on a network drive (${reason.detail}), which does not support locking`,
        help: "keep the journal on a local disk"
      }
    case "DiskFull":
      return {
        title: `no space left to write the journal ${file}`,
        help: "free disk space and run the same command again; nothing was sent that is not in the journal"
      }
  }
}

/** The environment of most journals has no name. */
const environmentName = (name: string): string => name === "" ? "production" : name
