import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/** The size of an input. */
interface Size {
  readonly bytes: number
  readonly files: number
}

/** A run that reads more than this takes several seconds, and needs most of its memory for objects that do not live long. */
const large: Size = { bytes: 32 * 1024 * 1024, files: 2000 }

/** A conversion of more than this takes so long that a new start, 20 ms, does not count. */
const medium: Size = { bytes: 4 * 1024 * 1024, files: 2000 }

/**
 * V8's options that a command needs, as options of `node`. V8 reads them only when a process starts:
 *
 * - V8 lets the space for new objects grow to 128 MB, although little of what passes through `submit`, `validate`, or a large conversion
 *   stays alive. The value is the size of each half, in MB.
 * - V8 lets the heap grow to several times its size before it collects garbage. A smaller growth takes time: 35 percent costs a conversion
 *   a tenth of it, and the commands that wait for the service nothing.
 * - V8 compiles a function thoroughly after 3,000 calls. A conversion has many functions that reach this number, and few that are called
 *   often enough to be worth it. A number ten times as high takes 3 to 14 percent less time.
 */
export const startOptions = (
  args: ReadonlyArray<string>,
  v8: string = process.versions.v8
): ReadonlyArray<string> => {
  const passesThrough = args.includes("submit") || args.includes("validate")
  if (passesThrough) return ["--max-semi-space-size=8", "--heap-growing-percent=35"]
  const readsStandardInput = args.some((one, at) => one === "-" && args[at - 1]?.startsWith("-") !== true)
  const compiling = args.includes("convert") && hasCallCount.test(v8) ? ["--invocation-count-for-turbofan=30000"] : []
  if (readsStandardInput || isLargerThan(large, args)) {
    return ["--max-semi-space-size=16", "--heap-growing-percent=100", ...compiling]
  }
  return compiling.length > 0 && isLargerThan(medium, args) ? compiling : []
}

/** The versions of V8 that are known to have the option. Node does not start with an unknown option. */
const hasCallCount = /^1[34]\./u

/** Returns the options that are not set yet: by the user, or by the start before this one. Starting again with those would never end. */
export const withoutSet = (options: ReadonlyArray<string>, set: string): ReadonlyArray<string> =>
  options.filter((option) => !set.includes(option.replace(/=.*/u, "")))

/** Returns whether the files and folders among the arguments are together larger than a size. Links within a folder are not followed. */
const isLargerThan = (size: Size, args: ReadonlyArray<string>): boolean => {
  let [bytes, files] = [0, 0]
  const addFile = (more: number): boolean => {
    bytes += more
    return bytes > size.bytes || ++files > size.files
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
