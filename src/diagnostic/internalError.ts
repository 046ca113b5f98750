/** Describes an internal error by its kind and source location. Its message can hold a value of a record, so it is never shown. */
export const internalError = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error) return describe(String(error._tag), error)
  if (!(error instanceof Error)) return describe(typeof error, undefined)
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : ""
  return describe(`${error.name}${code}`, error)
}

const describe = (kind: string, error: unknown): string => {
  const place = error instanceof Error ? placeOf(error.stack) : undefined
  return `internal error: ${kind}${place === undefined ? "" : ` at ${place}`}`
}

/** Whether a line of a stack is in this program, which may be installed in `node_modules` itself. */
const isOurs = (line: string): boolean => {
  const folder = line.lastIndexOf("node_modules")
  return folder === -1 || /^node_modules[\\/]fhir2visit[\\/]/u.test(line.slice(folder))
}

/** Finds the first place in this program in a stack: `apply (mapping.mjs:12:7)`. */
const placeOf = (stack: string | undefined): string | undefined => {
  for (const line of stack?.split("\n") ?? []) {
    const found = /^\s+at (?:async )?(?:([\w.<>$[\] ]+) \()?(?:file:\/\/)?[^()]*?([\w.-]+\.m?[jt]s:\d+:\d+)\)?$/.exec(
      line
    )
    if (found !== null && !line.includes("node:") && isOurs(line)) {
      return found[1] === undefined ? found[2] : `${found[1]} (${found[2]})`
    }
  }
  return undefined
}
