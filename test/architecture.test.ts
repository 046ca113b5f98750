import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { at } from "../src/at.ts"
import { assertionsWithoutReason } from "./assertions.ts"
import { captures } from "./captures.ts"
import { assertGolden } from "./golden.ts"

/** The folders in the order of the walk in src/README.md: each uses those above it, and nothing below. */
const order: ReadonlyArray<string> = [
  "pattern",
  "json",
  "visit",
  "diagnostic",
  "source",
  "fhirpath",
  "mapping",
  "service",
  "submission",
  "mirror",
  "facility",
  "run",
  "studio",
  "cli"
]

/** The folders of the mapping language, in the same order. */
const mappingOrder: ReadonlyArray<string> = [
  "language",
  "draft",
  "codes",
  "tables",
  "functions",
  "grouping",
  "assumptions",
  "check",
  "apply",
  "load"
]

const folderOf = (file: string, root: string): string => at(relative(root, file).split("/"), 0)

/** The files that a file imports, statically or dynamically; `type` if only types are imported. */
const importsOf = (file: string): ReadonlyArray<{ readonly kind: "value" | "type"; readonly target: string }> =>
  [...readFileSync(file, "utf8").matchAll(/(?:^(?:import|export) (type )?[^"]*?from |\bimport\()"(\.[^"]+)"/gmu)]
    .map(([, type, target = ""]) => ({
      kind: type === undefined ? "value" : "type",
      target: join(dirname(file), target)
    }))

/** Dependencies between the folders of a folder. */
const arrowsIn = (root: string): ReadonlyMap<string, Set<"value" | "type">> => {
  const found = new Map<string, Set<"value" | "type">>()
  for (const file of globSync(`${root}/*/**/*.{ts,tsx}`)) {
    for (const { kind, target } of importsOf(file)) {
      const [from, to] = [folderOf(file, root), folderOf(target, root)]
      if (to === from || to.endsWith(".ts") || to.startsWith("..")) continue
      const arrow = `${from} -> ${to}`
      const kinds = found.get(arrow) ?? new Set()
      found.set(arrow, kinds.add(kind))
    }
  }
  return found
}

/** Fails if a folder uses one that comes after it, or if it has no place in the order. */
const assertOrder = (arrows: Iterable<string>, folders: ReadonlyArray<string>): void => {
  for (const arrow of arrows) {
    const [from = "", to = ""] = arrow.split(" -> ")
    assert.isAtLeast(folders.indexOf(from), 0, from)
    assert.isBelow(folders.indexOf(to), folders.indexOf(from), arrow)
  }
}

/** Checks that a pattern occurs in no line of code except in the files with a reason, and in each of these. */
const assertOnly = (pattern: RegExp, files: ReadonlyArray<string>, reasons: Readonly<Record<string, string>>): void => {
  assert.isNotEmpty(files)
  const found = files.flatMap((file) =>
    readFileSync(file, "utf8").split("\n")
      .filter((line) => !/^\s*(?:\/?\*|\/\/|import )/u.test(line) && pattern.test(line))
      .map((line) => ({ file, line: line.trim() }))
  )
  assert.deepStrictEqual(found.filter(({ file }) => !(file in reasons)), [])
  assert.deepStrictEqual([...new Set(found.map(({ file }) => file))].toSorted(), Object.keys(reasons).toSorted())
}

describe("The architecture", () => {
  const found = arrowsIn("src")

  it("has only known dependencies between folders; a new one is a new line to review", () => {
    const lines = [...found].map(([arrow, kinds]) => `${arrow}${kinds.has("value") ? "" : "   types only"}`).toSorted()
    assertGolden("test/architecture.txt", `${lines.join("\n")}\n`)
  })

  it("has no dependency on a lower room", () => {
    assertOrder(found.keys(), order)
  })

  it("has no circle in the mapping language", () => {
    const arrows = arrowsIn("src/mapping")
    assert.isTrue(arrows.has("check -> language"))
    assertOrder(arrows.keys(), mappingOrder)
  })

  it("renders reports and screens with the viewer, and with nothing else of the studio", () => {
    const ofStudio = globSync(
      "src/cli/{.,assumptions,conversion,facility,files,process,report,screen,sending,visits}/*.ts"
    ).flatMap((file) =>
      importsOf(file).filter(({ kind, target }) => kind === "value" && target.startsWith("src/studio/"))
    )
    assert.isNotEmpty(ofStudio)
    assert.deepStrictEqual(ofStudio.filter(({ target }) => !target.startsWith("src/studio/viewer/")), [])
  })

  it("imports the FHIRPath library in one file, which is only loaded when it is needed", () => {
    const importing = (pattern: RegExp) =>
      globSync("src/**/*.ts").filter((file) => pattern.test(readFileSync(file, "utf8")))
    const file = "src/fhirpath/library/fhirpathLibrary.ts"
    assert.deepStrictEqual(importing(/^import (?!type )[^"]*from "fhirpath/mu), [file])
    assert.deepStrictEqual(importing(/^(?:import|export) [^"]*from "[^"]*fhirpathLibrary\.ts"/mu), [])
  })

  it("scans JSON text in json/ only: no other room has a pattern or a byte of its brackets, quotes and names", () => {
    const scanning = [
      // The bytes of a quote, a backslash, and brackets.
      /\b0x(?:22|5[bB]|5[cC]|5[dD]|7[bB]|7[dD])\b/u,
      // The bytes of a quoted name, or of an escape.
      /Buffer\.from\((?:"\\["\\]|[`'"](?!\\)["{[])/u,
      // A regular expression with a name and its colon, or that begins at a bracket.
      /\/(?:[^/]|\\\/)*(?:"\)?(?:\\s\*)?:|[{[]\\s\*"|\^(?:\\s\*)?(?:\(\?:)?(?:\\\{(?!\d)|\[[{[]{2}\]))(?:[^/]|\\\/)*\/[dgimsuyv]*(?=[.,;)\s])/u,
      // A value that is written as JSON so that its text can be searched.
      /JSON\.stringify\(.*\)\.(?:match|matchAll|replace|replaceAll|search|split)\(/u
    ]
    const pattern = new RegExp(scanning.map(({ source }) => source).join("|"), "u")
    assertOnly(pattern, globSync("src/!(json)/**/*.{ts,tsx}"), {
      "src/fhirpath/pathSteps.ts": "the empty collection of FHIRPath",
      "src/studio/cases/compareVisit.ts": "it lays out the text that it writes",
      "src/studio/workbench/case/caseOfVisit.ts": "the first text of a record that begins with a date, wherever it is"
    })
    for (
      const line of [
        String.raw`if (held[start] === 0x7b) {`,
        String.raw`Buffer.from("\"contained\"")`,
        String.raw`Buffer.from("\\u00")`,
        String.raw`/"resourceType"\s*:\s*"([A-Za-z]+)"/gu)`,
        String.raw`/\{\s*"(?:resourceType|id)"\s*:/uy `,
        String.raw`/^\s*(?:\{|\[\s*[{\]])/u.test(text)`,
        String.raw`/^(?:[{[]|\/\/)/.test(text)`
      ]
    ) assert.match(line, pattern)
  })

  it("reads expressions in fhirpath/ only: no other room matches the text of one", () => {
    const methods = "match|matchAll|replace|replaceAll|search|includes|indexOf|split|startsWith|endsWith"
    const pattern = new RegExp(
      String
        .raw`\b(?:text|path|expression|condition)\)?\??\.(?:${methods})\(|\.(?:exec|test)\((?:\w+\.)*(?:text|path|expression|condition)\)`,
      "u"
    )
    const handling = /from "[^"]*\/(?:fhirpath\/[^"]*|MappingPlan|GroupingPlan)\.ts"/u
    const files = globSync("src/!(fhirpath|json)/**/*.{ts,tsx}").filter((file) =>
      handling.test(readFileSync(file, "utf8"))
    )
    assertOnly(pattern, files, {
      "src/mapping/check/expressions/checkAbsent.ts": "a name in the syntax tree",
      "src/mapping/check/expressions/checkCalls.ts": "the text of an argument: codes, or a type and an element",
      "src/mapping/check/visit/checkLeaf.ts": "a value that is meant as text and may have been meant as a path",
      "src/mapping/check/visit/checkOrder.ts": "the name of a field, after a sign for its order",
      "src/mapping/check/expressions/checkPaths.ts": "whether YAML joined the lines of the text",
      "src/mapping/check/expressions/reportTypeErrors.ts": "the path that it wrote, which may need brackets",
      "src/mapping/functions/results.ts": "a type and its elements",
      "src/studio/profile/makeProfile.ts": "a path of the profile"
    })
    const call =
      /\/(?:[^/\n]|\\\/)*(?:resolve|mapped|where|exists|hasCode|identifierIn|conceptCode|keyOf|\\w[*+]\)?)\\\(/u
    assertOnly(call, globSync("src/!(fhirpath|json)/**/*.{ts,tsx}"), {})
    assert.match(String.raw`/^([A-Za-z]+)\.resolve\(\)$/u.exec(text)`, call)
    assert.match(String.raw`text.matchAll(/([A-Za-z_]\w*)\(/gu)`, call)
  })

  it("parses records in json/ only, where code systems get their URLs", () => {
    assertOnly(/\bJSON\.parse\(/u, globSync("src/{source,run,mapping}/**/*.ts"), {
      "src/mapping/tables/jsonSyntax.ts": "it only asks whether a table is JSON",
      "src/run/compareVisits.ts": "visits",
      "src/run/parts/EntryFile.ts": "the index of a file of the program",
      "src/run/records/recordText.ts": "the head of an entry, and the cells of a row",
      "src/source/read/readLines.ts": "a line without an object or an array"
    })
  })

  it("sets no flag of V8 at run time", () => {
    const setting = globSync("src/**/*.{ts,tsx}").filter((file) => /\bsetFlags/u.test(readFileSync(file, "utf8")))
    assert.deepStrictEqual(setting, [])
  })

  it("uses only what the FHIRPath library documents: no class of an object that it makes, and no file within it", () => {
    const hidden =
      /\.constructor\b|\[\s*["'`]constructor["'`]\s*\]|["'`]fhirpath\/(?!fhir-context\/)[^"'`]*["'`]|makeChildResNodes/gu
    const files = globSync("src/**/*.{ts,tsx}")
    assert.isNotEmpty(files)
    const found = files.flatMap((file) =>
      (readFileSync(file, "utf8").match(hidden) ?? []).map((use) => `${file}: ${use}`)
    )
    assert.deepStrictEqual(found, [])
  })

  it("exports each name from one file", () => {
    const found = new Map<string, Array<string>>()
    for (const file of globSync("src/**/*.{ts,tsx}")) {
      const exported = captures(
        readFileSync(file, "utf8"),
        /^export (?:abstract )?(?:const|function\*?|class|interface|type) (\w+)/gmu
      )
      for (const name of new Set(exported)) {
        found.set(name, [...found.get(name) ?? [], relative("src", file)])
      }
    }
    assert.deepStrictEqual([...found].filter(([, files]) => files.length > 1), [])
  })
})

describe("A `!` or a cast", () => {
  /** The folders in which each needs a reason. */
  const folders = ["src", "test", "bench", "tools"]

  it("has a comment that says why it holds", () => {
    const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`))
    assert.isAbove(files.filter((file) => file.endsWith(".tsx")).length, 0)
    const found = files.flatMap((file) => assertionsWithoutReason(file, readFileSync(file, "utf8")))
    assert.deepStrictEqual(found, [], "say in a comment above, or at the end of the line, why it holds")
  })

  const found = (...lines: ReadonlyArray<string>): ReadonlyArray<number> =>
    assertionsWithoutReason("file.ts", lines.join("\n")).map((line) => Number(line.split(":")[1]))

  it("is found in every form", () => {
    assert.deepStrictEqual(found("const a = b!"), [1])
    assert.deepStrictEqual(found("const a = b as A"), [1])
    assert.deepStrictEqual(found("const a = b as unknown as A"), [1])
    assert.deepStrictEqual(found("const a = <A> b"), [1])
    assert.deepStrictEqual(found("let a!: A"), [1])
    assert.deepStrictEqual(found("class A {", "  a!: A", "  b = c!", "}"), [2, 3])
    assert.deepStrictEqual(found("const a = ['é', b.map((c) => c!)]", "f(`${a as A}`)"), [1, 2])
    assert.deepStrictEqual(assertionsWithoutReason("a.tsx", "const a = <b c={d!}>{e as A}</b>"), [
      "a.tsx:1: const a = <b c={d!}>{e as A}</b>"
    ])
    assert.deepStrictEqual(found("const a = ['b'] as const", "const b = !a", "const c = { d: 1 } satisfies A"), [])
  })

  it("needs its comment next to it", () => {
    assert.deepStrictEqual(found("const a = b! // it is set"), [])
    assert.deepStrictEqual(found("// it is set", "const a = b!"), [])
    assert.deepStrictEqual(found("// it is set", "const a = [", "  b,", "  c!", "]"), [])
    assert.deepStrictEqual(found("const a = [", "  b,", "  // it is set", "  c!", "]"), [])
    assert.deepStrictEqual(found("const a = {", "  // it is set", "  b:", "    c!", "}"), [])
    // A comment further out is about something else.
    assert.deepStrictEqual(found("// it is set", "const a = {", "  b:", "    c!", "}"), [4])
    assert.deepStrictEqual(found("// it is set", "const a = () => {", "  f()", "  return b!", "}"), [4])
    assert.deepStrictEqual(found("// it is set", "f()", "const a = b!"), [3])
    assert.deepStrictEqual(found("// it is set", "", "const a = b!"), [3])
    assert.deepStrictEqual(found("f() // it is set", "const a = b!"), [2])
    assert.deepStrictEqual(found("/** Returns a. */", "const a = () => b!"), [2])
    assert.deepStrictEqual(found("// oxlint-disable-next-line no-undef", "const a = b!"), [2])
    assert.deepStrictEqual(found("const a = \"//\"", "const b = c!"), [2])
  })
})
