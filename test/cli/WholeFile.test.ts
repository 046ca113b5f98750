import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, PlatformError, Result } from "effect"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeOutputFolder, openWhole, writeWhole } from "../../src/cli/files/WholeFile.ts"

const fresh = (): string => mkdtempSync(join(tmpdir(), "whole-"))

describe("an output file appears completely or not at all", () => {
  it.effect("does not exist before the commit, and has no temporary file after it", () =>
    Effect.gen(function*() {
      const folder = fresh()
      const file = join(folder, "out.ndjson")
      yield* Effect.scoped(Effect.gen(function*() {
        const opened = yield* openWhole(file)
        for (let n = 0; n < 3; n++) yield* opened.write("x".repeat(200_000))
        assert.isFalse(existsSync(file))
        yield* opened.commit
      }))
      assert.strictEqual(statSync(file).size, 600_000)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(folder), ["out.ndjson"])
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("keeps the old file without a commit, and removes the files of a killed run", () =>
    Effect.gen(function*() {
      const folder = fresh()
      const file = join(folder, "out.json")
      writeFileSync(file, "before")
      writeFileSync(join(folder, ".out.json.999999999.part"), "left")
      writeFileSync(join(folder, ".out.json.1.part"), "of a process that lives")
      yield* Effect.scoped(Effect.flatMap(openWhole(file), (opened) => opened.write("half")))
      assert.strictEqual(readFileSync(file, "utf8"), "before")
      assert.deepStrictEqual(readdirSync(folder).toSorted(), [".out.json.1.part", "out.json"])
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("keeps a link and a device", () =>
    Effect.gen(function*() {
      const folder = fresh()
      writeFileSync(join(folder, "real"), "before")
      symlinkSync("real", join(folder, "link"))
      yield* writeWhole(join(folder, "link"), "after")
      assert.strictEqual(readFileSync(join(folder, "real"), "utf8"), "after")
      yield* writeWhole("/dev/null", "after")
      assert.isTrue(statSync("/dev/null").isCharacterDevice())
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("reports why a file cannot be written", () =>
    Effect.gen(function*() {
      const folder = fresh()
      mkdirSync(join(folder, "sub"))
      const reasons = [[join(folder, "none/x"), "no such folder"], [join(folder, "sub"), "a folder"], [
        "/dev/full",
        "no room"
      ]] as const
      for (const [file, reason] of reasons) {
        const result = yield* Effect.result(writeWhole(file, "text"))
        assert.isTrue(Result.isFailure(result) && result.failure.reason === reason, file)
      }
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("distinguishes a full disk and a read-only one from other errors, for files and folders", () =>
    Effect.gen(function*() {
      const words = { ENOSPC: "no room", EDQUOT: "no room", EROFS: "read-only file system", EIO: "cannot be written" }
      for (const [code, reason] of Object.entries(words)) {
        const failed = { module: "FileSystem", method: "", cause: { code } }
        const error = PlatformError.systemError({ _tag: "Unknown", ...failed })
        // Node reports ENOENT if it creates folders recursively on a read-only file system.
        const masked = code === "EROFS" ? PlatformError.systemError({ _tag: "NotFound", ...failed }) : error
        const failing = FileSystem.layerNoop({
          makeDirectory: (_, { recursive = false } = {}) => Effect.fail(recursive ? masked : error)
        })
        const failure = yield* Effect.flip(Effect.provide(makeOutputFolder("folder"), failing))
        assert.strictEqual(failure.reason, reason)
      }
    }))
})
