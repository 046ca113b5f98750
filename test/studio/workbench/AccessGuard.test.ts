import { assert, describe, it } from "@effect/vitest"
import {
  type AccessDecision,
  AccessGuard,
  type AccessRequest
} from "../../../src/studio/workbench/server/AccessGuard.ts"

const host = "127.0.0.1:8800"

const decide = (
  guard: AccessGuard,
  { headers, ...more }: Partial<AccessRequest> = {}
): AccessDecision["_tag"] | number => {
  const decision = guard.decide({ method: "GET", cookies: {}, key: undefined, ...more, headers: { host, ...headers } })
  return decision._tag === "Denied" ? decision.status : decision._tag
}

/** Returns a guard whose key was used, and the cookie of the browser that used it. */
const openedGuard = () => {
  const guard = new AccessGuard(8800, "/session/")
  const decision = guard.decide({ method: "GET", cookies: {}, key: guard.key, headers: { host } })
  assert.strictEqual(decision._tag, "Opened")
  return { guard, cookies: { [guard.cookieName]: decision._tag === "Opened" ? decision.cookie : "" } }
}

describe("Access to the workbench", () => {
  it("accepts the key only once", () => {
    const { guard } = openedGuard()
    assert.strictEqual(decide(guard, { key: guard.key }), 403)
  })

  it("admits requests with the cookie, and denies those without it or with another", () => {
    const { cookies, guard } = openedGuard()
    assert.strictEqual(decide(guard, { cookies }), "Known")
    assert.strictEqual(decide(guard), 403)
    assert.strictEqual(decide(guard, { cookies: { [guard.cookieName]: `${cookies[guard.cookieName]}x` } }), 403)
    assert.strictEqual(decide(guard, { cookies: { [guard.cookieName]: "é".repeat(43) } }), 403)
    assert.strictEqual(decide(guard, { cookies: openedGuard().cookies }), 403)
  })

  it("still accepts the right key after a wrong one", () => {
    const guard = new AccessGuard(8800, "/session/")
    assert.strictEqual(decide(guard, { key: "guess" }), 403)
    assert.strictEqual(decide(guard, { key: "" }), 403)
    assert.strictEqual(decide(guard, { key: guard.key, method: "HEAD" }), 403)
    assert.strictEqual(decide(guard, { key: guard.key }), "Opened")
  })

  it("denies requests under another host name, even with the key or the cookie", () => {
    const { cookies, guard } = openedGuard()
    for (const name of ["localhost:8800", "evil.example:8800", "127.0.0.1", "127.0.0.1:8801", ""]) {
      assert.strictEqual(decide(guard, { cookies, headers: { host: name } }), 403, name)
      assert.strictEqual(
        decide(new AccessGuard(8800, "/session/"), { key: guard.key, headers: { host: name } }),
        403,
        name
      )
    }
    assert.strictEqual(decide(guard, { cookies, headers: { host: undefined } }), 403)
  })

  it("denies requests from other pages, even with the cookie", () => {
    const { cookies, guard } = openedGuard()
    assert.strictEqual(decide(guard, { cookies, headers: { origin: `http://${host}` } }), "Known")
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:8801"]) {
      assert.strictEqual(decide(guard, { cookies, headers: { origin } }), 403, origin)
    }
    for (const site of ["cross-site", "same-site"]) {
      assert.strictEqual(decide(guard, { cookies, headers: { "sec-fetch-site": site } }), 403, site)
    }
    assert.strictEqual(decide(guard, { cookies, headers: { "sec-fetch-site": "same-origin" } }), "Known")
  })

  it("accepts the address as a link on another page, but not as a request of a script", () => {
    const from = { "sec-fetch-site": "cross-site" }
    const guard = new AccessGuard(8800, "/session/")
    assert.strictEqual(decide(guard, { key: guard.key, headers: { ...from, "sec-fetch-mode": "cors" } }), 403)
    assert.strictEqual(decide(guard, { key: guard.key, headers: { ...from, "sec-fetch-mode": "no-cors" } }), 403)
    assert.strictEqual(decide(guard, { key: guard.key, headers: { ...from, "sec-fetch-mode": "navigate" } }), "Opened")
  })

  it("allows only the opened page to change a file", () => {
    const { cookies, guard } = openedGuard()
    const own = { origin: `http://${host}` }
    assert.strictEqual(decide(guard, { cookies, method: "POST", headers: own }), "Known")
    assert.strictEqual(decide(guard, { cookies, method: "POST" }), 405)
    assert.strictEqual(decide(guard, { method: "POST", headers: own }), 405)
    assert.strictEqual(decide(guard, { cookies, method: "POST", headers: { origin: "https://evil.example" } }), 403)
    assert.strictEqual(
      decide(guard, { cookies, method: "POST", headers: { ...own, "sec-fetch-site": "cross-site" } }),
      403
    )
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      assert.strictEqual(decide(guard, { cookies, method, headers: own }), 405)
    }
  })
})
