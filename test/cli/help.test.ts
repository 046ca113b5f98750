import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { at } from "../../src/at.ts"
import { present } from "../present.ts"
import { bareEnvironment, builtProgram } from "./builtProgram.ts"
import { cli } from "./cli.ts"
import { typed } from "./sandboxUser.ts"

/** The parts of a command's help that are checked here. */
interface Shown {
  readonly name: string
  readonly description: string | undefined
  readonly examples: ReadonlyArray<{ readonly command: string; readonly description?: string | undefined }>
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Shown> }>
}

const below = (command: Shown, above = ""): ReadonlyArray<readonly [name: string, command: Shown]> => {
  const name = `${above} ${command.name}`.trim()
  return [
    [name, command],
    ...command.subcommands.flatMap(({ commands }) => commands.flatMap((one) => below(one, name)))
  ]
}

const reported = (...words: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [builtProgram(), ...words], { encoding: "utf8", env: bareEnvironment })

describe("an invalid command line", () => {
  it("is one JSON object per line on stderr with --format json, and exit code 2", () => {
    for (
      const [words, message] of [
        [["submit", "--nope", "--format", "json"], /Unrecognized flag: --nope/u],
        [
          ["submit", "x.ndjson", "--batch", "0", "--format=json"],
          /--batch: "0". Expected: a whole number from 1 to 500/u
        ],
        [["submit", "--format", "json"], /Missing required argument/u],
        [["submti", "--format", "json"], /Unknown subcommand "submti"/u],
        [["codes", "--format=json"], /--format/u]
      ] as const
    ) {
      const { status, stderr, stdout } = reported(...words)
      assert.strictEqual(status, 2, words.join(" "))
      assert.strictEqual(stdout, "")
      const lines = stderr.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.isTrue(lines.some((line) => message.test(line.message)), stderr)
      for (const line of lines) {
        assert.deepStrictEqual(Object.keys(line), ["time", "level", "code", "message", "text", "help"])
        assert.strictEqual(line.text, `error: ${line.message}`)
        assert.match(line.help.at(-1), /--help shows all flags$/u)
      }
    }
    const misspelled = JSON.parse(at(reported("submti", "--format", "json").stderr.split("\n"), 0))
    assert.deepStrictEqual(misspelled.help.slice(0, 2), ["Did you mean this?", "submit"])
  })

  it("reports a misspelt command once, although its flags are unknown too", () => {
    const { stderr } = reported("submti", "--facility", "f", "--format", "line")
    assert.match(stderr, /^error: Unknown subcommand "submti"[^\n]*\n$/u)
  })

  it.effect("names a flag before the command, and not what follows it", () =>
    Effect.gen(function*() {
      for (const words of [["--format", "json", "convert", "in"], ["--quiet", "convert", "in", "--format=json"]]) {
        const { code, stderr } = yield* typed(words)
        assert.strictEqual(code, 2)
        assert.include(JSON.parse(stderr).message, `${words[0]} is before the command`)
      }
      assert.include((yield* typed(["--log-level", "debug", "submti"])).stderr, "Unknown subcommand \"submti\"")
    }))

  it.effect("names the numbers that a flag takes", () =>
    Effect.gen(function*() {
      for (const [flag, value] of [["seed", "x"], ["seed", "1.5"], ["visits", "0"], ["visits", ""]] as const) {
        const { code, stderr } = yield* typed(["generate", `--${flag}=${value}`])
        assert.strictEqual(code, 2)
        assert.match(
          stderr,
          flag === "seed" ? /Expected: a whole number\n/u : /Expected: a whole number, at least 1\n/u
        )
      }
    }))

  it("shows how to name sample files, when a shell replaced a pattern by them", () => {
    const { status, stderr } = reported("init", "f/", "--from", "a.json", "b.json", "c.json")
    assert.strictEqual(status, 2)
    assert.include(stderr, "name the folder instead of its files, or repeat --from before each file")
  })

  it("is one line per error with --format line, and does not read words after -- as flags", () => {
    assert.strictEqual(
      reported("validate", "--nope", "--format", "line").stderr,
      "error: Unrecognized flag: --nope in command fhir2visit validate\n"
    )
    assert.include(reported("validate", "--nope", "--", "--format", "json").stderr, "\nusage  fhir2visit validate")
  })
})

describe("help", () => {
  const commands = below(cli)

  it("gives every command a description, and examples that name it", () => {
    assert.isAtLeast(commands.length, 20)
    for (const [name, { description, examples }] of commands) {
      assert.isAbove(description?.length ?? 0, 20, name)
      assert.isNotEmpty(examples, name)
      for (const { command, description: why } of examples) {
        assert.include(command, name, name)
        assert.isAbove(why?.length ?? 0, 3, command)
      }
    }
  })

  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    it(`completions for ${shell} know every command`, () => {
      const { status, stdout } = reported("--completions", shell)
      assert.strictEqual(status, 0)
      for (const [name] of commands.slice(1)) assert.include(stdout, present(name.split(" ").at(-1)))
    })
  }

  it("Bash completes problem codes and list names, otherwise file names", () => {
    const script = reported("--completions", "bash").stdout
    const completed = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
      const typed = words.map((word) => `'${word}'`).join(" ")
      const { stdout } = spawnSync("bash", [
        "-c",
        `eval "$SCRIPT"
COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; COMP_LINE='${words.join(" ")}'; COMP_POINT=\${#COMP_LINE}
_fhir2visit_values fhir2visit '${words.at(-1)}' '${words.at(-2)}'
printf '%s\n' "\${COMPREPLY[@]}"; complete -p fhir2visit`
      ], { env: { ...process.env, SCRIPT: script }, encoding: "utf8" })
      return stdout.split("\n").filter((line) => line !== "")
    }
    const names = "complete -o bashdefault -o default -F _fhir2visit_values fhir2visit"
    assert.deepStrictEqual(completed("fhir2visit", "explain", "unmapped"), ["unmapped-code", names])
    assert.deepStrictEqual(completed("fhir2visit", "codes", "search", "nat"), ["nationalities", names])
    for (
      const flags of [["--facility", "here"], ["--facility=here"], ["--facility", "=", "here"], ["--quiet"], ["-q"]]
    ) {
      const words = flags.join(" ")
      assert.deepStrictEqual(completed("fhir2visit", "explain", ...flags, "unmapped"), ["unmapped-code", names], words)
      assert.deepStrictEqual(completed("fhir2visit", ...flags, "explain", "unmapped"), ["unmapped-code", names], words)
      for (const typed of [["codes", "search", ...flags], ["codes", ...flags, "search"]]) {
        assert.deepStrictEqual(completed("fhir2visit", ...typed, "nat"), ["nationalities", names], typed.join(" "))
      }
    }
    // A value of a flag, and what follows the code, are file names.
    assert.deepStrictEqual(completed("fhir2visit", "explain", "--facility", "unmapped"), [names])
    assert.deepStrictEqual(completed("fhir2visit", "explain", "--facility", "=", "unmapped"), [names])
    assert.deepStrictEqual(completed("fhir2visit", "explain", "unmapped-code", "unmapped"), [names])
    assert.deepStrictEqual(completed("fhir2visit", "codes", "search", "--limit", "5", "nat"), ["nationalities", names])
    assert.deepStrictEqual(completed("fhir2visit", "convert", "--format", "j"), ["json", names])
    for (const words of [["convert", "samp"], ["convert", "--facility", "samples/out"], ["validate", "v"]]) {
      assert.deepStrictEqual(completed("fhir2visit", ...words), [names], words.join(" "))
    }
  })
})
