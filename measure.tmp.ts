import { openBench } from "/work/wt-bench/src/cli/handlers/bench.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Fiber } from "effect"
const [, , input, fac] = process.argv
const t0 = performance.now()
const program = Effect.scoped(Effect.gen(function*() {
  const { keepUp, port, url } = yield* openBench([input!], fac, 0)
  const f = yield* Effect.forkChild(keepUp)
  yield* Effect.promise(async () => {
    const cookie = (await fetch(url)).headers.get("set-cookie")!.split(";")[0]!
    const get = async (p: string) => (await fetch(`http://127.0.0.1:${port}${p}`, { headers: { cookie } })).json()
    let list: any
    for (;;) {
      list = await get("/visits")
      if (list.listed) break
      await new Promise((r) => setTimeout(r, 50))
    }
    console.log(
      "listed",
      list.visits.length,
      Math.round(performance.now() - t0),
      "ms; ready",
      list.visits.filter((v: any) => v.ready).length,
      "rss",
      Math.round(process.memoryUsage.rss() / 1e6)
    )
    const times: any[] = []
    let wrong = 0, fields = 0, orphans = 0
    for (const v of list.visits) {
      const s = performance.now()
      const text =
        await (await fetch(`http://127.0.0.1:${port}/visit?of=${encodeURIComponent(v.key)}`, { headers: { cookie } }))
          .text()
      times.push([performance.now() - s, text.length, v.key])
      const view = JSON.parse(text)
      if (view.ready !== v.ready) wrong++
      for (const f of view.fields) {
        if (f.tale) {
          fields++
          if (f.tale.by === "path" && f.tale.found.length + f.tale.looked.length === 0 && !f.tale.minted) {
            orphans++
            if (orphans < 15) {
              console.log(
                "no element:",
                f.path,
                f.text,
                f.tale.paths.find((p: any) => p.outcome === "won").text
              )
            }
          }
        }
      }
    }
    times.sort((a, b) => b[0] - a[0])
    console.log(
      "wrong",
      wrong,
      "fields",
      fields,
      "without element",
      orphans,
      "slowest",
      times.slice(0, 3),
      "median",
      times[times.length >> 1]
    )
    console.log("rss", Math.round(process.memoryUsage.rss() / 1e6))
  })
  yield* Fiber.interrupt(f)
})).pipe(Effect.provide(NodeServices.layer))
await Effect.runPromise(program as any)
process.exit(0)
