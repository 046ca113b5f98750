import { Data } from "effect"

/** A failure of the journal that stops the run. Nothing is sent without a journal. */
export class JournalError extends Data.TaggedError("JournalError")<{
  readonly file: string
  readonly reason: JournalErrorReason
}> {}

export type JournalErrorReason =
  /** Another process runs on this journal. The process id and the start are `null` if it has not written them yet. */
  | {
    readonly _tag: "InUse"
    readonly pid: number | null
    readonly host: string | null
    readonly since: string | null
  }
  /** Another process started a run on this journal during this one, because their locks are on different files. */
  | { readonly _tag: "TakenOver"; readonly pid: number; readonly host: string; readonly since: string }
  /** The file is not a journal of this program. */
  | { readonly _tag: "NotAJournal"; readonly detail: string }
  /** It is a journal with unreliable contents. */
  | { readonly _tag: "Corrupt"; readonly detail: string }
  /** The journal of another facility, another service or another environment. `isUnsent`: nothing was sent with it. */
  | {
    readonly _tag: "OtherFacility"
    readonly what: "facility" | "service" | "environment"
    readonly expected: string
    readonly found: string
    readonly isUnsent: boolean
  }
  /** Written by a newer version of the program. */
  | { readonly _tag: "NewerSchema"; readonly found: number; readonly known: number }
  /** Written by an older version, and opened only for reading: a run migrates it. */
  | { readonly _tag: "OlderSchema"; readonly found: number; readonly known: number }
  /** The folder or the file cannot be written or read. `denied`: permissions or the path are the cause, and not the disk. */
  | { readonly _tag: "NotWritable"; readonly detail: string; readonly denied: boolean }
  /** It cannot be opened: a permission is missing, or the path is wrong. */
  | { readonly _tag: "NoPermission"; readonly detail: string }
  /** The file is on a network drive, which does not support its locks. */
  | { readonly _tag: "NotLocal"; readonly detail: string }
  /** No space for another row. */
  | { readonly _tag: "DiskFull" }

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
        help: "restore it from a copy, or move it away: a run without it first looks up what the service already has"
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
