import { globSync, readFileSync } from "node:fs"

/** Wording that no sentence of this project needs, with what to write instead. */
const patterns: ReadonlyArray<readonly [found: RegExp, instead: string]> = [
  [/\bunless (said|told)\b/iu, "(default: X)"],
  [/\bwhat (came|comes|became|becomes) of\b/iu, "the result, the outcome"],
  [/\b(is|are) (not )?told\b(?! (to|on|apart)\b)/iu, "is reported"],
  [/\banew\b|\bonce more\b/iu, "again"],
  [/\bput aside\b/iu, "spilled"],
  [/\b(is|are|not) at hand\b/iu, "available, downloaded"],
  [/\bwritten otherwise\b/iu, "differs from, does not match"],
  [/\bis there twice\b/iu, "duplicate"],
  [/\b(be|is to be) had\b/iu, "available"],
  [/\bif need be\b/iu, "if needed"]
]

const hits = globSync(["README.md", "{src,mappings,docs/problems}/**/*.{ts,tsx,yaml,md}"]).flatMap((file) =>
  readFileSync(file, "utf8").split("\n").flatMap((line, at) =>
    patterns.flatMap(([pattern, instead]) => {
      const found = pattern.exec(line)
      return found === null ? [] : [`${file}:${at + 1}: "${found[0]}": write ${instead}`]
    })
  )
)
for (const hit of hits) console.error(hit)
process.exitCode = hits.length === 0 ? 0 : 1
