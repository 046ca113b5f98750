import { Schema } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath } from "node:process"
import { median, run } from "./measure.ts"

const decodeTimes = Schema.decodeUnknownSync(Schema.Array(Schema.Finite))

/**
 * Measures what `submit` adds to a request: journal, checks, encoding, counting. The floor is a loop of `fetch` that sends the same
 * visits to the same service, which responds at once. The service measures both. `npm run bench:submit -- 2000`.
 */
const count = Number(process.argv[2] ?? 2000)
const folder = mkdtempSync(join(tmpdir(), "fhir2visit-bench-"))
const service = spawn(execPath, ["bench/service.ts"], { stdio: ["ignore", "pipe", "inherit"] })

/** Copies of a valid visit of a sample, each with its own codes. */
const makeVisits = (): ReadonlyArray<string> => {
  const sample = join(folder, "sample.ndjson")
  const facility = "samples/outpatient-fever"
  execFileSync(execPath, [
    "dist/fhir2visit.mjs",
    "convert",
    `${facility}/input`,
    "--facility",
    facility,
    "-o",
    sample,
    "-q"
  ])
  const text = readFileSync(sample, "utf8").trim()
  return Array.from({ length: count }, (_, at) => {
    const own = String(at + 1).padStart(6, "0")
    return text.replaceAll("420101", own).replaceAll("25900101", `25${own}`).replaceAll("317101", `3${own}`)
  })
}

try {
  const port = await new Promise<string>((resolve) => {
    service.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()))
  })
  const url = `http://127.0.0.1:${port}`
  const times = async () => decodeTimes(await (await fetch(`${url}/times`)).json())
  const visits = makeVisits()
  const input = join(folder, "visits.ndjson")
  writeFileSync(input, `${visits.join("\n")}\n`)
  writeFileSync(
    join(folder, "facility.yaml"),
    `facility: HF0001\nsystem: BENCH\ntimezone: UTC\nlimits: {requestsPerHour: 1000000000}\nservice: {baseUrl: "${url}", authUrl: "${url}"}\n`
  )
  const rounds: Array<{ readonly floor: number; readonly ours: number; readonly rate: number }> = []
  for (let round = 0; round < 3; round++) {
    for (const visit of visits) {
      const response = await fetch(`${url}/api/v1/external/visits`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"visits":[${visit}]}`
      })
      await response.text()
    }
    const floor = median(await times())
    const journal = join(folder, `journal-${round}.sqlite`)
    await run(["dist/fhir2visit.mjs", "submit", input, "--facility", folder, "--quiet"], {
      variables: {
        FHIR2VISIT_JOURNAL: journal,
        FHIR2VISIT_USERNAME: "bench",
        FHIR2VISIT_PASSWORD: "bench",
        FHIR2VISIT_CLIENT_ID: "bench",
        FHIR2VISIT_CLIENT_SECRET: "bench"
      }
    })
    const between = await times()
    if (between.length !== count - 1) throw new Error(`only ${between.length + 1} of ${count} visits were sent`)
    rounds.push({
      floor,
      ours: median(between),
      rate: (1000 * between.length) / between.reduce((sum, one) => sum + one, 0)
    })
  }
  const floor = median(rounds.map((one) => one.floor))
  const ours = median(rounds.map((one) => one.ours))
  process.stdout.write(
    `${count} visits, one a request   submit : bare fetch = ${(ours / floor).toFixed(1)}   added ${
      (ours - floor).toFixed(2)
    } ms a visit at the median (target: at most 5)   ${
      median(rounds.map((one) => one.rate)).toFixed(0)
    } visits a second (target: at least 100)\n`
  )
} finally {
  service.kill()
  rmSync(folder, { recursive: true, force: true })
}
