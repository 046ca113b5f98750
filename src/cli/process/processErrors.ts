import { CliError } from "effect/cli"
import { isatty } from "node:tty"
import packageJson from "../../../package.json" with { type: "json" }
import { internalError } from "../../diagnostic/internalError.ts"
import { type Format, formatIn } from "../flags.ts"
import { failureJson } from "../screen/failureJson.ts"
import { Ended, type Ending, exitCodes } from "./exitCode.ts"

/** The minimum version of Node, from `package.json`. */
const minEngine = packageJson.engines.node.replace(/^>=/u, "")

/** Returns the message for an engine that is too old, otherwise `undefined`. */
export const nodeTooOld = (engine: string, oldest = minEngine): string | undefined => {
  const [major = 0, minor = 0] = engine.split(".").map(Number)
  const [minMajor = 0, minMinor = 0] = oldest.split(".").map(Number)
  return major > minMajor || (major === minMajor && minor >= minMinor)
    ? undefined
    : `Node ${oldest} or later is required; found ${engine}`
}

/** The requested format, even if the command line is invalid. */
export const askedFormat = (): Format => formatIn(process.argv.slice(2))

/** Writes a line to stderr outside any command, in the requested format. */
const write = (title: string, severity: "error" | "warning" = "error"): void => {
  process.stderr.write(
    `${askedFormat() === "json" ? failureJson(Date.now(), title, [], severity) : `${severity}: ${title}`}\n`
  )
}

let signal: Ending | undefined

/** The signal that ended the program, except SIGINT. */
export const endedBy = (): Ending | undefined => signal

/** Records the signal, and turns an uncaught error into one line without values and exit code 3. */
export const installExitHandlers = (): void => {
  const old = nodeTooOld(process.versions.node)
  if (old !== undefined) {
    write(old)
    process.exit(exitCodes.wrong)
  }
  process.once("SIGTERM", () => {
    signal ??= "SIGTERM"
  })
  // A closed terminal ends the program like SIGTERM, which is the only signal that the runtime handles.
  process.on("SIGHUP", () => {
    signal ??= "SIGHUP"
    process.emit("SIGTERM", "SIGTERM")
  })
  process.on("uncaughtException", die)
  process.on("unhandledRejection", die)
  // EPIPE is handled by the writer. Ignore it on stderr. Exit with an error if stdout is full.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Also ignore errors of a terminal that was closed.
    if (error.code === "EPIPE" || signal === "SIGHUP") return
    write(`standard output cannot be written (${error.code ?? error.name})`)
    process.exit(exitCodes.stopped)
  })
  process.stderr.on("error", () => undefined)
  // Node 22 warns at each use that its SQLite is experimental.
  process.removeAllListeners("warning")
  process.on("warning", ({ message, name }) => {
    if (name !== "ExperimentalWarning") write(`${name}: ${message}`, "warning")
  })
}

const die = (error: unknown): void => {
  writeFinalError(error)
  process.exit(exitCodes.stopped)
}

/** Names an error that no command has explained by its kind, because its message may hold a value. */
export const writeFinalError = (error: unknown): void => {
  if (error instanceof Ended || CliError.isCliError(error)) return
  const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
  const next = isMissing ? "; files of the program are missing: install it again" : ""
  write(`${internalError(error)}${next}; the journal is consistent, and no data was lost`)
}

/** The standard streams that may be coloured. */
export const colours = (): { readonly stdout: boolean; readonly stderr: boolean } => {
  const expected = (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb"
  return { stdout: expected && isatty(1), stderr: expected && isatty(2) }
}
