import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

let known: string | undefined

/** The folder this program is installed in: the nearest parent folder with a `package.json`, from `src/` and from `dist/`. */
export const packageFolder = (): string => {
  if (known !== undefined) return known
  let folder = import.meta.dirname
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder)
  return known = folder
}
