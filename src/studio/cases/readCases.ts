import type { Types } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { withoutAbsent } from "../../objects.ts"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import { isZone } from "../../visit/values/Zone.ts"

/** A fenced block of a page. */
export interface Block {
  readonly text: string
  /** 1-based line of the page on which the text begins. */
  readonly line: number
  /** For CSV: the name of the file that the block represents. */
  readonly file?: string
}

/** The facility settings that a mapping can read. */
export interface CaseSettings {
  readonly facility?: FacilityCode
  readonly system?: SystemCode
  /** IANA name. */
  readonly timezone?: string
}

/** One case: records, the mapping applied to them, and the expected visit. */
export interface Case {
  /** The headings above the case. */
  readonly name: string
  readonly line: number
  /** Overlays, the page's before the case's. A block with its own `mapping:` is used without them. */
  readonly mappings: ReadonlyArray<Block>
  /** Records. A record of the case replaces the page's record with its type and id; a CSV file replaces the file with its name. */
  readonly sources: ReadonlyArray<Block>
  /** The expected content of the visit; a list if there are several visits. */
  readonly visit?: Block
  /** Every expected problem, one per line: `code field`. */
  readonly problems?: Block
  /** A problem as it is formatted, on a page that shows one. */
  readonly message?: Block
  readonly settings: CaseSettings
}

/** A page of cases, as read from its file. */
export interface CasePage {
  readonly file: string
  readonly text: string
  /** The text after the first `#`. */
  readonly title: string
  readonly cases: ReadonlyArray<Case>
  /** Blocks that are not part of a case but were probably meant to be. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** The words after the backquotes of the blocks of a case. */
const blockNames = [
  "yaml mapping",
  "yaml facility",
  "csv source",
  "json source",
  "json visit",
  "text problems",
  "text message"
] as const

/** The blocks under one heading, while they are read. */
type Section = Types.DeepMutable<Case>

const section = (name: string, line: number): Section => ({
  name,
  line,
  mappings: [],
  sources: [],
  settings: {}
})

/**
 * Reads the cases of a Markdown page: each heading with an expectation is one case, so a second visit under it is a problem. Blocks under the page's title apply to every case of the
 * page, unless the title is itself a case. Everything else is prose.
 */
export const readCases = (file: string, text: string): CasePage => {
  const lines = text.split("\n")
  const page = section("", 1)
  let here = page
  const problems: Array<Diagnostic> = []
  const report = (line: number, title: string, ...help: ReadonlyArray<string>) =>
    problems.push({
      code: "unreadable-input",
      severity: "error",
      title,
      mapping: { file, line, column: 1, endColumn: Math.max(2, (lines[line - 1] ?? "").length + 1) },
      help
    })
  const sections: Array<Section> = [page]
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ""
    const [, name = ""] = /^##+\s+(.+?)\s*$/u.exec(line) ?? []
    if (name !== "") {
      here = section(name, index + 1)
      sections.push(here)
      continue
    }
    // A longer fence shows an example of a page and is skipped.
    const [example] = /^`{4,}/u.exec(line) ?? []
    if (example !== undefined) {
      do index++
      while (index < lines.length && lines[index]?.trimEnd() !== example)
      continue
    }
    const fence = /^```(\w*)(?:[ \t]+(\w+)(?:[ \t]+(\S(?:.*\S)?))?)?[ \t]*$/u.exec(line)
    if (fence === null) continue
    const start = index + 1
    do index++
    while (index < lines.length && !/^```[ \t]*$/u.test(lines[index] ?? ""))
    const block: Block = { text: lines.slice(start, index).map((one) => `${one}\n`).join(""), line: start + 1 }
    const blockName = `${fence[1]} ${fence[2] ?? ""}`
    switch (blockName) {
      case "yaml mapping":
        here.mappings.push(block)
        break
      case "yaml facility":
        here.settings = readSettings(block, report)
        break
      case "csv source":
        here.sources.push({ ...block, file: fence[3] ?? "" })
        break
      case "json source":
        here.sources.push(block)
        break
      case "json visit":
      case "text problems":
      case "text message": {
        const expected = blockName === "json visit" ? "visit" : blockName === "text problems" ? "problems" : "message"
        if (here[expected] !== undefined) {
          report(start, `a second block \`${blockName}\` under one heading`, "give each case a heading of its own")
        }
        here[expected] = block
        break
      }
      default: {
        const near = fence[2] === undefined ? undefined : blockNear(blockName)
        if (near === undefined) break
        report(start, `unknown block \`${blockName}\``, didYouMean(near))
      }
    }
  }
  for (const one of sections) {
    if (one === page || isCase(one) || one.sources.length + one.mappings.length === 0) continue
    report(one.line, `\`${one.name}\` has no expected result, and is not run`, expectation)
  }
  if (!sections.some(isCase) && problems.length === 0) report(1, "the page has no case", expectation)
  const shared = isCase(page) ? section("", 1) : page
  return {
    file,
    text,
    problems,
    title: /^#[ \t]+(.+?)[ \t]*$/mu.exec(text)?.[1] ?? "",
    cases: sections.flatMap((one): ReadonlyArray<Case> =>
      !isCase(one) ? [] : [{
        name: one.name,
        line: one.line,
        mappings: one === page ? page.mappings : [...shared.mappings, ...one.mappings],
        sources: one === page ? page.sources : [...shared.sources, ...one.sources],
        settings: { ...shared.settings, ...one.settings },
        ...withoutAbsent({ visit: one.visit, problems: one.problems, message: one.message })
      }]
    )
  }
}

const isCase = ({ message, problems, visit }: Section): boolean =>
  visit !== undefined || problems !== undefined || message !== undefined

const expectation = "add an expected result: a block  ```json visit  or  ```text problems"

/** Returns the block that was probably meant: by its word, or by a similar spelling. */
const blockNear = (name: string): string | undefined =>
  blockNames.find((one) => one.split(" ")[1] === name.split(" ")[1]) ?? suggest(name, blockNames)

const settingNames = ["facility", "system", "timezone"] as const

/** Reads settings such as `timezone: Asia/Phnom_Penh`, one per line. */
const readSettings = (
  { line, text }: Block,
  report: (line: number, title: string, ...help: ReadonlyArray<string>) => void
): CaseSettings => {
  const settings: Record<string, string> = {}
  text.split("\n").forEach((one, index) => {
    if (/^\s*(?:#.*)?$/u.test(one)) return
    const [, name = "", quoted = ""] = /^(\w+):[ \t]*(\S+?)[ \t]*(?:\s#.*)?$/u.exec(one) ?? []
    const value = quoted.replace(/^(["'])(.*)\1$/u, "$2")
    if (name === "") report(line + index, "invalid setting", "write one  NAME: VALUE  per line")
    else if (!settingNames.some((one) => one === name)) {
      const near = suggest(name, settingNames)
      report(
        line + index,
        `unknown setting \`${name}\``,
        ...(near === undefined ? [] : [didYouMean(near)]),
        `settings: ${settingNames.join(", ")}`
      )
    } else if (name === "timezone" && !isZone(value)) {
      report(line + index, `there is no time zone \`${value}\``, "use an IANA name:  timezone: Asia/Phnom_Penh")
    } else settings[name] = value
  })
  return settings
}
