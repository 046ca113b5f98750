import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"

/** Yields the lines of a file of NDJSON, compressed or not, that are not blank. Memory holds one line and one chunk. */
export async function* gzipLines(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let rest = ""
  const source = createReadStream(file)
  const stream = file.endsWith(".gz") ? source.pipe(createGunzip()) : source
  if (stream !== source) source.on("error", (error) => stream.destroy(error))
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = rest + decoder.decode(chunk, { stream: true })
    const lines = text.split("\n")
    rest = lines.pop()!
    for (const line of lines) if (line.trim() !== "") yield line
  }
  if ((rest + decoder.decode()).trim() !== "") yield rest
}
