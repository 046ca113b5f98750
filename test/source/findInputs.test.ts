import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findInputs } from "../../src/source/read/findInputs.ts"
import { tempFolders } from "./tempFolder.ts"

const tempFolder = tempFolders()

/** A folder with these files, each holding its own name. */
const folderOf = (...files: ReadonlyArray<string>): string => {
  const root = tempFolder()
  for (const file of files) {
    mkdirSync(join(root, file, ".."), { recursive: true })
    writeFileSync(join(root, file), file)
  }
  return root
}
const namesBelow = (root: string, args: ReadonlyArray<string>) =>
  findInputs(args).pipe(Effect.map(({ inputs }) => inputs.map(({ name }) => name.replace(`${root}/`, ""))))

describe("findInputs", () => {
  it.effect("returns everything below a folder by name, without hidden files", () =>
    Effect.gen(function*() {
      const root = folderOf(
        "b.json",
        "a/2.ndjson",
        "a/10.ndjson",
        "Z.json",
        ".hidden.json",
        ".git/x.json",
        "a/.y",
        "é.json"
      )
      assert.deepStrictEqual(yield* namesBelow(root, [root]), [
        "Z.json",
        "a/10.ndjson",
        "a/2.ndjson",
        "b.json",
        "é.json"
      ])
      assert.deepStrictEqual(yield* namesBelow(root, [`${root}/`]), yield* namesBelow(root, [root]))
    }))

  it.effect("marks a file that the user named, also by a relative or unusual name", () =>
    Effect.gen(function*() {
      const root = folderOf("[1] d'été.json", "notes.md")
      const { inputs } = yield* findInputs([join(root, "[1] d'été.json"), root])
      assert.deepStrictEqual(inputs.map((input) => [input.name.replace(`${root}/`, ""), input.named]), [
        ["[1] d'été.json", true],
        ["notes.md", false]
      ])
    }))

  it.effect("matches files and folders with a glob, by name", () =>
    Effect.gen(function*() {
      const root = folderOf("x/b.ndjson", "x/a.ndjson", "x/c.json", "y/d.ndjson", "x/.e.ndjson")
      assert.deepStrictEqual(yield* namesBelow(root, [`${root}/*/*.ndjson`]), [
        "x/a.ndjson",
        "x/b.ndjson",
        "y/d.ndjson"
      ])
      assert.deepStrictEqual(yield* namesBelow(root, [`${root}/**/*.{json,ndjson}`]), [
        "x/a.ndjson",
        "x/b.ndjson",
        "x/c.json",
        "y/d.ndjson"
      ])
      assert.deepStrictEqual(yield* namesBelow(root, [`${root}/[y]`]), ["y/d.ndjson"])
    }))

  it.effect("reads `-` as standard input, once", () =>
    Effect.gen(function*() {
      const { inputs } = yield* findInputs(["-", "-"])
      assert.deepStrictEqual(inputs, [{ _tag: "StandardInput", name: "-", named: true }])
    }))

  it.effect("returns a file that is reached twice only once", () =>
    Effect.gen(function*() {
      const root = folderOf("a.json", "b.json")
      symlinkSync(join(root, "a.json"), join(root, "c.json"))
      assert.deepStrictEqual(yield* namesBelow(root, [join(root, "b.json"), root, `${root}/*.json`]), [
        "b.json",
        "a.json"
      ])
    }))
})

describe("findInputs opens only regular files and", () => {
  it.effect("fails for a missing path and for a glob without a match", () =>
    Effect.gen(function*() {
      const root = folderOf("a.json")
      for (const arg of [join(root, "none"), join(root, "a.json/x"), `${root}/*.xml`]) {
        const error = yield* Effect.flip(findInputs([arg]))
        assert.strictEqual(error.reason._tag, "NotFound")
        assert.strictEqual(error.message, `there is no input ${arg}`)
      }
    }))

  it.effect("names a file or folder next to a missing path that has a similar name", () =>
    Effect.gen(function*() {
      const root = folderOf("export/a.json")
      const error = yield* Effect.flip(findInputs([join(root, "exprt")]))
      assert.strictEqual(
        error.message,
        `there is no input ${join(root, "exprt")}: did you mean \`${join(root, "export")}\`?`
      )
    }))

  it.effect("fails for a folder without files, because a missing disk would look like a day without visits", () =>
    Effect.gen(function*() {
      const root = folderOf(".hidden.json")
      mkdirSync(join(root, "sub"))
      const error = yield* Effect.flip(findInputs([root]))
      assert.strictEqual(error.reason._tag, "NoFiles")
      // What is in it may have been named before.
      const full = folderOf("a.json")
      assert.strictEqual((yield* findInputs([join(full, "a.json"), full])).inputs.length, 1)
    }))

  it.effect("fails for a device or a pipe without opening it", () =>
    Effect.gen(function*() {
      const root = folderOf()
      execFileSync("mkfifo", [join(root, "pipe")])
      for (const [arg, kind] of [[join(root, "pipe"), "a pipe"], ["/dev/null", "a device"]] as const) {
        const error = yield* Effect.flip(findInputs([arg]))
        assert.strictEqual(error.reason._tag, "NotAFile")
        assert.include(error.message, kind)
      }
    }))

  it.effect("reports and ignores pipes in a folder, and links that lead out, nowhere or in circles", () =>
    Effect.gen(function*() {
      const outside = folderOf("secret.json")
      const root = folderOf("a.json", "sub/b.json")
      execFileSync("mkfifo", [join(root, "pipe")])
      symlinkSync(join(outside, "secret.json"), join(root, "out.json"))
      symlinkSync(outside, join(root, "out"))
      symlinkSync("nowhere", join(root, "gone.json"))
      symlinkSync("loop", join(root, "loop"))
      symlinkSync(root, join(root, "sub", "up"))
      symlinkSync("../a.json", join(root, "sub", "inside.json"))
      const { inputs, problems } = yield* findInputs([root])
      assert.deepStrictEqual(inputs.map(({ name }) => name.replace(`${root}/`, "")), ["a.json", "sub/b.json"])
      assert.deepStrictEqual(
        problems.map(({ code, origin, title }) => [code, origin?.file.replace(`${root}/`, ""), title]),
        [
          ["unreadable-input", "gone.json", "only files are read, and this is a link that leads nowhere, or to itself"],
          ["unreadable-input", "loop", "only files are read, and this is a link that leads nowhere, or to itself"],
          ["unreadable-input", "out", "only files are read, and this is a link that leads out of the folder"],
          ["unreadable-input", "out.json", "only files are read, and this is a link that leads out of the folder"],
          ["unreadable-input", "pipe", "only files are read, and this is a pipe"]
        ]
      )
    }))

  it.effect("fails for a link that leads to itself", () =>
    Effect.gen(function*() {
      const root = folderOf()
      symlinkSync("loop", join(root, "loop"))
      const error = yield* Effect.flip(findInputs([join(root, "loop")]))
      assert.strictEqual(error.reason._tag, "NotAFile")
    }))
})
