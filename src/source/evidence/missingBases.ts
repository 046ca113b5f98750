import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Export } from "./Export.ts"

/**
 * Returns exports of changes (`_since`) without a base in the input. A base is a full export, or an export of changes with its own base.
 * Its data were read at `_since` or later, from the same server and of the same or a larger group and types.
 */
export const missingBases = (exports: ReadonlyArray<Export>): ReadonlyArray<Diagnostic> => {
  const based = new Set(exports.filter(({ since }) => since === undefined))
  let open = exports.filter(({ since }) => since !== undefined)
  for (let before = -1; before !== open.length;) {
    before = open.length
    open = open.filter((delta) => {
      if (!isBased(delta, based)) return true
      based.add(delta)
      return false
    })
  }
  const reported = new Set<string>()
  return open.flatMap(({ folder, origin, since }): ReadonlyArray<Diagnostic> => {
    // The log and the manifest of one export agree.
    const key = JSON.stringify([folder, since])
    if (reported.has(key)) return []
    reported.add(key)
    return [{
      code: "missing-base",
      severity: "error",
      title: "the export has only changes, and the export before them is not in the input",
      origin,
      facts: [["since", since ?? ""]],
      help: [
        "keep exports side by side with their logs, and convert them together:  fhir2visit convert exports/",
        "--without-base converts only the changes: visits then lack what did not change"
      ]
    }]
  })
}

/** Several exports together may have all the types. */
const isBased = (delta: Export, exports: ReadonlySet<Export>): boolean => {
  const bases = [...exports].filter((one) => isBefore(delta, one))
  const types = delta.types ?? new Set(delta.files.flatMap(({ type }) => type ?? []))
  return bases.some((one) => one.types === undefined) ||
    (types.size > 0 && [...types].every((type) => bases.some((one) => one.types?.has(type))))
}

const isBefore = (delta: Export, base: Export): boolean => {
  const [one, other] = [sourceOf(delta.url), sourceOf(base.url)]
  if (one !== undefined && other !== undefined) {
    if (one.host !== other.host) return false
    if (other.group !== undefined && other.group !== one.group) return false
  }
  const since = Date.parse(delta.since ?? "")
  const read = Date.parse(base.transactionTime ?? "")
  // A client may omit fractions of a second.
  return Number.isNaN(since) || Number.isNaN(read) || read + 1000 > since
}

/** Returns the server and the group of an export, by the address of its request. */
const sourceOf = (
  url: string | undefined
): { readonly host: string; readonly group: string | undefined } | undefined => {
  const parsed = url === undefined ? null : URL.parse(url)
  return parsed === null
    ? undefined
    : { host: parsed.host, group: /\/Group\/([^/]+)/u.exec(parsed.pathname)?.[1] }
}
