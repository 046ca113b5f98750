import { Clock, Console, Effect, Option } from "effect"
import { CliError, CliOutput } from "effect/cli"
import type { HelpDoc } from "effect/cli"
import { stripVTControlCharacters } from "node:util"
import { printable } from "../../diagnostic/render/printable.ts"
import { indentOf } from "../../diagnostic/render/wrap.ts"
import type { Format } from "../flags.ts"
import { failureJson } from "./failureJson.ts"

/**
 * Requested help goes to stdout. An invalid command line is reported on stderr: in a few lines, or as one line per error in a machine
 * format.
 */
export const presenter = (
  colours: { readonly stdout: boolean; readonly stderr: boolean },
  format: Format,
  columns: number,
  words: ReadonlyArray<string>
): CliOutput.Presenter => {
  const formatter = CliOutput.defaultFormatter({ colors: colours.stdout, globalFlags: "full" })
  const plain = CliOutput.defaultFormatter({ colors: false })
  const bold = (text: string): string => (colours.stderr ? `\u001b[1;31m${text}\u001b[0m` : text)
  return {
    present: Effect.fnUntraced(function*(event) {
      switch (event._tag) {
        case "Help": {
          const print = event.reason === "Requested" ? Console.log : Console.error
          const doc = readable(event.helpDoc)
          return yield* print(
            wrapped(spaced(`${doc.description}\n\n${formatter.formatHelpDoc({ ...doc, description: "" })}`), columns)
          )
        }
        case "Version":
          return yield* Console.log(`${event.name} ${event.version}`)
        case "InvalidInvocation": {
          const before = flagBeforeCommand(words)
          const errors = before === undefined ? withoutConsequences(event.errors) : [before]
          if (format !== "human") {
            const time = yield* Clock.currentTimeMillis
            return yield* Effect.forEach(errors, (error) => {
              const [title = "", ...formatted] = linesOf(plain.formatCliError(error))
              const help = [...formatted, ...helpOn(error, event.commandPath)]
              return Console.error(
                format === "json"
                  ? failureJson(time, title, [...help, ...usage(event.helpDoc, event.commandPath)])
                  : `error: ${printable(title)}`
              )
            }, { discard: true })
          }
          return yield* Console.error([
            ...errors.flatMap((error) => [
              `${bold("error")}: ${formatter.formatCliError(error)}`,
              ...helpOn(error, event.commandPath).map((line) => `  ${line}`)
            ]),
            "",
            ...usage(event.helpDoc, event.commandPath)
          ].join("\n"))
        }
      }
    })
  }
}

/** After an unknown command, its flags are unknown too: that is no error of its own. */
const withoutConsequences = (errors: ReadonlyArray<CliError.CliError>): ReadonlyArray<CliError.CliError> =>
  errors.some(({ _tag }) => _tag === "UnknownSubcommand")
    ? errors.filter(({ _tag }) => _tag === "UnknownSubcommand")
    : errors

/** The error of a command's flag before the command: its value would be an unknown command. The flags of the library can be anywhere. */
const flagBeforeCommand = ([word = ""]: ReadonlyArray<string>): CliError.CliError | undefined => {
  const [, flag] = /^(--?[a-z][\w-]*)/u.exec(word) ?? []
  return flag === undefined || /^(?:-[hv]|--(?:help|version|completions|log-level))$/u.test(flag)
    ? undefined
    : new CliError.ValidationError({ message: `${flag} is before the command, and flags follow it` })
}

/** The next step where the library has none. A shell replaces `--from dir/*` by a flag with the first file, and further files. */
const helpOn = ({ _tag }: CliError.CliError, path: ReadonlyArray<string>): ReadonlyArray<string> =>
  _tag === "UnexpectedArgument" && path.at(-1) === "init"
    ? ["after --from, name the folder instead of its files, or repeat --from before each file"]
    : []

const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "")

/**
 * Makes the help easier to read. The first sentence has its own line, and nothing is repeated that the usage line or a description shows.
 */
const readable = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...doc,
  description: doc.description?.replace(/^(.+?\.)\s+/su, "$1\n\n") ?? "",
  args: (doc.args ?? []).map((arg) => ({ ...arg, type: "", required: true })),
  flags: doc.flags.map((flag) => ({
    ...flag,
    description: Option.map(flag.description, (text) => text.replace(/ \(choices: [^()]*\)$/u, ""))
  })),
  globalFlags: (doc.globalFlags ?? []).map((flag) => Object.assign({ ...flag }, globalFlags[flag.name]))
})

/** Shorter descriptions of the flags that the library adds. */
const globalFlags: Readonly<Record<string, Partial<HelpDoc.FlagDoc>>> = {
  help: { description: Option.some("Show this help") },
  version: { description: Option.some("Show the version") },
  completions: {
    type: "SHELL",
    description: Option.some("Print a completion script for bash, zsh, fish or powershell")
  },
  "log-level": {
    type: "LEVEL",
    description: Option.some("Log level on stderr: debug, info, warn, error, or none")
  }
}

/** An empty line before each heading. */
const spaced = (help: string): string =>
  help
    .split("\n")
    .flatMap((line, index, all) => (line.includes("EXAMPLES") && all[index - 1] !== "" ? ["", line] : [line]))
    .join("\n")

/**
 * Wraps lines that are longer than the terminal. A continued line is indented to its description, which follows the last run of three or
 * more spaces, or else to the first word. Commands of examples are not wrapped, so that they can be copied.
 */
const wrapped = (help: string, columns: number): string =>
  help
    .split("\n")
    .flatMap((line) => {
      const plain = stripVTControlCharacters(line)
      if (plain.length <= columns || /^ *fhir2visit |\| fhir2visit /u.test(plain)) return [line]
      const beside = /^ {2}\S.*? {3,}(?=\S)/u.exec(plain)?.[0].length ?? 0
      const indent = " ".repeat(
        beside > 0 && columns - beside >= 24 ? beside : beside > 0 ? 6 : indentOf(plain).length
      )
      const lines: Array<string> = []
      let current = "", length = 0
      for (const word of line.split(/(?<=\S)(?= )/u)) {
        const size = stripVTControlCharacters(word).length
        if (length > 0 && length + size > columns && length > indent.length) {
          lines.push(current)
          const text = word.trimStart()
          current = indent + text
          length = indent.length + stripVTControlCharacters(text).length
        } else {
          current += word
          length += size
        }
      }
      return [...lines, current]
    })
    .join("\n")

const usage = (doc: HelpDoc.HelpDoc, path: ReadonlyArray<string>): ReadonlyArray<string> => [
  `usage  ${doc.usage}`,
  `       ${path.join(" ")} --help shows all flags`
]
