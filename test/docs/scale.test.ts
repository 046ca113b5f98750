import { assert, describe, it } from "@effect/vitest"
import { validate } from "kubernetes-models/_schemas/IoK8sApiBatchV1JobSpec"
import type { ChildProcess } from "node:child_process"
import { spawn, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { parse } from "yaml"
import { bareEnvironment, start } from "../cli/builtProgram.ts"
import { sandboxUser } from "../cli/sandboxUser.ts"
import { runs } from "../runs.ts"
import { visitCode, visitCodes } from "../visitCodes.ts"

const page = readFileSync("docs/scale.md", "utf8")
const built = `${process.execPath} ${join(process.cwd(), "dist/fhir2visit.mjs")}`
const minutes = 60_000

/** The code block whose info string ends with these words. */
const block = (words: string): string => {
  const [, text] = new RegExp(`^\`\`\`${words}\\n([\\s\\S]*?)^\`\`\``, "mu").exec(page) ?? []
  if (text === undefined) throw new Error(`there is no block ${words}`)
  return text
}

/** Whether programs are installed on this machine. */
const has = (...programs: ReadonlyArray<string>): boolean =>
  programs.every((program) => spawnSync("bash", ["-c", `command -v ${program}`]).status === 0)

/** A folder with facilities that are copies of a sample, and the program. */
const workFolder = (...facilities: ReadonlyArray<string>): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "scale-")))
  for (const facility of facilities) cpSync("samples/clinic-day", join(folder, facility), { recursive: true })
  writeFileSync(join(folder, "fhir2visit"), `#!/bin/sh\nexec ${built} "$@"\n`, { mode: 0o755 })
  return folder
}

const environment = (folder: string, more: Readonly<Record<string, string>> = {}) => ({
  ...process.env,
  FHIR2VISIT_CACHE: bareEnvironment.FHIR2VISIT_CACHE,
  PATH: `${folder}:${process.env.PATH}`,
  FHIR2VISIT: join(folder, "fhir2visit"),
  ...more
})

/** Runs shell lines of the page, unchanged, in a folder. */
const run = (folder: string, text: string, more: Readonly<Record<string, string>> = {}): void => {
  const { status, stderr } = spawnSync("bash", ["-ec", text], {
    cwd: folder,
    encoding: "utf8",
    env: environment(folder, more)
  })
  assert.strictEqual(status, 0, stderr)
}

const sorted = (folder: string, files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n")).filter((line) => line !== "").toSorted()

const reportOf = (folder: string, file: string): object => ({
  ...JSON.parse(readFileSync(join(folder, file), "utf8")),
  started: "",
  ended: ""
})

/** Checks that the parts give the result of one process. */
const isOneRun = (folder: string, facility: string, visits: ReadonlyArray<string>, report: string): void => {
  run(
    folder,
    `fhir2visit convert ${facility}/input --facility ${facility} -o one.ndjson --report one.json --rejected-ok -q`
  )
  assert.deepStrictEqual(sorted(folder, visits), sorted(folder, ["one.ndjson"]))
  assert.deepStrictEqual(reportOf(folder, report), reportOf(folder, "one.json"))
}

/** Validates a Job; returns the keys that its schema does not declare, although it permits them. */
const unknownIn = (job: { readonly spec: object }): ReadonlyArray<string> => {
  const unread = new Set<string>()
  const watched = (value: unknown, path: string): unknown => {
    if (typeof value !== "object" || value === null) return value
    const inner = new Map(Object.entries(value).map(([key, one]) => [key, watched(one, `${path}.${key}`)]))
    for (const key of inner.keys()) unread.add(`${path}.${key}`)
    return new Proxy(value, {
      get: (_, key) => {
        unread.delete(`${path}.${String(key)}`)
        return inner.get(String(key)) ?? Reflect.get(value, key)
      }
    })
  }
  assert.isTrue(validate(watched(job.spec, "spec")))
  return [...unread]
}

/** Checks that files hold the visits of one process. */
const hasVisitsOfOne = (folder: string, files: ReadonlyArray<string>): void => {
  run(folder, "fhir2visit convert hospital-a/input --facility hospital-a -o one.ndjson --rejected-ok -q")
  assert.deepStrictEqual(sorted(folder, files), sorted(folder, ["one.ndjson"]))
}

/** The parts that the page's SQL makes, with the tables of the page. */
const partsBySql = (folder: string): Map<number, Array<string>> => {
  const database = new DatabaseSync(":memory:")
  database.exec(
    `create table resource (type, id, json);
create table patient_of (type, id, patient_id);
create table patient_code (patient_id, code_hash);`
  )
  const insert = (table: string, ...values: ReadonlyArray<string | number>): void => {
    database.prepare(`insert into ${table} values (${values.map(() => "?").join(", ")})`).run(...values)
  }
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".ndjson"))) {
    for (const json of readFileSync(join(folder, name), "utf8").split("\n").filter((line) => line !== "")) {
      const { beneficiary, id, identifier, patient, resourceType, subject } = JSON.parse(json)
      insert("resource", resourceType, id, json)
      const patientId = (subject ?? patient ?? beneficiary)?.reference?.split("/").at(-1)
      if (resourceType === "Patient") {
        insert("patient_of", resourceType, id, id)
        insert("patient_code", id, Buffer.from(identifier[0].value).reduce((sum, byte) => sum + byte, 0))
      } else if (patientId !== undefined) insert("patient_of", resourceType, id, patientId)
    }
  }
  const parts = new Map<number, Array<string>>()
  for (const { json, part } of database.prepare(block("sql")).all()) {
    const lines = parts.get(Number(part)) ?? []
    parts.set(Number(part), lines)
    lines.push(String(json))
  }
  return parts
}

const filesIn = (folder: string, below: string, pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(join(folder, below)).filter((name) => pattern.test(name)).map((name) => join(below, name))

const facility = "samples/clinic-day"

describe("docs/scale.md", () => {
  it(
    "has first commands that give the result of one process, and sends each visit once",
    async () => {
      const folder = workFolder(facility)
      run(folder, block("sh"))
      const files = ["visits-1.ndjson", "visits-2.ndjson"]
      isOneRun(folder, facility, files, "report.json")
      const service = start(["sandbox", "--port", "0"], { cwd: folder })
      const { 0: address, 1: url = "" } = await service.says(/(http:\/\/127\.0\.0\.1:\d+)\/sandbox\/visits\?key=\S+/u)
      const access = { ...sandboxUser, FHIR2VISIT_BASE_URL: url, FHIR2VISIT_AUTH_URL: url }
      const submit = `fhir2visit submit ${files.join(" ")} --facility ${facility} -q`
      run(folder, submit, access)
      run(folder, submit, access)
      const codes = (lines: ReadonlyArray<string>) => lines.map((line) => visitCode(line))
      const stored = visitCodes(await (await fetch(address)).text())
      assert.deepStrictEqual(stored.toSorted(), codes(sorted(folder, files)).toSorted())
      // The journal names the file of each visit, and so its part.
      const journal = new DatabaseSync(join(folder, facility, ".fhir2visit/HF0004.sqlite"), { readOnly: true })
      for (const file of files) {
        const places = journal.prepare("select visit_code, attempts from visit where source glob ? order by source")
          .all(`${file}:*`)
        assert.deepStrictEqual(
          places.map(({ attempts, visit_code }) => [visit_code, attempts]),
          codes(readFileSync(join(folder, file), "utf8").split("\n").filter((line) => line !== "")).map((
            code
          ) => [code, 1])
        )
      }
      journal.close()
      service.child.kill()
      await service.ended
      rmSync(folder, { recursive: true })
    },
    3 * minutes
  )

  it("has at most thirty lines of text for each engine", () => {
    for (
      const words of [
        "sh parallel",
        "sh slurm convert.sbatch",
        "sh slurm run.sh",
        "yaml job",
        "python airflow",
        "sql",
        "python spark"
      ]
    ) {
      assert.isAtMost(block(words).split("\n").length, 31, words)
    }
  })

  it.skipIf(!has("parallel"))("runs unchanged with GNU parallel", () => {
    const folder = workFolder(facility)
    run(folder, block("sh parallel"))
    isOneRun(folder, facility, filesIn(folder, "out", /^visits/u), "report.json")
    rmSync(folder, { recursive: true })
  }, 3 * minutes)

  it("has a Job whose command converts its part, and which fails only on code 2", () => {
    const folder = workFolder("hospital-a")
    const job = parse(block("yaml job"))
    assert.deepStrictEqual(unknownIn(job), [])
    assert.deepStrictEqual(unknownIn({ ...job, spec: { ...job.spec, completion: 16 } }), ["spec.completion"])
    assert.throws(() => unknownIn({ ...job, spec: { ...job.spec, completions: "16" } }))
    const { kind, spec } = job
    assert.strictEqual(kind, "Job")
    const { completionMode, completions, podFailurePolicy: { rules }, template } = spec
    assert.strictEqual(completionMode, "Indexed")
    assert.deepStrictEqual(rules[0], {
      action: "FailJob",
      onExitCodes: { containerName: "convert", operator: "In", values: [2] }
    })
    const [{ args, command, name }] = template.spec.containers
    assert.strictEqual(name, "convert")
    assert.deepStrictEqual(command, ["/bin/sh", "-c"])
    run(
      folder,
      `fhir2visit partition hospital-a/input --facility hospital-a -o parts --into ${completions} -q; mkdir out`
    )
    for (let index = 0; index < completions; index++) run(folder, args[0], { JOB_COMPLETION_INDEX: String(index) })
    run(folder, "fhir2visit merge-reports out/report-*.json --parts parts/parts.json -o report.json -q")
    isOneRun(folder, "hospital-a", filesIn(folder, "out", /^visits/u), "report.json")
    rmSync(folder, { recursive: true })
  }, 5 * minutes)

  it.skipIf(!has("python3"))("the Airflow tasks convert every part, in the order in which Airflow takes them", () => {
    const folder = workFolder("hospital-a")
    // Airflow is rarely installed, so the tasks are checked one after the other.
    mkdirSync(join(folder, "airflow"))
    writeFileSync(join(folder, "airflow/__init__.py"), "")
    writeFileSync(join(folder, "airflow/exceptions.py"), "class AirflowFailException(Exception): pass\n")
    writeFileSync(
      join(folder, "airflow/decorators.py"),
      `def task(work):
    work.expand = lambda **lists: [work(*values) for values in zip(*lists.values())]
    return work

def dag(**settings):
    return lambda work: lambda: work(count=3)
`
    )
    writeFileSync(join(folder, "dag.py"), block("python airflow"))
    run(folder, "python3 dag.py")
    isOneRun(folder, "hospital-a", filesIn(folder, ".", /^visits/u), "report.json")
    rmSync(folder, { recursive: true })
  }, 3 * minutes)

  it("writes its overview", () => {
    const folder = workFolder("hospital-a", "hospital-b")
    for (const name of ["hospital-a", "hospital-b"]) {
      run(folder, `fhir2visit convert ${name}/input --facility ${name} --report ${name}/report.json --rejected-ok -q`)
    }
    run(folder, block("sh overview"))
    assert.include(readFileSync(join(folder, "nation.html"), "utf8"), "1 facility, 5 visits")
    rmSync(folder, { recursive: true })
  }, minutes)

  it.skipIf(!has("python3"))(
    "has a Spark program with the result of one process, in Spark's order",
    () => {
      const folder = workFolder("hospital-a")
      // Spark is rarely installed, so its operations are simulated on lists.
      mkdirSync(join(folder, "pyspark/sql"), { recursive: true })
      writeFileSync(join(folder, "pyspark/__init__.py"), "")
      writeFileSync(
        join(folder, "pyspark/sql/__init__.py"),
        `import glob, os, subprocess

class Lines:
    def __init__(self, items): self.items = items
    def flatMap(self, work): return Lines([one for item in self.items for one in work(item)])
    def partitionBy(self, count, part_of):
        return Parts([[line for key, line in self.items if part_of(key) == part] for part in range(count)])

class Parts:
    def __init__(self, parts): self.parts = parts
    def values(self): return self
    def pipe(self, command, checkCode):
        words = dict(shell=True, text=True, check=checkCode, stdout=subprocess.PIPE)
        return Parts([subprocess.run(command, input="\\n".join(part) + "\\n", **words).stdout for part in self.parts])
    def saveAsTextFile(self, folder):
        os.mkdir(folder)
        for at, part in enumerate(self.parts):
            with open(f"{folder}/part-{at}", "w") as file: file.write(part)

class SparkSession:
    class builder:
        @staticmethod
        def appName(name): return SparkSession.builder
        @staticmethod
        def getOrCreate(): return SparkSession
    class sparkContext:
        @staticmethod
        def textFile(folder):
            return Lines([line for name in sorted(glob.glob(folder + "/*")) for line in open(name).read().splitlines()])
`
      )
      writeFileSync(join(folder, "convert.py"), block("python spark"))
      run(
        folder,
        "python3 convert.py \"fhir2visit convert - -o - --facility hospital-a --rejected-ok --quiet\" hospital-a/input visits 3"
      )
      hasVisitsOfOne(folder, filesIn(folder, "visits", /^part/u))
      rmSync(folder, { recursive: true })
    },
    3 * minutes
  )

  it("has SQL that puts all records of a patient code, and all without a patient, into one part", () => {
    const folder = workFolder("hospital-a")
    const parts = partsBySql(join(folder, "hospital-a/input"))
    const withPatients = [...parts].filter(([, lines]) =>
      lines.some((line) => JSON.parse(line).resourceType === "Patient")
    )
    assert.isAbove(withPatients.length, 1)
    assert.strictEqual(parts.size, 64)
    const visits = withPatients.map(([part, lines]) => {
      writeFileSync(join(folder, `${part}.ndjson`), `${lines.join("\n")}\n`)
      run(folder, `fhir2visit convert ${part}.ndjson --facility hospital-a --rejected-ok -q -o visits-${part}`)
      return `visits-${part}`
    })
    hasVisitsOfOne(folder, visits)
    rmSync(folder, { recursive: true })
  }, 3 * minutes)

  // Starts five daemons and kills some of them, which takes more than a minute: with TEST_RUNS above 1, as in `npm run test:deep`.
  it.skipIf(runs(1) === 1 || !has("sbatch", "slurmctld", "slurmd", "munged"))(
    "runs unchanged on four Slurm nodes while ten tasks, three nodes and the controller are killed",
    async () => {
      const names = ["hospital-a", "hospital-b", "hospital-c"]
      const folder = workFolder(...names)
      writeFileSync(join(folder, "convert.sbatch"), block("sh slurm convert.sbatch"))
      writeFileSync(join(folder, "run.sh"), block("sh slurm run.sh"), { mode: 0o755 })
      const cluster = await startSlurm(folder)
      try {
        const env = environment(folder, { SLURM_CONF: cluster.conf })
        const runs = names.map((name) => {
          const child = spawn("./run.sh", [name, "16"], { cwd: folder, env, stdio: "ignore" })
          return new Promise<number | null>((resolve) => child.once("exit", resolve))
        })
        await cluster.harm()
        assert.deepStrictEqual(await Promise.all(runs), [0, 0, 0])
        for (const name of names) {
          isOneRun(folder, name, filesIn(folder, `out/${name}`, /visits/u), `out/${name}/report.json`)
        }
      } finally {
        cluster.end()
        rmSync(folder, { recursive: true, force: true })
      }
    },
    10 * minutes
  )
})

/** A private Slurm cluster on this machine: four nodes and a controller. */
const startSlurm = async (folder: string) => {
  const at = (...names: ReadonlyArray<string>) => join(folder, "slurm", ...names)
  for (const name of ["state", "munge", "n1", "n2", "n3", "n4"]) mkdirSync(at(name), { recursive: true, mode: 0o700 })
  writeFileSync(at("munge/key"), Buffer.alloc(1024, folder), { mode: 0o600 })
  const port = 20_000 + (process.pid % 20_000)
  const conf = at("slurm.conf")
  writeFileSync(
    conf,
    `ClusterName=test
SlurmctldHost=${hostname()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=${at("munge/socket")}
StateSaveLocation=${at("state")}
SlurmdSpoolDir=${at("%n")}
SlurmctldPidFile=${at("slurmctld.pid")}
SlurmdPidFile=${at("%n.pid")}
SlurmctldPort=${port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=10
MpiDefault=none
NodeName=n[1-4] NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=[${port + 1}-${port + 4}] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
`
  )
  const env = { ...process.env, SLURM_CONF: conf }
  const start = (program: string, ...words: ReadonlyArray<string>): ChildProcess =>
    spawn(program, words, { env, stdio: "ignore" })
  const munge = start(
    "munged",
    "--foreground",
    "--force",
    ...["key-file", "socket", "pid-file", "log-file", "seed-file"].map((name) =>
      `--${name}=${at("munge", name.replace(/-file$/u, ""))}`
    )
  )
  await setTimeout(1000)
  const children = new Map<string, ChildProcess>([["munge", munge]])
  const begin = (name: string): void => {
    children.get(name)?.kill("SIGKILL")
    children.set(name, name === "controller" ? start("slurmctld", "-D") : start("slurmd", "-D", "-N", name))
  }
  for (const name of ["controller", "n1", "n2", "n3", "n4"]) begin(name)
  const isUp = () =>
    spawnSync("sinfo", ["-h", "-t", "idle", "-o", "%D"], { env, encoding: "utf8" }).stdout.trim() === "4"
  for (let tries = 0; tries < 60 && !isUp(); tries++) await setTimeout(500)
  return {
    conf,
    /** Kills the processes of ten tasks, three nodes and the controller, and restarts the nodes and the controller. */
    harm: async () => {
      const isTask = (pid: string): boolean => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--part") &&
            realpathSync(`/proc/${pid}/cwd`) === folder
        } catch {
          return false
        }
      }
      let killed = 0
      for (let tries = 0; tries < 1200 && killed < 10; tries++) {
        const pid = readdirSync("/proc").find((name) => /^\d+$/u.test(name) && isTask(name))
        if (pid !== undefined) {
          process.kill(Number(pid), "SIGKILL")
          killed++
          const next = ["n2", "controller", "n3", "n4"][killed / 2 - 1]
          if (next !== undefined) begin(next)
        }
        await setTimeout(100)
      }
      assert.strictEqual(killed, 10)
    },
    end: () => {
      for (const child of children.values()) child.kill("SIGKILL")
    }
  }
}
