import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { packageFolder } from "../packageFolder.ts"

/** The mappings that the program includes, by name: `mappings/NAME.yaml` and `mappings/NAME/mapping.yaml`. */
export const shippedMappings = (): ReadonlyMap<string, string> => {
  const folder = join(packageFolder(), "mappings")
  const found = new Map<string, string>()
  if (!existsSync(folder)) return found
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && /\.ya?ml$/.test(entry.name)) {
      found.set(entry.name.replace(/\.ya?ml$/, ""), join(folder, entry.name))
    } else if (entry.isDirectory() && existsSync(join(folder, entry.name, "mapping.yaml"))) {
      found.set(entry.name, join(folder, entry.name, "mapping.yaml"))
    }
  }
  return found
}
