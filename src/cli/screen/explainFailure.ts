import type { Config } from "effect"
import { plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { internalError } from "../../diagnostic/internalError.ts"
import type { InvalidFacility } from "../../facility/Facility.ts"
import type { ServerError } from "../../mirror/ServerError.ts"
import { describeDifference, type EngineDiffers } from "../../run/checks/EngineDiffers.ts"
import type { InvalidInput, InvalidMapping, InvalidPart } from "../../run/Conversion.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import type { SandboxError } from "../../service/sandbox/SandboxError.ts"
import type { OperatorConfigError } from "../../service/settings/OperatorConfig.ts"
import type { SourceError } from "../../source/SourceError.ts"
import type { WorkbenchError } from "../../studio/workbench/server/serveWorkbench.ts"
import type { JournalError, JournalErrorReason } from "../../submission/journal/JournalError.ts"
import type { OutputError } from "../files/WholeFile.ts"
import { exitCodes } from "../process/exitCode.ts"
import { minute } from "../process/minute.ts"
import type { UsageError } from "../UsageError.ts"
import type { Failure } from "./Screen.ts"

/** The message for an error that ends a command, and its exit code. */
type Explanation =
  | { readonly _tag: "Problems"; readonly problems: ReadonlyArray<Diagnostic>; readonly code: number }
  | { readonly _tag: "Failure"; readonly failure: Failure; readonly code: number }

const again = "no data was lost; run the same command again"
/** The same command cannot succeed before. */
const corrected = "no data was lost; correct this before you run again"

const failed = (code: number, title: string, ...help: ReadonlyArray<string>): Explanation => ({
  _tag: "Failure",
  failure: { title, help },
  code
})
const wrong = (title: string, ...help: ReadonlyArray<string>): Explanation => failed(exitCodes.wrong, title, ...help)
const stopped = (title: string, ...help: ReadonlyArray<string>): Explanation =>
  failed(exitCodes.stopped, title, ...help, again)

/**
 * Describes an error. An error that no rule covers is an internal error. It is described by its kind and source location, never by its
 * message, because that can contain a value.
 */
export const explainFailure = async (error: unknown): Promise<Explanation> => {
  if (!isTagged(error)) return fault(error)
  switch (error._tag) {
    case "InvalidFacility":
    case "InvalidInput":
    case "InvalidMapping":
      return { _tag: "Problems", problems: error.problems, code: exitCodes.wrong }
    case "InvalidPart":
      return wrong(error.title, ...error.help)
    case "EngineDiffers":
      return wrong(
        describeDifference(error),
        "run again with  --engine definition",
        "report this line: it is a defect of the program. The visit was not sent"
      )
    case "UsageError":
      return wrong(error.title, ...(error.help ?? []))
    case "ConfigError":
      return wrong(
        "invalid environment variable",
        "docs/operations.md lists the variables, under The environment"
      )
    case "OutputError":
      return outputFailure(error)
    case "SourceError":
      return sourceFailure(error)
    case "SandboxError":
      return wrong(error.detail, ...error.help)
    case "WorkbenchError":
      return wrong(error.detail, "--port 0 takes a free port")
    case "OperatorConfigError":
      return wrong("invalid service settings", ...error.problems)
    case "OperatorError":
      return serviceFailure(error)
    case "ServerError":
      return sourceServerFailure(error)
    case "JournalError": {
      const { explainJournalError } = await import("../../submission/journal/JournalError.ts")
      const { help, title } = explainJournalError(error)
      return failed(settingsReasons.has(error.reason._tag) ? exitCodes.wrong : exitCodes.stopped, title, help)
    }
    default:
      error satisfies never
      return fault(error)
  }
}

/** Every error that a command may end with, and for which the next step is known. */
type KnownError =
  | EngineDiffers
  | WorkbenchError
  | Config.ConfigError
  | InvalidFacility
  | InvalidInput
  | JournalError
  | InvalidMapping
  | UsageError
  | InvalidPart
  | OperatorConfigError
  | OperatorError
  | OutputError
  | SandboxError
  | ServerError
  | SourceError

/** Returns what happened, without the help. */
export const titleOfFailure = async (error: unknown): Promise<string> => {
  const explained = await explainFailure(error)
  return explained._tag === "Failure"
    ? explained.failure.title
    : explained.problems.map(({ title }) => title).join("; ")
}

/** Whether an error may be one of them. The classes are not imported, because ending a command must not load them. */
const isTagged = (error: unknown): error is KnownError =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"

/** Journal errors caused by settings, which a retry cannot fix: the wrong file, the wrong drive, the wrong program. */
const settingsReasons: ReadonlySet<JournalErrorReason["_tag"]> = new Set([
  "NotAJournal",
  "OtherFacility",
  "NewerSchema",
  "NoPermission",
  "NotLocal"
])

const outputFailure = ({ file, reason }: OutputError): Explanation => {
  switch (reason) {
    case "the reader is gone":
      return stopped("standard output cannot be written: the program that reads it has ended")
    case "no such folder":
      return wrong(`\`${file}\` cannot be written: there is no such folder`)
    case "a folder":
      return wrong(`\`${file}\` cannot be written: it is a folder`)
    case "no folder":
      return wrong(`\`${file}\` cannot be written: a file is in the place of a folder`)
    case "no room":
      return stopped(`\`${file}\` cannot be written: no space left on the disk`)
    default:
      return stopped(`\`${file}\` cannot be written: ${reason === "cannot be written" ? "I/O error" : reason}`)
  }
}

const sourceFailure = ({ message, reason: { _tag: kind } }: SourceError): Explanation =>
  kind === "NotFound" || kind === "NoFiles" || kind === "NotAFile" || kind === "Damaged"
    ? wrong(message)
    : stopped(message)

/** The message for each error of the service that stops a run, with who can fix it and how (§5, §7, §8). */
const serviceFailure = ({ reason, withoutToken = false }: OperatorError): Explanation => {
  const who = withoutToken ? "the token endpoint" : "the service"
  const address = withoutToken
    ? "FHIR2VISIT_AUTH_URL, or `service: {authUrl}` in facility.yaml"
    : "FHIR2VISIT_BASE_URL, or `service: {baseUrl}` in facility.yaml"
  const detail = "detail" in reason && reason.detail !== "" ? `: ${reason.detail}` : ""
  switch (reason._tag) {
    case "Unauthenticated":
      if (reason.issued === true) {
        return stopped(
          `the service refuses the tokens that the token endpoint issues${detail}`,
          "the credentials were accepted: check that FHIR2VISIT_BASE_URL and FHIR2VISIT_AUTH_URL belong to the same environment, check this machine's clock, or ask the operator"
        )
      }
      return failed(
        exitCodes.stopped,
        `authentication failed${detail}`,
        "check FHIR2VISIT_USERNAME, FHIR2VISIT_PASSWORD, FHIR2VISIT_CLIENT_ID and FHIR2VISIT_CLIENT_SECRET",
        corrected
      )
    case "AccessDenied":
      return failed(
        exitCodes.stopped,
        `access denied for this facility or system${detail}`,
        "check the facility code and the system code, or ask the operator for the permission",
        corrected
      )
    case "RateLimited":
      return stopped(
        `${
          reason.ours === true ? "our own request limit is reached" : "the service's rate limit is reached"
        }; retry in ${wait(reason.retryAfterSeconds)}${
          reason.until === undefined ? "" : `, at ${minute(reason.until)}`
        }`,
        reason.ours === true
          ? "`limits: requestsPerHour` in facility.yaml is what the operator allows (§8: 1000); what was sent is in the journal"
          : "what was sent is in the journal"
      )
    case "ServiceFailed":
      return stopped(`${who} responds with status ${reason.status} repeatedly`, "wait a while")
    case "Unreachable":
      return failed(
        exitCodes.stopped,
        `${who} cannot be reached${detail}`,
        ...(reason.at === undefined ? [`check the network, and ${address}`] : wayHelp(reason.at, "the operator")),
        reason.lasting === true ? corrected : again
      )
    case "UnexpectedResponse":
      return stopped(
        `unexpected response from ${who} (status ${reason.status})${detail}`,
        `check ${address}: another server may be responding there`
      )
  }
}

/** The message for each error of a FHIR server that stops a fetch, with who can fix it and how. */
const sourceServerFailure = ({ reason }: ServerError): Explanation => {
  const resumes = "run the same command again: it continues where it stopped"
  switch (reason._tag) {
    case "Unreachable":
      return failed(
        exitCodes.stopped,
        `cannot reach the FHIR server: ${reason.detail}`,
        ...(reason.at === undefined
          ? ["check the network and `source: {server}`; a client certificate is set in `source: {certificate}`"]
          : wayHelp(reason.at, "the server's administrator")),
        reason.lasting ? corrected : resumes
      )
    case "ExportInDoubt":
      return failed(
        exitCodes.stopped,
        `the request for an export has no clear response: ${reason.detail}`,
        "the server may have begun the export; nothing of it is used, and its administrator can end it",
        "run the same command again: it requests a new export. `source: {mode: search}` works without exports"
      )
    case "Denied":
      return failed(
        exitCodes.stopped,
        `${reason.what} denied access${reason.detail === "" ? "" : `: ${reason.detail}`}`,
        "check the credentials (docs/fetch.md) and `source: {auth, scope}`, or ask the server's administrator"
      )
    case "AskedToWait":
      return failed(exitCodes.stopped, `the FHIR server asks to wait ${wait(Math.ceil(reason.millis / 1000))}`, resumes)
    case "StillRunning":
      return failed(
        exitCodes.stopped,
        `the export at the FHIR server is still running${
          reason.since === null
            ? ", and its log does not state since when"
            : `; it was requested ${minute(reason.since)}`
        }`,
        "ask the server's administrator whether it still makes progress; `source: {patience}` is how long `fetch` waits",
        `to begin a new export instead, delete \`${reason.folder}\``,
        resumes
      )
    case "ServerFailed":
      return failed(
        exitCodes.stopped,
        `the FHIR server responded with status ${reason.status} repeatedly: ${reason.detail}`,
        resumes
      )
    case "NotOffered":
      return wrong(
        `the FHIR server does not offer ${reason.what} (status ${reason.status} at ${reason.detail})`,
        "check `source: {server, level, group, mode}`: mode `search` works without bulk exports"
      )
    case "InvalidResponse":
      return wrong(`invalid response from the FHIR server: ${reason.detail}`, "check `source: {server}`")
    case "Expired":
      return failed(
        exitCodes.stopped,
        `${reason.what} ${reason.why ?? "is no longer at the server"}`,
        "run the same command again: it begins a new export"
      )
    case "InvalidSetting":
      return wrong(reason.detail)
    case "MirrorDamaged":
      return failed(
        exitCodes.someNotDone,
        `\`${reason.file}\` is cut off or damaged`,
        `restore the file, or move \`${reason.mirror}\` away and run the same command again: it exports everything`
      )
    case "MirrorUnusable":
      return failed(exitCodes.stopped, reason.detail, ...mirrorHelp[reason.why], resumes)
  }
}

/** What to do before a mirror can be used. */
const mirrorHelp: Readonly<Record<"busy" | "full" | "denied" | "failed", ReadonlyArray<string>>> = {
  busy: ["wait for it to finish"],
  full: ["free space on the disk of the mirror"],
  denied: ["make the folder of the mirror writable for the user that runs this command"],
  failed: ["check the disk and the folder of the mirror"]
}

/** The help for a failing proxy or certificate. `who` is responsible for the other side. */
const wayHelp = (at: "proxy" | "certificate", who: string): ReadonlyArray<string> =>
  at === "proxy"
    ? [
      "check the proxy in HTTPS_PROXY: http://HOST:PORT or https://HOST:PORT, with USER:PASSWORD@ before the host if it requires a login",
      "NO_PROXY lists the hosts that are reached without it"
    ]
    : [
      "to trust your own CA, set `service: {caFile: ca.pem}` in facility.yaml, or NODE_EXTRA_CA_CERTS",
      `if the certificate is for another name or has expired, check the address and this machine's clock, then ask ${who}`
    ]

/** `90` to `2 minutes`, rounded up. */
const wait = (seconds: number): string => {
  if (!(seconds > 0)) return "a moment"
  if (seconds < 60) return plural(Math.ceil(seconds), "second")
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? plural(minutes, "minute") : plural(Math.ceil(minutes / 60), "hour")
}

/** A defect of the program: its kind and the nearest location in its code, in one line. */
const fault = (error: unknown): Explanation =>
  failed(
    exitCodes.stopped,
    internalError(error),
    "report this line; the journal is consistent, and no data was lost"
  )
