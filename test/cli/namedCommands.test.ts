import { assert, describe, it } from "@effect/vitest"
import { Command } from "effect/cli"
import { entry, namedCommands } from "../../src/cli/namedCommands.ts"

describe("namedCommands", () => {
  const loadedFor = async (...words: ReadonlyArray<string>) => {
    const loaded: Array<string> = []
    const one = (name: string, alias?: string) =>
      entry(`Do ${name}`, async () => {
        loaded.push(name)
        return Command.make(name)
      }, alias)
    const commands = await namedCommands({ check: one("check"), test: one("test", "try"), show: one("show") }, words)
    assert.deepStrictEqual(commands.map(({ name }) => name), ["check", "test", "show"])
    return loaded
  }

  it("loads only commands that the command line names, also by an alias", async () => {
    assert.deepStrictEqual(await loadedFor("mapping", "--help"), [])
    assert.deepStrictEqual(await loadedFor("mapping", "check", "file"), ["check"])
    assert.deepStrictEqual(await loadedFor("mapping", "try"), ["test"])
  })

  it("loads all for completions", async () => {
    for (const words of [["--completions", "bash"], ["--completions=bash"]]) {
      assert.deepStrictEqual(await loadedFor(...words), ["check", "test", "show"])
    }
  })
})
