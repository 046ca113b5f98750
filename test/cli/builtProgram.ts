import { execFileSync, spawn, type SpawnOptions, spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")
const program = join(root, "dist/fhir2visit.mjs")

/** The program as it is shipped; built when the sources are newer. */
export const builtProgram = (): string => {
  const sources = [
    ...globSync("src/**/*.ts", { cwd: root }),
    "package.json",
    "rolldown.config.mjs",
    ...globSync("tools/**/*.{ts,txt}", { cwd: root })
  ]
  const newest = Math.max(...sources.map((file) => statSync(join(root, file)).mtimeMs))
  if (!existsSync(program) || statSync(program).mtimeMs < newest) {
    execFileSync("npm", ["run", "-s", "build"], { cwd: root, stdio: "ignore" })
  }
  return program
}

/** Environment of a child: nothing of ours but the way to programs. */
export const bareEnvironment = {
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  HOME: "/nonexistent",
  // What the program can make again is made once for all tests.
  FHIR2VISIT_CACHE: join(process.env.TMPDIR ?? tmpdir(), "fhir2visit-cache"),
  TZ: "UTC",
  LANG: "C.UTF-8"
}

/** Runs the program: another Node than that of the tests, if this variable names one. */
export const testNode = process.env["FHIR2VISIT_TEST_NODE"] ?? process.execPath

/** Runs the built program to its end. */
export const fhir2visit = (args: ReadonlyArray<string>, input = "") =>
  spawnSync(process.execPath, ["dist/fhir2visit.mjs", ...args], {
    encoding: "utf8",
    input,
    env: bareEnvironment,
    maxBuffer: 64 * 1024 * 1024
  })

/** The samples of FHIR. */
export const samples = [
  "outpatient-fever",
  "inpatient-surgery-referral",
  "emergency-labs-imaging",
  "clinic-day"
] as const

/** Uses a folder, and removes it. */
export const inFolder = (use: (folder: string) => void): void => {
  const folder = mkdtempSync(join(tmpdir(), "fhir2visit-"))
  try {
    use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts the program. */
export const start = (
  args: ReadonlyArray<string>,
  options: SpawnOptions & { readonly env?: Record<string, string> } = {}
) => {
  const child = spawn(testNode, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
    env: { ...bareEnvironment, ...options.env }
  })
  const seen = { stdout: "", stderr: "" }
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (seen.stdout += text))
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (seen.stderr += text))
  const ended = new Promise<number | string>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal ?? ""))
  )
  /** Waits until the output has these words. */
  const says = async (words: RegExp): Promise<RegExpExecArray> => {
    for (let tries = 0; tries < 400; tries++) {
      const found = words.exec(seen.stdout) ?? words.exec(seen.stderr)
      if (found !== null) return found
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error(`the program never said ${words}: ${seen.stdout}${seen.stderr}`)
  }
  return { child, seen, ended, says }
}
