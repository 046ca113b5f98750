import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Fiber, Tracer } from "effect"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openWorkbench } from "../../../src/cli/commands/workbench/workbench.ts"
import { present } from "../../present.ts"

/** A facility with an overlay of its own, and records to go with it (a sample's, unless given), in a temporary folder. */
export const trialFolder = (overlay: string, records?: ReadonlyArray<object>) => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const mapping = join(folder, "mapping.yaml")
  if (records === undefined) cpSync("samples/clinic-day/input", join(folder, "input"), { recursive: true })
  else {
    mkdirSync(join(folder, "input"))
    writeFileSync(join(folder, "input", "records.ndjson"), records.map((record) => JSON.stringify(record)).join("\n"))
  }
  writeFileSync(
    join(folder, "facility.yaml"),
    "facility: HF0004\nsystem: TRIAL\ntimezone: Asia/Phnom_Penh\nmapping: mapping.yaml\n"
  )
  writeFileSync(mapping, overlay)
  return {
    folder,
    input: join(folder, "input"),
    mapping,
    /** Replaces words of the overlay, as an editor would. */
    edit: (from: string, to: string): void => replaced(mapping, from, to),
    editSettings: (from: string, to: string): void => replaced(join(folder, "facility.yaml"), from, to),
    remove: () => rmSync(folder, { recursive: true })
  }
}

/** The bench, open on a free port; its spans go to a tracer. */
export const opened = async (input: string, facility: string) => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  let open: (address: { readonly url: string; readonly port: number }) => void
  const address = new Promise<{ readonly url: string; readonly port: number }>((resolve) => {
    open = resolve
  })
  const running = Effect.runFork(
    Effect.scoped(Effect.gen(function*() {
      const { keepUp, port, url } = yield* openWorkbench([input], facility, 0)
      open({ url, port })
      return yield* keepUp
    })).pipe(Effect.provide(NodeServices.layer), Effect.provideService(Tracer.Tracer, tracer))
  )
  const failed = Effect.runPromise(Fiber.join(running))
  return {
    ...await Promise.race([address, failed]),
    spans: () => spans.map(({ attributes, name }) => `${name} ${JSON.stringify([...attributes])}`),
    close: () => Effect.runPromise(Fiber.interrupt(running))
  }
}

/** The cookie that the key of an address opens for. */
export const cookieOf = async (url: string): Promise<string> => {
  const response = await fetch(url)
  const [cookie = ""] = present(response.headers.get("set-cookie")).split(";")
  return cookie
}

/** An address of the bench, by its path. */
export const inRoom = (url: string, path: string): string => new URL(`.${path}`, url).href

/** The JSON at a path of the bench, of the type that `Wire.ts` declares for it. */
export const getJson = async <A>(url: string, path: string, cookie: string): Promise<A> => {
  const response = await fetch(inRoom(url, path), { headers: { cookie }, redirect: "manual" })
  return JSON.parse(await response.text())
}

/** The statuses that the page receives, until one is as expected. */
export const news = async <A>(
  url: string,
  cookie: string,
  isIt: (status: A) => boolean
): Promise<ReadonlyArray<A>> => {
  const stop = new AbortController()
  const response = await fetch(inRoom(url, "/events"), { headers: { cookie }, signal: stop.signal })
  const seen: Array<A> = []
  let rest = ""
  for await (const text of present(response.body).pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n\n")
    rest = parts.pop() ?? ""
    for (const part of parts) seen.push(JSON.parse(part.replace(/^data: /u, "")))
    if (seen.some(isIt)) break
  }
  stop.abort()
  return seen
}

const replaced = (file: string, from: string, to: string): void => {
  const text = readFileSync(file, "utf8")
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
  writeFileSync(file, text.replace(from, to))
}
