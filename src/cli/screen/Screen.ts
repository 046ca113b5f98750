import { Clock, Config, Console, Context, Effect, Layer, Option, type Scope, Stdio, Stream } from "effect"
import { readFileSync, statSync } from "node:fs"
import type { Collated } from "../../diagnostic/collate.ts"
import { plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { helpOf } from "../../diagnostic/render/helpOf.ts"
import { jsonLine } from "../../diagnostic/render/jsonLine.ts"
import { displayWidth, printable } from "../../diagnostic/render/printable.ts"
import { render, type RenderOptions } from "../../diagnostic/render/render.ts"
import { renderJson } from "../../diagnostic/render/renderJson.ts"
import { renderLine } from "../../diagnostic/render/renderLine.ts"
import { coloured, plain } from "../../diagnostic/render/Style.ts"
import { indentOf, wrap } from "../../diagnostic/render/wrap.ts"
import { textsOf, type ViewerTexts } from "../../studio/viewer/texts/texts.ts"
import type { Common, Format } from "../flags.ts"
import { completeCommands, type Typed } from "./completeCommands.ts"
import { failureJson } from "./failureJson.ts"
import { foldedMessage, foldKinds } from "./foldKinds.ts"

/** Why a command cannot continue, and the next step. */
export interface Failure {
  readonly title: string
  readonly help?: ReadonlyArray<string>
}

/** The output of a command: messages and progress go to stderr, results to stdout. */
export class Screen extends Context.Service<Screen, {
  readonly format: Format
  readonly renderOptions: RenderOptions
  /** Problems are not rendered, because the summary has a line for each. */
  readonly isBrief: boolean
  /** Maximum width of a summary line, in columns. */
  readonly width: number
  /** The requested language and its texts. */
  readonly language: string
  readonly texts: ViewerTexts
  /** Writes text to stderr; nothing with `--quiet` or in a machine format. */
  readonly say: (text: string) => Effect.Effect<void>
  /**
   * Writes progress to stderr, like `say`. In a machine format it is one line, with its facts if the format has them. A `loud` note is also
   * printed with `--quiet`.
   */
  readonly note: (
    code: string,
    text: string,
    facts: Readonly<Record<string, string | number>>,
    loud?: boolean
  ) => Effect.Effect<void>
  /** Completes the commands of a text with the facility and the inputs that were typed. */
  readonly complete: (text: string) => string
  /** Prints the result of the command to stdout. Lines of `prose` are wrapped on a terminal. */
  readonly print: (text: string, prose?: "prose") => Effect.Effect<void>
  /** Prints messages in the requested format. People see the first kinds rendered; machines get every kind. */
  readonly problems: (all: ReadonlyArray<Collated>, to?: "stderr" | "stdout") => Effect.Effect<void>
  /** The problems of a run: the same, but on a terminal only with `--verbose`, because the summary has a line for each. */
  readonly details: (all: ReadonlyArray<Collated>) => Effect.Effect<void>
  readonly failure: (failure: Failure) => Effect.Effect<void>
  /** Keeps a line on the terminal up to date while the scope is open; nothing when stderr is not a terminal. */
  readonly progress: (line: () => string) => Effect.Effect<void, never, Scope.Scope>
}>()("fhir2visit/cli/Screen") {
  static readonly layer = (flags: Common & Typed): Layer.Layer<Screen, never, Stdio.Stdio> =>
    Layer.effect(Screen, make(flags))
}

/** Maximum of problem kinds that are rendered. Further ones are counted. */
const drawnKinds = 20

const make = Effect.fnUntraced(function*(flags: Common & Typed) {
  const { format, language = "en", quiet, showValues, verbose = false } = flags
  const complete = completeCommands(flags)
  const stdio = yield* Stdio.Stdio
  const terminal = yield* stdio.stderrIsTerminal
  const stdoutIsTerminal = yield* stdio.stdoutIsTerminal
  const noColour = yield* isSet("NO_COLOR")
  const variable = (name: string) => Effect.map(Effect.orDie(Config.option(Config.String(name))), Option.getOrUndefined)
  const dumb = (yield* variable("TERM")) === "dumb"
  const locale = (yield* variable("LC_ALL")) || (yield* variable("LC_CTYPE")) || (yield* variable("LANG")) || ""
  const isAscii = terminal && process.platform !== "win32" && !/utf-?8/iu.test(locale)
  const columns = Number(yield* variable("COLUMNS")) || process.stderr.columns || 80
  const width = terminal ? Math.max(40, columns) : 100
  /** Wraps each line. Lines with a command stay whole, so that they can be copied, and so do those without room. */
  const wrapped = (text: string): string =>
    !terminal
      ? text
      : text.split("\n").flatMap((line) =>
        line.includes("fhir2visit ") || indentOf(line).length > width / 2
          ? [line]
          : wrap(line, width, hangOf(line, width))
      ).join("\n")
  const shown = isAscii ? asciiOf : (text: string) => text
  const errorLine = (text: string): Effect.Effect<void> => Console.error(shown(text))
  const style = terminal && !noColour && !dumb ? coloured : plain
  const renderOptions: RenderOptions = { style, textOf: textOf(), showValues, ...(terminal ? { width } : {}) }
  const write = (text: string): Effect.Effect<void> =>
    Effect.ignore(Stream.run(Stream.succeed(text), stdio.stderr({ endOnDone: false })))

  const texts = textsOf(language)
  const isBrief = format === "human" && terminal && !verbose
  const problems: Screen["Service"]["problems"] = (all, to = "stderr") => {
    const reported = (quiet ? all.filter(({ first }) => first.severity === "error") : all).map((collated) => ({
      ...collated,
      first: withHelp(collated.first, complete)
    }))
    if (reported.length === 0) return Effect.void
    const print = to === "stderr" ? errorLine : Console.log
    if (format === "line") return print(reported.map(renderLine).join("\n"))
    if (format === "json") {
      return Effect.flatMap(
        Clock.currentTimeMillis,
        (time) => print(reported.map((collated) => renderJson(collated, time)).join("\n"))
      )
    }
    // Fields that are null are lines of the summary.
    const kinds = foldKinds(reported.filter(({ first }) => !isCountedNull(first)))
    const drawn = kinds.slice(0, drawnKinds).map((kind) => `${render(foldedMessage(kind), renderOptions)}\n`)
    const rest = kinds.length - drawn.length
    if (drawn.length === 0) return Effect.void
    if (rest > 0) {
      drawn.push(`${plural(rest, "more kind")} of problems: --format line lists all, --report FILE keeps them\n`)
    }
    return print(drawn.join("\n"))
  }
  return Screen.of({
    format,
    renderOptions,
    width,
    language,
    texts,
    problems,
    isBrief,
    details: (all) => (isBrief ? Effect.void : problems(all)),
    say: (text) => (quiet || format !== "human" ? Effect.void : errorLine(wrapped(complete(text)))),
    complete,
    note: (code, text, facts, loud = false) => {
      if (quiet && !loud) return Effect.void
      if (format === "human") return errorLine(`${wrapped(text)}\n`)
      const line = `note: ${printable(text)}`
      return format === "line"
        ? Console.error(line)
        : Effect.flatMap(
          Clock.currentTimeMillis,
          (time) => Console.error(jsonLine({ time, level: "info", code, message: text, text: line, facts }))
        )
    },
    print: (text, prose) =>
      Console.log(prose !== undefined && stdoutIsTerminal && format === "human" ? wrapped(text) : text),
    failure: ({ help: written = [], title }) => {
      const help = written.map(complete)
      if (format === "json") {
        return Effect.flatMap(Clock.currentTimeMillis, (time) => Console.error(failureJson(time, title, help)))
      }
      if (format === "line") return Console.error(`error: ${printable(title)}`)
      const [first = "", ...rest] = wrap(`error: ${printable(title)}`, terminal ? width : Infinity, "  ")
      return errorLine([
        `${style.error("error")}${style.title(first.slice("error".length))}`,
        ...rest.map(style.title),
        ...help.flatMap((line) => wrap(printable(line), terminal ? width - 10 : Infinity, "")).map((line, index) =>
          `  ${index === 0 ? `${style.frame("=")} help` : "      "}  ${line}`
        )
      ].join("\n"))
    },
    progress: (line) => {
      if (!terminal || dumb || quiet || format !== "human") return Effect.void
      const draw = Effect.suspend(() => write(`\r\u001b[K${shown(fit(line(), width - 2))}`))
      return Effect.acquireRelease(
        Effect.forkScoped(Effect.forever(Effect.andThen(draw, Effect.sleep("120 millis")))),
        () => write("\r\u001b[K")
      )
    }
  })
})

/** Whether a problem is a line of the summary, and not a message: a null that rejects no visit. */
export const isCountedNull = ({ code, severity }: Diagnostic): boolean => code === "null-field" && severity !== "error"

/** A continued line begins below the text after a short label, or else is indented by two. */
const hangOf = (line: string, width: number): string => {
  const label = /^ *\S.*? {3,}(?=\S)/u.exec(line)?.[0].length ?? 0
  return label > 0 && label <= width / 3 ? " ".repeat(label) : `${indentOf(line)}  `
}

/** A problem whose help is complete. */
const withHelp = (problem: Diagnostic, complete: (text: string) => string): Diagnostic => {
  const { fix: _, ...rest } = problem
  return { ...rest, help: helpOf(problem).map(complete) }
}

/** A variable of the environment is set and not empty. */
const isSet = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.String(name))), (value) => Option.getOrElse(value, () => "") !== "")

/** Cuts a text to at most `width` columns. */
export const fit = (line: string, width: number): string => {
  const text = printable(line)
  return displayWidth(text) <= width ? text : `${text.slice(0, width - 1)}…`
}

/** Glyphs of messages as a terminal without UTF-8 can show them; each takes one column. */
const asciiGlyphs: Readonly<Record<string, string>> = {
  "│": "|",
  "─": "-",
  "╭": "+",
  "╰": "+",
  "├": "+",
  "×": "x",
  "…": "~",
  "›": ">",
  "→": ">",
  "–": "-",
  "’": "'",
  "·": "-",
  "§": "S"
}

const asciiOf = (text: string): string =>
  text.replaceAll(
    /\P{ASCII}/gu,
    (glyph) => asciiGlyphs[glyph] ?? `\\u{${glyph.codePointAt(0)?.toString(16)}}`
  )

/** Texts of mapping, table and settings files by name, each read once. Data files are not shown: only what a mapping's size allows. */
const textOf = (): RenderOptions["textOf"] => {
  const texts = new Map<string, string | undefined>()
  return (file) => {
    if (!texts.has(file)) texts.set(file, readText(file))
    return texts.get(file)
  }
}

const readText = (file: string): string | undefined => {
  try {
    const info = statSync(file)
    return info.isFile() && info.size <= 4 * 1024 * 1024 ? readFileSync(file, "utf8").replace(/^\uFEFF/, "") : undefined
  } catch {
    return undefined
  }
}
