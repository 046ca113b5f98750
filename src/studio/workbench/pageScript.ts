import { readFile } from "node:fs/promises"
import { join } from "node:path"

/** The file name of the page's script next to the shipped program. */
const shipped = "bench-page.mjs"

/** Returns the page's script: the built file next to the shipped program, or a bundle made now when run from the sources. */
export const pageScript = async (): Promise<string> => {
  const folder = import.meta.dirname
  if (!import.meta.filename.endsWith(".ts")) return readFile(join(folder, shipped), "utf8")
  // A development dependency that the shipped program does not include.
  const builder = "rolldown"
  const { build } = await import(builder) as typeof import("rolldown")
  const { output } = await build({
    input: join(folder, "page/main.ts"),
    platform: "browser",
    write: false,
    output: { format: "esm" }
  })
  return output[0].code
}
