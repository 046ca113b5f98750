import { readFile } from "node:fs/promises"
import { join } from "node:path"

/** The name under which the page's script stands beside the program that is shipped. */
const shipped = "bench-page.mjs"

/** The script of the page: beside the program as the build put it together; from the sources it is put together now. */
export const pageScript = async (): Promise<string> => {
  const folder = import.meta.dirname
  if (!import.meta.filename.endsWith(".ts")) return readFile(join(folder, shipped), "utf8")
  // A tool of this repository, which the program that is shipped does not bring along.
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
