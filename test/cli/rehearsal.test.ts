import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layerRehearsal } from "../../src/cli/facility/service.ts"
import { Sandbox } from "../../src/service/sandbox/Sandbox.ts"

const status = (url: string, init?: RequestInit) => Effect.promise(async () => (await fetch(url, init)).status)

const token = (url: string, word: (name: string) => string) =>
  status(`${url}/oauth/token`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "password",
      username: word("username"),
      password: word("password"),
      client_id: word("clientId"),
      client_secret: word("clientSecret")
    })
  })

describe("the service of a rehearsal", () => {
  it.live("has no pages, and gives no token to other users of the machine", () =>
    Effect.gen(function*() {
      const { url, user } = Context.get(yield* Layer.build(layerRehearsal), Sandbox)
      for (const path of ["/sandbox", "/sandbox/visits", "/sandbox/visits/V-1", "/sandbox/stats"]) {
        assert.strictEqual(yield* status(url + path), 404, path)
      }
      assert.notStrictEqual(yield* token(url, () => "sandbox"), 200)
      const own: Readonly<Record<string, unknown>> = { ...user }
      assert.strictEqual(yield* token(url, (name) => String(own[name])), 200)
      const other = Context.get(yield* Layer.build(layerRehearsal), Sandbox)
      assert.notStrictEqual(other.user.password, user.password)
    }).pipe(Effect.scoped))

  it.live("of the command sandbox shows its pages only with the key", () =>
    Effect.gen(function*() {
      const { url } = Context.get(yield* Layer.build(Sandbox.layer({ pages: { key: "k-1" } })), Sandbox)
      for (const path of ["/sandbox", "/sandbox/visits", "/sandbox/stats", "/%73andbox/visits", "//sandbox/visits"]) {
        assert.notStrictEqual(yield* status(url + path), 200, path)
        assert.notStrictEqual(yield* status(`${url}${path}?key=k-2`), 200, path)
      }
      assert.strictEqual(yield* status(`${url}/sandbox/visits?key=k-1`), 200)
      assert.strictEqual(yield* status(`${url}/sandbox/visits/V-1?key=k-1`), 404)
      assert.strictEqual(yield* status(`${url}/sandbox/visits/V-1`), 403)
      assert.strictEqual(yield* status(`${url}/openapi.json`), 200)
    }).pipe(Effect.scoped))
})
