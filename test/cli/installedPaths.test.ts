import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { jsonObjectOf, jsonObjectsIn } from "../../src/json/JsonObject.ts"
import { captures } from "../captures.ts"
import { present } from "../present.ts"
import { cookieOf, inRoom, news } from "../studio/workbench/opened.ts"
import { builtProgram, start } from "./builtProgram.ts"
import { cli } from "./cli.ts"
import { typed } from "./sandboxUser.ts"

const installed = resolve(".")
const settings = "facility: HF0004\nsystem: TRIAL\ntimezone: Asia/Phnom_Penh\n"
/** Has nothing of the installation in its path, so that each such path in it was written by the program. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), "elsewhere-")))

/** The service. */
let sandbox: ReturnType<typeof start> | undefined
let addresses: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  builtProgram()
  // The commands run in this process, from the sources of the same folder. Its checked mappings are kept for all of them.
  process.chdir(folder)
  vi.stubEnv("FHIR2VISIT_CACHE", mkdtempSync(join(tmpdir(), "cache-")))
  sandbox = start(["sandbox", "--port", "0"], { cwd: folder })
  const [url] = await sandbox.says(/http:\S+/u)
  addresses = { FHIR2VISIT_BASE_URL: url, FHIR2VISIT_AUTH_URL: url }
  cpSync(join(installed, "samples/clinic-day"), join(folder, "clinic"), { recursive: true })
  for (const [name, mapping] of [["csv", "csv-synthea"], ["us", "us-synthetic"]] as const) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, "facility.yaml"), `${settings}mapping: ${mapping}\n`)
  }
  mkdirSync(join(folder, "own"))
  writeFileSync(join(folder, "own/facility.yaml"), `${settings}mapping: mapping.yaml\n`)
  writeFileSync(join(folder, "own/mapping.yaml"), "mapping: own\nextends: fhir-r4\n")
  writeFileSync(join(folder, "wrong.md"), "# Wrong\n\n## None\n\n```json source\n[]\n```\n\n```json visit\n{}\n```\n")
  const { code, stderr } = await run("convert clinic/input --facility clinic -o visits.ndjson --report report.json")
  assert.strictEqual(code, 1, stderr)
})

afterAll(async () => {
  sandbox?.child.kill("SIGINT")
  await sandbox?.ended
  process.chdir(installed)
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const run = (words: string) => Effect.runPromise(typed(words.split(" "), addresses))

/** How each command is called. Servers are called by {@link served}. */
const calls: Readonly<Record<string, ReadonlyArray<string>>> = {
  run: ["clinic/input --facility clinic --sandbox --report run.json --report run.html", "clinic/input --dry-run"],
  convert: [
    "clinic/input -o v.ndjson --rejected r.ndjson --report r.json --report r.html --coverage c.json",
    "clinic/input -o v.ndjson --rejected r.ndjson --as operation-outcome",
    "clinic/input -o v.ndjson --verbose",
    "clinic/input --facility us -o v.ndjson --rejected r.ndjson --coverage c.json",
    "clinic/input --facility csv -o v.ndjson",
    "clinic/input --facility none -o v.ndjson"
  ],
  fetch: ["--facility own", "--facility clinic"],
  validate: ["visits.ndjson --rejected r.ndjson --report r.html", "none.ndjson"],
  submit: ["visits.ndjson --facility clinic --sandbox", "visits.ndjson --facility clinic --dry-run"],
  status: ["--facility clinic"],
  release: ["--facility clinic --resend"],
  init: ["made --from clinic/input"],
  profile: ["clinic/input", "clinic/input -o profile.html", "clinic/input -o profile.json"],
  explain: [
    "V420401 clinic/input",
    "V420401.admitted_at clinic/input",
    "V420401.code clinic/input",
    "V420401.diagnosis clinic/input",
    "V420401.code clinic/input --facility us",
    "unmapped-code"
  ],
  "mapping check": ["", "--facility us", "--facility csv", "--facility own", "none.yaml"],
  "mapping show": ["", "--facility us", "us-synthetic"],
  "mapping test": ["--facility us", "--facility csv", "wrong.md --facility clinic", "--round-trip --visits 3 --seed 1"],
  "mapping diff": ["fhir-r4 us-synthetic clinic/input", "fhir-r4 us-synthetic"],
  "mapping fix": ["clinic/input --facility own", "clinic/input --facility clinic"],
  "mapping schema": ["", "--of facility"],
  "codes pull": ["--facility own", "--facility us"],
  "codes search": ["nationalities khmer --facility clinic"],
  "codes unmapped": ["clinic/input --facility clinic -o tables", "clinic/input --facility us -o tables"],
  assumptions: ["clinic/input", "clinic/input --facility us", "clinic/input -o a.html", "clinic/input --operator"],
  beneficiary: ["0123456789012 --facility own"],
  "to-fhir": ["visits.ndjson -o bundles.ndjson"],
  "to-csv": ["visits.ndjson -o extract"],
  partition: ["clinic/input --into 2 -o parts"],
  "merge-reports": ["report.json"],
  overview: ["report.json", "report.json -o overview.html"],
  generate: ["--visits 2 --as fhir --facility clinic"]
}

/** Calls that start a server. */
const served = {
  workbench: ["clinic/input", "clinic/input --facility us", "clinic/input --facility own"],
  sandbox: []
}

interface Shown {
  readonly name: string
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Shown> }>
}

/** The commands that do something: those without commands below. */
const leaves = ({ name, subcommands }: Shown, above = ""): ReadonlyArray<string> => {
  const full = `${above} ${name}`.trim()
  const below = subcommands.flatMap(({ commands }) => commands)
  return below.length === 0 ? [full] : below.flatMap((one) => leaves(one, full))
}

const assertHidden = (shown: string, where: string) => {
  assert.notInclude(shown, installed, where)
  assert.notInclude(shown, "node_modules", where)
}

/** The texts of all files in the folder. */
const written = (): string =>
  globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), "utf8")).join("\n")

describe("Where the program is installed", () => {
  it("is looked for in the output of every command", () => {
    // A command of Effect has these members. Its type does not show the commands below it as commands.
    const commands = (cli as unknown as Shown).subcommands.flatMap((group) =>
      group.commands.flatMap((one) => leaves(one))
    )
    assert.sameMembers([...Object.keys(calls), ...Object.keys(served)], [...commands])
  })

  for (const [command, all] of Object.entries(calls)) {
    it(`is not shown by ${command}`, async () => {
      let shown = ""
      for (const words of all) {
        for (const format of ["human", "json"]) {
          const call = `${command} ${words}`.trim() + ` --format ${format}`
          const { code, stderr, stdout } = await run(call)
          assert.include([0, 1, 2, 3], code, `${call}: ${stderr}`)
          assert.notInclude(stderr, "internal error", call)
          assertHidden(`${stdout}\n${stderr}`, call)
          shown += stdout + stderr
        }
      }
      assert.isNotEmpty(shown)
      assertHidden(written(), command)
    })
  }

  it("is not shown by sandbox", () => {
    const { stderr, stdout } = present(sandbox).seen
    assert.isNotEmpty(stdout)
    assertHidden(`${stdout}\n${stderr}`, "sandbox")
  })

  /** The addresses from which the page gets data. */
  const paths = captures(
    readFileSync(join(installed, "src/studio/workbench/server/serveWorkbench.ts"), "utf8"),
    /"GET",\s*`\$\{sessionPath\}(\w+)`/gu
  )

  for (const words of served.workbench) {
    it(`is not shown by workbench ${words}`, async () => {
      assert.includeMembers(paths, ["mapping", "visit", "visits", "events"])
      const { child, ended, says, seen } = start(["workbench", ...words.split(" ")], { cwd: folder })
      const [url] = await says(/http:[^\s"]+/u)
      const cookie = await cookieOf(url)
      const statuses = await news<{ readonly phase: string }>(url, cookie, ({ phase }) => phase === "done")
      assertHidden(JSON.stringify(statuses), "events")
      const get = async (address: string): Promise<unknown> => {
        const response = await fetch(inRoom(url, `/${address}`), { headers: { cookie } })
        assert.strictEqual(response.status, 200, address)
        const data: unknown = await response.json()
        assertHidden(JSON.stringify(data), address)
        return data
      }
      const visits = jsonObjectsIn(jsonObjectOf(await get("visits")).visits)
      assert.isNotEmpty(visits)
      for (const path of paths) {
        if (path === "events") continue
        if (path === "find") await get("find?text=V4")
        else if (path !== "visit" && path !== "case") await get(path)
        else for (const { key } of visits) await get(`${path}?of=${encodeURIComponent(String(key))}&name=Case`)
      }
      child.kill("SIGINT")
      await ended
      assertHidden(`${seen.stdout}\n${seen.stderr}`, words)
    })
  }
})
