import { assert, beforeAll, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { at } from "../../src/at.ts"
import { capture, captures } from "../captures.ts"
import { builtProgram, start } from "../cli/builtProgram.ts"
import { present } from "../present.ts"
import { sectionOf } from "./pages.ts"

const page = readFileSync("docs/workbench.md", "utf8")

beforeAll(() => void builtProgram())

describe("docs/workbench.md", () => {
  it("has a command that serves the page at the printed address and ends with Ctrl-C", async () => {
    const program = start(capture(page, /^```sh\nfhir2visit (.*)\n```$/mu).split(" "))
    const url = at(await program.says(/http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/\?key=[\w-]{43}/u), 0)
    await program.says(/its key opens once\. The page shows patient data\.\nstop it with Ctrl-C/u)
    const cookie = present((await fetch(url)).headers.get("set-cookie")?.split(";")[0])
    const ask = (path: string) => fetch(new URL(`.${path}`, url), { headers: { cookie } })
    assert.include(await (await ask("/")).text(), "page.js")
    const script = await ask("/page.js")
    assert.strictEqual(script.status, 200)
    assert.include(await script.text(), "EventSource")
    // An open event stream does not keep the program running.
    const news = present((await ask("/events")).body).getReader()
    await news.read()
    program.child.kill("SIGINT")
    assert.strictEqual(await program.ended, 130)
    await news.cancel().catch(() => undefined)
    // The program's output shows no record.
    assert.notMatch(program.seen.stdout + program.seen.stderr, /V4204|Encounter/u)
  })

  it("names every pane and every key", () => {
    const rows = (heading: string) => captures(sectionOf(page, heading), /^\| (.*?)(?= \| |$)/gmu)
    const source = globSync("src/studio/viewer/bench/*.tsx").map((file) => readFileSync(file, "utf8")).join("\n")
    const panes = captures(source, /<h2>([A-Z]\w+)<\/h2>/gu).filter((name) => name !== "Keys")
    assert.sameMembers(panes, ["Records", "Mapping", "Visit"])
    assert.includeMembers(rows("The panes"), [...panes, "Visits", "Plan"])
    const keys = captures(rows("Keys").join(), /`([^`]+)`/gu)
    const list = capture(source, /const keys = \[(.*?)\] as const/su)
    const shown = captures(list, /\["([^"]+)", /gu).flatMap((of) => of.split(" "))
    assert.isAtLeast(shown.length, 10)
    assert.includeMembers(keys, shown)
  })
})
