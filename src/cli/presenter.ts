import { Console, Effect, Option } from "effect"
import { CliOutput } from "effect/cli"
import type { HelpDoc } from "effect/cli"
import { printable } from "../diagnostic/printable.ts"
import { failureJson } from "./failureJson.ts"
import type { Format } from "./flags.ts"

/**
 * Help goes to stdout when it is asked for; a wrong command line is told on stderr: in a few lines, or in one for each fault where the
 * command line asks for a form that machines read.
 */
export const presenter = (
  colours: { readonly stdout: boolean; readonly stderr: boolean },
  format: Format
): CliOutput.Presenter => {
  const formatter = CliOutput.defaultFormatter({ colors: colours.stdout, globalFlags: "full" })
  const plain = CliOutput.defaultFormatter({ colors: false })
  const bold = (text: string): string => (colours.stderr ? `\u001b[1;31m${text}\u001b[0m` : text)
  return {
    present: Effect.fnUntraced(function*(event) {
      switch (event._tag) {
        case "Help": {
          const print = event.reason === "Requested" ? Console.log : Console.error
          return yield* print(spaced(formatter.formatHelpDoc(plainer(event.helpDoc))))
        }
        case "Version":
          return yield* Console.log(`${event.name} ${event.version}`)
        case "InvalidInvocation":
          if (format !== "human") {
            return yield* Effect.forEach(event.errors, (error) => {
              const [title = "", ...help] = linesOf(plain.formatCliError(error))
              return Console.error(
                format === "json"
                  ? failureJson(title, [...help, ...usage(event.helpDoc, event.commandPath)])
                  : `error: ${printable(title)}`
              )
            }, { discard: true })
          }
          return yield* Console.error([
            ...event.errors.map((error) => `${bold("error")}: ${formatter.formatCliError(error)}`),
            "",
            ...usage(event.helpDoc, event.commandPath)
          ].join("\n"))
      }
    })
  }
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "")

/** The flags every program of this library has, told in fewer words. */
const plainer = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...doc,
  ...(doc.globalFlags === undefined
    ? {}
    : { globalFlags: doc.globalFlags.map((flag) => Object.assign({ ...flag }, told[flag.name])) })
})

const told: Readonly<Record<string, Partial<HelpDoc.FlagDoc>>> = {
  help: { description: Option.some("Show this") },
  version: { description: Option.some("Show the version") },
  completions: {
    type: "SHELL",
    description: Option.some("Print a completion script for bash, zsh, fish or powershell")
  },
  "log-level": {
    type: "LEVEL",
    description: Option.some("Write logs to stderr from this level on: debug, info, warn, error, none")
  }
}

/** An empty line before each heading. */
const spaced = (help: string): string =>
  help
    .split("\n")
    .flatMap((line, index, all) => (line.includes("EXAMPLES") && all[index - 1] !== "" ? ["", line] : [line]))
    .join("\n")

const usage = (doc: HelpDoc.HelpDoc, path: ReadonlyArray<string>): ReadonlyArray<string> => [
  `usage  ${doc.usage}`,
  `       ${path.join(" ")} --help tells more`
]
