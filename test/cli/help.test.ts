import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cli } from "../../src/cli/Cli.ts"
import { builtProgram } from "./builtProgram.ts"

/** What a command shows of itself, as far as it is looked at here. */
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

describe("help", () => {
  const commands = below(cli as unknown as Shown)

  it("there is no command without a description and examples of itself", () => {
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
      const { status, stdout } = spawnSync(process.execPath, [builtProgram(), "--completions", shell], {
        encoding: "utf8"
      })
      assert.strictEqual(status, 0)
      for (const [name] of commands.slice(1)) assert.include(stdout, name.split(" ").at(-1)!)
    }, 60_000)
  }
})
