import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { closeSync, existsSync, openSync } from "node:fs"
import { nodeTooOld } from "../../src/cli/process/processErrors.ts"
import { bareEnvironment, builtProgram } from "./builtProgram.ts"

describe("processErrors", () => {
  it("rejects a Node that is too old, and accepts the oldest supported one", () => {
    assert.strictEqual(
      nodeTooOld("20.20.2", "22.19"),
      "Node 22.19 or later is required; found 20.20.2"
    )
    assert.isDefined(nodeTooOld("22.18.9", "22.19"))
    for (const engine of ["22.19.0", "23.0.0", "24.21.0"]) assert.isUndefined(nodeTooOld(engine, "22.19"))
    assert.isUndefined(nodeTooOld(process.versions.node))
  })

  it.skipIf(!existsSync("/dev/full"))(
    "exit code 3: an answer that finds no room on standard output is not given",
    () => {
      const full = openSync("/dev/full", "w")
      try {
        const { status, stderr } = spawnSync(process.execPath, [builtProgram(), "mapping", "schema"], {
          encoding: "utf8",
          env: bareEnvironment,
          stdio: ["ignore", full, "pipe"]
        })
        assert.strictEqual(status, 3, stderr)
        assert.strictEqual(stderr, "error: standard output cannot be written (ENOSPC)\n")
      } finally {
        closeSync(full)
      }
    }
  )

  it.skipIf(!existsSync("/dev/full"))("exit code 3: an output file on a full disk is reported in words", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [builtProgram(), "convert", "samples/outpatient-fever/input", "-o", "/dev/full"],
      { encoding: "utf8", env: bareEnvironment }
    )
    assert.strictEqual(status, 3, stderr)
    assert.include(stderr, "error: `/dev/full` cannot be written: no space left on the disk\n")
  })
})
