import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, matchesGlob, relative } from "node:path"
import { parseAllDocuments } from "yaml"
import { at } from "../../src/at.ts"
import { reportStateNames } from "../../src/submission/status/sendingOutcomes.ts"
import { captures } from "../captures.ts"
import { bareEnvironment } from "../cli/builtProgram.ts"
import { present } from "../present.ts"
import { only } from "../present.ts"

const page = readFileSync("docs/pipeline.md", "utf8")

const blocks = (language: string): ReadonlyArray<{ readonly name: string; readonly text: string }> =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}(?: (\\S+))?\n([\\s\\S]*?)^\`\`\`$`, "gmu"))].map((
    [, name = "", text = ""]
  ) => ({ name, text }))

const here = (command: string, cwd = ".") =>
  spawnSync("sh", ["-c", command], { cwd, encoding: "utf8", env: { ...bareEnvironment, NO_COLOR: "1" } })

const fhir2visit = `${process.execPath} ${join(process.cwd(), "dist/fhir2visit.mjs")}`

/** Whether a program is installed that is needed for a check. */
const has = (program: string): boolean => here(`command -v ${program}`).status === 0

describe("docs/pipeline.md", () => {
  it("has commands whose logs are JSON lines that end with the counts, and whose metrics are counts", () => {
    const folder = mkdtempSync(join(tmpdir(), "pipeline-"))
    const [logs, metrics] = blocks("sh").filter(({ name }) => name === "").map(({ text }) =>
      text.trim().replace(/^fhir2visit/u, fhir2visit).replace("metrics.prom", join(folder, "metrics.prom"))
    )
    const { status, stderr } = here(present(logs))
    assert.strictEqual(status, 0, stderr)
    const lines = stderr.trim().split("\n").map((line) => JSON.parse(line))
    assert.deepInclude(lines.at(-1), { code: "run-ended", level: "info", command: "convert", visits: 1, ready: 1 })
    for (const line of lines) {
      assert.deepStrictEqual(Object.keys(line).slice(0, 5), ["time", "level", "code", "message", "text"])
    }
    // also after the problems, and after the line of the failure
    const endings = [
      ["samples/clinic-day/input --facility samples/clinic-day", 1, "convert"],
      ["samples/clinic-day/input --facility samples/clinic-day --sandbox", 1, "run"]
    ] as const
    for (const [words, code, command] of endings) {
      const troubled = here(`${fhir2visit} ${command} ${words} --format json --log-level info`)
      assert.strictEqual(troubled.status, code, troubled.stderr)
      const stated = troubled.stderr.trim().split("\n").map((line) => JSON.parse(line))
      assert.isAbove(stated.filter(({ code }) => code !== "run-ended").length, 0)
      assert.strictEqual(stated.findIndex(({ message }) => message === "the run has ended"), stated.length - 1)
      assert.strictEqual(stated.at(-1).command, command)
    }
    assert.strictEqual(here(present(metrics)).status, 1)
    const text = readFileSync(join(folder, "metrics.prom"), "utf8")
    for (const [, name] of page.matchAll(/`(fhir2visit_[a-z_]+)`/gu)) assert.include(text, `# TYPE ${name} gauge`)
    rmSync(folder, { recursive: true })
  })

  it("names every state of a visit in the metrics, in order", () => {
    const states = only(captures(page, /^\| `fhir2visit_visits` \| `state`: ([^|]*) \|$/gmu))
    assert.deepStrictEqual(states.split(", "), [...reportStateNames])
  })

  it("uses only commands and flags that exist", () => {
    const shown = [...page.matchAll(/fhir2visit(?:", "| )((?:mapping check|run|status|convert))\b([^\n]*)/gu)]
    assert.isAbove(shown.length, 5)
    const helps = new Map<string, string>()
    for (const [, command = "", rest = ""] of shown) {
      const help = helps.get(command) ?? here(`${fhir2visit} ${command} --help`).stdout
      helps.set(command, help)
      for (const [flag] of rest.replace(/2>>.*/u, "").matchAll(/--[a-z-]+/gu)) {
        assert.include(help, flag, `${command} ${flag}`)
      }
    }
  })

  it("has valid manifests that run without privileges, and never two at a time", () => {
    const [cronJob, job] = parseAllDocuments(at(blocks("yaml"), 0).text).map((document) => {
      assert.deepStrictEqual(document.errors, [])
      return document.toJS()
    })
    assert.strictEqual(cronJob.kind, "CronJob")
    assert.strictEqual(cronJob.spec.concurrencyPolicy, "Forbid")
    for (const { spec } of [cronJob.spec.jobTemplate, job]) {
      assert.strictEqual(spec.template.spec.securityContext.runAsNonRoot, true)
      assert.strictEqual(spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem, true)
      assert.deepStrictEqual(spec.podFailurePolicy.rules[0].onExitCodes.values, [2])
      // A shell in between would not forward SIGTERM.
      const { args, command } = spec.template.spec.containers[0]
      assert.isUndefined(command)
      assert.strictEqual(args[0], "run")
      assert.include(args, "--rejected-ok")
      const help = here(`${fhir2visit} run --help`).stdout
      for (const flag of args.filter((word: string) => word.startsWith("--"))) assert.include(help, flag)
    }
  })

  it("has a crontab that finds the program, and files that only their owner can read", () => {
    const { text } = present(blocks("sh").find(({ name }) => name === "cron"))
    assert.match(text, /^PATH=\/usr\/local\/bin:/mu)
    const jobs = text.split("\n").filter((line) => /^\d/u.test(line))
    assert.lengthOf(jobs, 2)
    for (const job of jobs) assert.include(job, " umask 077; cd ")
  })

  it("has units that systemd accepts", () => {
    const folder = mkdtempSync(join(tmpdir(), "units-"))
    const units = blocks("ini")
    assert.deepStrictEqual(units.map(({ name }) => name), ["fhir2visit@.service", "fhir2visit@.timer"])
    for (const { name, text } of units) writeFileSync(join(folder, name.replace("@", "@a")), text)
    if (has("systemd-analyze")) {
      const { stderr } = here(`systemd-analyze verify ${folder}/fhir2visit@a.service ${folder}/fhir2visit@a.timer`)
      assert.notMatch(stderr, /Unknown (?:key|section|lvalue)|Failed to parse|Invalid|bad unit/iu)
    }
    rmSync(folder, { recursive: true })
  })

  it("has a Python DAG that distinguishes the exit codes", () => {
    const [{ text } = { text: "" }] = blocks("python")
    assert.include(text, "max_active_runs=1")
    if (has("python3")) {
      const { status, stderr } = spawnSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], {
        encoding: "utf8",
        input: text
      })
      assert.strictEqual(status, 0, stderr)
    }
  })

  it("has a Containerfile that copies existing files, runs existing scripts, and ends without privileges", () => {
    const text = readFileSync("Containerfile", "utf8")
    const instructions = text.replaceAll("\\\n", " ").split("\n").filter((line) => /^[A-Z]/u.test(line))
    const stages = new Set<string>()
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))
    for (const instruction of instructions) {
      const [, name = "", rest = ""] = present(/^([A-Z]+) (.*)$/u.exec(instruction))
      assert.include(["ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"], name)
      const [, stage] = /^\S+ AS (\S+)$/u.exec(rest) ?? []
      if (stage !== undefined) stages.add(stage)
      const [, from] = /^--from=(\S+)/u.exec(rest) ?? []
      if (name === "COPY" && from !== undefined) assert.isTrue(stages.has(from), from)
      if (name === "COPY" && from === undefined) {
        for (const file of rest.split(" ").slice(0, -1)) {
          assert.isTrue(existsSync(file), file)
          assert.isFalse(isLeftOut(file), file)
        }
      }
      for (const script of captures(rest, /npm run (\S+)/gu)) assert.property(scripts, script)
    }
    assert.match(text, /^ARG NODE=docker\.io\/library\/node:24-/mu)
    assert.match(text, /^USER 10001:10001$/mu)
    assert.match(text, /^ENTRYPOINT \["fhir2visit"\]$/mu)
    assert.match(text, /tar -xzf \/pack\/\*\.tgz/u)
    assert.isAbove(text.indexOf("USER "), text.lastIndexOf("RUN "))
  })

  it("has a Containerfile that copies enough to build a working package", () => {
    const folder = mkdtempSync(join(tmpdir(), "image-"))
    const source = process.cwd()
    cpSync(source, folder, { recursive: true, filter: (file) => file === source || !isLeftOut(relative(source, file)) })
    assert.isFalse(existsSync(join(folder, "test")))
    symlinkSync(join(source, "node_modules"), join(folder, "node_modules"))
    const built = here("npm run build", folder)
    assert.strictEqual(built.status, 0, built.stderr)
    const { files } = JSON.parse(readFileSync("package.json", "utf8"))
    for (const file of files) assert.isNotEmpty(globSync(file, { cwd: folder }), file)
    const program = `${process.execPath} ${join(folder, "dist/fhir2visit.mjs")}`
    const { status, stdout } = here(
      `${program} convert samples/clinic-day/input --facility samples/clinic-day -o - -q`,
      folder
    )
    assert.strictEqual(status, 1)
    assert.strictEqual(stdout.trim().split("\n").length, 4)
    rmSync(folder, { recursive: true })
  })
})

/** Whether the build of the image ignores a file. */
const isLeftOut = (file: string): boolean =>
  readFileSync(".dockerignore", "utf8").trim().split("\n").some((pattern) => matchesGlob(file, pattern))
