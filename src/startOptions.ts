import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/** A run that reads more than this takes several seconds, and needs most of its memory for objects that do not live long. */
const large = { bytes: 32 * 1024 * 1024, files: 2000 }

/**
 * V8's limits on memory that a command needs, as options of `node`. V8 reads them only when a process starts:
 *
 * - V8 lets the space for new objects grow to 128 MB, although little of what passes through `submit`, `validate`, or a large conversion
 *   stays alive. The value is the size of each half, in MB.
 * - V8 lets the heap grow to several times its size before it collects garbage. A smaller growth takes time: 35 percent costs a conversion
 *   a tenth of it, and the commands that wait for the service nothing.
 */
export const startOptions = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const passesThrough = args.includes("submit") || args.includes("validate")
  const readsStandardInput = args.some((one, at) => one === "-" && args[at - 1]?.startsWith("-") !== true)
  if (!passesThrough && !readsStandardInput && !isLarge(args)) return []
  return passesThrough
    ? [`${spaceOption}=8`, "--heap-growing-percent=35"]
    : [`${spaceOption}=16`, "--heap-growing-percent=100"]
}

/** The option that a user may have set instead: in `NODE_OPTIONS`, or for this process. */
export const spaceOption = "--max-semi-space-size"

/** Returns whether the files and folders among the arguments are large together. Links within a folder are not followed. */
const isLarge = (args: ReadonlyArray<string>): boolean => {
  let [bytes, files] = [0, 0]
  const addFile = (size: number): boolean => {
    bytes += size
    return bytes > large.bytes || ++files > large.files
  }
  const addFolder = (folder: string): boolean =>
    readdirSync(folder, { withFileTypes: true }).some((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? addFolder(path) : entry.isFile() && addFile(statSync(path).size)
    })
  return args.some((path) => {
    try {
      const found = path.startsWith("-") ? undefined : statSync(path, { throwIfNoEntry: false })
      if (found === undefined) return false
      return found.isDirectory() ? addFolder(path) : found.isFile() && addFile(found.size)
    } catch {
      // What cannot be read is reported by the command.
      return false
    }
  })
}
