import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Command } from "effect/cli"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { completeCommands, facilityCommands } from "../../src/cli/screen/completeCommands.ts"
import { cli } from "./cli.ts"
import { runCommand } from "./TestScreen.ts"

type Silent = Command.Command<string, unknown, unknown, never, never>

/** A command of the tree that only reads its words. */
const silent = (command: Command.Command.Any): Silent => {
  const [first, ...more] = command.subcommands.flatMap(({ commands }) => commands.map(silent))
  // The handler is replaced, so its input, errors, and services do not matter.
  if (first === undefined) return Command.withHandler(command as Silent, () => Effect.void)
  // A group has no words of its own.
  return Command.make(command.name).pipe(Command.withSubcommands([first, ...more])) as Silent
}

const reader = silent(cli)
const groups = new Set(["mapping", "codes"])
const names = new Set(cli.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name)))

/** A written mapping names the command that suggested it. */
const mentions = new Set(["fhir2visit profile"])

const accepts = (line: string) =>
  Effect.map(
    Effect.exit(runCommand(reader, wordsOf(line))),
    (exit) =>
      Exit.isSuccess(exit) && exit.value.code === 0
        ? ""
        : `${line}: ${Exit.isSuccess(exit) ? exit.value.stderr : "failed"}`
  )

/** The words of a line, as a shell splits them. The numbers of a message are placeholders. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  (line.replaceAll(/ N\b/gu, " 2").replaceAll(/(?:I\/N|\$i\/16|[1X]\/X)\b/gu, "1/2")
    .replace("--only X", "--only row").match(
      /(?:[^\s'"]|'[^']*'|"[^"]*")+/gu
    ) ?? [])
    .slice(1).map((word) => word.replaceAll(/^['"]|['"]$/gu, ""))

/** The command lines of a text. One ends at two spaces, a quote, or a sign of the shell. */
const commandLines = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bfhir2visit [a-z][^\n]*/gu)].flatMap(([line]) => line.split(/(?= fhir2visit )/u))
    .map((line) =>
      line.trimStart().split(/ {2}|`|;|, | \||\| | > | < | && | #|\\|["'](?=[,\])]|$)| \(|: |\)/u)[0]?.trim() ?? ""
    )
    .filter((line) => {
      const [, first = "", second] = line.split(" ")
      return names.has(first) && !(groups.has(first) && second === undefined) && !/[[<]/u.test(line)
    })

const filesIn = (folder: string, ending: RegExp): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => ending.test(name)).map((name) =>
    join(folder, name)
  )

describe("a command that the program prints", () => {
  const sources = filesIn("src", /\.tsx?$/u).map((file) => ({
    file,
    // the text of a template without its values, and without comments
    text: readFileSync(file, "utf8").replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gmu, "")
      .replaceAll(/\$\{\s*facilityFlag\(flags\)\s*\}/gu, "").replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/gu, "X")
  }))
  const recorded = [...filesIn("test/cli/screens", /\.screen$/u), ...filesIn("test/cli/messages", /\.md$/u)]
    .map((file) => ({ file, text: readFileSync(file, "utf8").replaceAll(/^\$ .*$/gmu, "") }))
  const docs = ["README.md", ...filesIn("docs", /\.md$/u)].map((file) => ({ file, text: readFileSync(file, "utf8") }))

  for (
    const [what, files, isProse] of [["sources", sources, false], ["screens", recorded, false], [
      "docs",
      docs,
      true
    ]] as const
  ) {
    it.live(`is accepted by the command line with its required flags: ${what}`, () =>
      Effect.gen(function*() {
        const wrong: Array<string> = []
        const seen = new Set<string>()
        for (const { file, text } of files) {
          for (const line of commandLines(text)) {
            // a sentence of the docs may name only a command
            if (seen.has(line) || mentions.has(line) || (isProse && line.split(" ").length <= 3)) continue
            seen.add(line)
            const why = yield* accepts(line)
            if (why !== "") wrong.push(`${file}: ${why}`)
          }
        }
        assert.deepStrictEqual(wrong, [])
        assert.isAbove(seen.size, 30)
      }))
  }

  it.live("has the facility and the inputs that were typed", () =>
    Effect.gen(function*() {
      const complete = completeCommands({ facility: "our clinic/", inputs: ["export/"] })
      assert.strictEqual(
        complete("fill it in;  fhir2visit codes unmapped INPUT -o TABLES  writes it"),
        "fill it in;  fhir2visit codes unmapped --facility 'our clinic/' export/ -o 'our clinic/tables'  writes it"
      )
      assert.strictEqual(
        complete("correct it; `status --show-values` shows why, and `fhir2visit release VISIT` decides"),
        "correct it; `fhir2visit status --facility 'our clinic/' --show-values` shows why, and "
          + "`fhir2visit release --facility 'our clinic/' VISIT` decides"
      )
      // Without a visit, the command would send all visits in doubt again.
      assert.strictEqual(
        complete("if there is none, `release --resend`"),
        "if there is none, `fhir2visit release --facility 'our clinic/' VISIT --resend`"
      )
      const column = "which rows took place, by `status`?"
      assert.strictEqual(complete(column), column)
      assert.strictEqual(
        complete("run then:  fhir2visit release --wait"),
        "run then:  fhir2visit release --facility 'our clinic/' --wait"
      )
      const typed = "fhir2visit status --facility f --remote"
      assert.strictEqual(complete(typed), typed)
      assert.strictEqual(completeCommands({})("fhir2visit mapping fix INPUT"), "fhir2visit mapping fix INPUT")
      for (const command of facilityCommands) {
        const line = complete(`fhir2visit ${command}`)
        assert.include(line, " --facility 'our clinic/'")
        assert.notInclude(yield* accepts(line), "Unrecognized flag", line)
      }
    }))
})
