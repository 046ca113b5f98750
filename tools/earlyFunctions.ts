import remapping from "@jridgewell/remapping"
import MagicString from "magic-string"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { parseAst } from "rolldown/parseAst"
import { jsonListOf, jsonObjectOf } from "../src/json/JsonObject.ts"
import { getOrMake } from "../src/maps.ts"

/**
 * Makes the built program start faster. A command compiles the functions that it calls, each time that it runs: Node's compile cache has
 * only what V8 compiles together with a module. V8 does that for a function in parentheses. So this puts the functions that the usual
 * commands call in parentheses. It runs these commands to find the functions. It also writes every character outside ASCII as an escape. V8
 * then keeps the text of a module in half of the memory, and Node reads it faster.
 */
const markEarlyFunctions = (dist: string): void => {
  const called = calledFunctions(dist)
  for (const [file, starts] of called) {
    const path = join(dist, file)
    const before = readFileSync(path, "utf8")
    const { map, text } = marked(before, starts)
    writeFileSync(path, text)
    const mapFile = `${path}.map`
    if (existsSync(mapFile)) {
      writeFileSync(mapFile, remapping([map, readFileSync(mapFile, "utf8")], () => null).toString())
    }
  }
}

/** The commands that people and machines start most, with the samples as input. `OUT` is a folder. */
const commands: ReadonlyArray<string> = [
  "convert samples/outpatient-fever -o OUT/ready.ndjson --rejected OUT/rejected.ndjson",
  "convert samples/district-tables -o OUT/ready.ndjson --rejected OUT/rejected.ndjson",
  "run samples/outpatient-fever/input --facility samples/outpatient-fever --sandbox",
  "validate OUT/ready.ndjson",
  "explain V420101.visit_type samples/outpatient-fever",
  "mapping check mappings/us-synthetic"
]

/** Returns where the functions begin that the commands call, by file. The code of a second run counts, as a first one fills the cache. */
const calledFunctions = (dist: string): ReadonlyMap<string, ReadonlySet<number>> => {
  const folder = mkdtempSync(join(tmpdir(), "fhir2visit-build-"))
  try {
    const found = new Map<string, Set<number>>()
    for (const [index, command] of commands.entries()) {
      const coverage = join(folder, String(index))
      const run = (more: NodeJS.ProcessEnv): void => {
        const args = command.replaceAll("OUT", folder).split(" ")
        // Nothing else of the environment, such as a proxy, may change what the commands do.
        const { PATH, SystemRoot } = process.env
        const env = { PATH, SystemRoot, HOME: folder, TMPDIR: folder, FHIR2VISIT_CACHE: folder, ...more }
        const { error, status, stderr } = spawnSync(process.execPath, [join(dist, "fhir2visit.mjs"), ...args], {
          env,
          encoding: "utf8"
        })
        // Problems of the samples' records are expected.
        if (error !== undefined || status === null || status > 1) {
          throw new Error(`${command}: ${error?.message ?? stderr}`)
        }
      }
      run({})
      run({ NODE_V8_COVERAGE: coverage })
      for (const report of readdirSync(coverage)) addCalled(found, join(coverage, report), dist)
    }
    return found
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Adds the functions that a report of V8's coverage counts. */
const addCalled = (found: Map<string, Set<number>>, report: string, dist: string): void => {
  const { result } = jsonObjectOf(JSON.parse(readFileSync(report, "utf8")))
  for (const script of jsonListOf(result)) {
    const { functions, url } = jsonObjectOf(script)
    if (typeof url !== "string" || !url.startsWith("file:") || !url.includes(`/${basename(dist)}/`)) continue
    const starts = getOrMake(found, basename(url), () => new Set())
    for (const one of jsonListOf(functions)) {
      const { count, startOffset } = jsonObjectOf(jsonListOf(jsonObjectOf(one).ranges)[0])
      if (typeof count === "number" && count > 0 && typeof startOffset === "number") starts.add(startOffset)
    }
  }
}

/** A node of the syntax tree of a chunk. */
interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly async?: boolean
  readonly [key: string]: unknown
}

const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

/** Returns a module with these functions in parentheses, in ASCII. */
export const marked = (text: string, starts: ReadonlySet<number>): { readonly text: string; readonly map: string } => {
  const edited = new MagicString(text)
  const visit = (node: SyntaxNode, isMethod: boolean): void => {
    const { async, end, start, type } = node
    if (type === "TaggedTemplateExpression" && /[^\0-\x7f]/u.test(text.slice(start, end))) {
      throw new Error(
        `a tag reads the text of its template as it is written, so it must be ASCII: ${text.slice(start, end)}`
      )
    }
    // V8 compiles an asynchronous arrow function late in any case.
    if (
      (type === "ArrowFunctionExpression" || type === "FunctionExpression") && !isMethod && async !== true &&
      starts.has(start)
    ) {
      edited.appendRight(start, "(").prependLeft(end, ")")
    }
    const hasMethod = type === "MethodDefinition" || node.method === true || node.kind === "get" || node.kind === "set"
    for (const [key, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isSyntaxNode(child)) visit(child, hasMethod && key === "value")
      }
    }
  }
  const program: unknown = parseAst(text, { lang: "js" })
  if (isSyntaxNode(program)) visit(program, false)
  for (const { 0: character, index } of text.matchAll(/[^\0-\x7f]/g)) {
    edited.update(index, index + 1, `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
  }
  return { text: edited.toString(), map: edited.generateMap({ hires: "boundary" }).toString() }
}

if (import.meta.main) markEarlyFunctions("dist")
