import { join, resolve, sep } from "node:path"
import { packageFolder } from "../packageFolder.ts"

/** A range in a text file: where a mapping line, a setting or a table row is written. Lines and columns count from 1. */
export interface Span {
  /** File name as the user gave it, relative if the user gave a relative one. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Exclusive end on the line where `column` starts; the carets cover `column` to here. */
  readonly endColumn: number
}

/**
 * Returns a file name as messages show it. A mapping of the package is shown by its name, such as `fhir-r4/visit.yaml`. If the working
 * folder is the package itself, it is shown like other files.
 */
export const shownFile = (file: string): string => {
  const shipped = join(packageFolder(), "mappings") + sep
  const path = resolve(file)
  return path.startsWith(shipped) && process.cwd() !== packageFolder()
    ? path.slice(shipped.length).replaceAll(sep, "/")
    : file
}

/** Returns a place as messages show it: `fhir-r4/visit.yaml:28:7`. */
export const spanText = ({ column, file, line }: Pick<Span, "file" | "line" | "column">): string =>
  `${shownFile(file)}:${line}:${column}`
