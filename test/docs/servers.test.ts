import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { builtProgram, start } from "../cli/builtProgram.ts"
import { startFhirServer, stored } from "../mirror/fhirServer.ts"
import { only } from "../present.ts"
import { encounter, lines, patient } from "../run/smallRecords.ts"
import { timeout } from "../runs.ts"
import { codeBlocks } from "./pages.ts"

const records = [patient("a"), patient("b"), encounter("e1", "a"), encounter("e2", "b")].map((record) => stored(record))

/** An export as a bulk data client stores it. */
const writeExport = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  const event = (eventId: string, eventDetail: object) => ({
    exportId: "1",
    timestamp: "2026-11-20T12:00:00Z",
    eventId,
    eventDetail
  })
  const events = [event("kickoff", { exportUrl: "https://fhir.hospital-a.example/r4/$export" })]
  for (const [type, some] of Map.groupBy(records, ({ resourceType }) => resourceType)) {
    const fileUrl = `https://fhir.hospital-a.example/files/${type}.001.ndjson`
    writeFileSync(join(folder, `${type}.001.ndjson`), lines(...some))
    events.push(event("download_request", { fileUrl, itemType: "output", resourceType: type }))
    events.push(event("download_complete", { fileUrl, resourceCount: some.length, fileSize: 1 }))
  }
  events.push(event("export_complete", { files: 2 }))
  writeFileSync(join(folder, "log.ndjson"), lines(...events))
}

describe("docs/servers", () => {
  for (const name of ["bulk-client", "fetch", "search"]) {
    it(`has commands that run and find both visits: ${name}`, async () => {
      builtProgram()
      const page = readFileSync(`docs/servers/${name}.md`, "utf8")
      const folder = mkdtempSync(join(tmpdir(), "servers-"))
      const server = await startFhirServer(records, { bulk: name === "fetch" })
      try {
        mkdirSync(join(folder, "hospital-a"))
        const settings = only(codeBlocks(page, "yaml facility\\.yaml"))
        writeFileSync(
          join(folder, "hospital-a/facility.yaml"),
          settings.replace("https://fhir.hospital-a.example/r4", server.url)
        )
        if (name === "bulk-client") writeExport(join(folder, "exports/001-20261120"))
        const commands = codeBlocks(page, "sh").flatMap((text) => text.trim().split("\n"))
        assert.isAbove(commands.length, 1)
        for (const command of commands) {
          const { ended, seen } = start(command.split(" ").slice(1), { cwd: folder })
          const code = await ended
          // The sample's visits lack mandatory fields, so they are rejected although the command is right.
          assert.include(command.includes(" fetch ") ? [0] : [0, 1], code, `${command}\n${seen.stderr}`)
          assert.match(seen.stdout + seen.stderr, command.includes(" fetch ") ? /records +\d/u : /2 visits/u, command)
        }
        assert.strictEqual(server.jobs() > 0, name === "fetch")
      } finally {
        await server.close()
        rmSync(folder, { recursive: true, force: true })
      }
    }, timeout)
  }
})
