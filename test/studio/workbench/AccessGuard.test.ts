import { assert, describe, it } from "@effect/vitest"
import { type AccessDecision, AccessGuard, type AccessRequest } from "../../../src/studio/workbench/AccessGuard.ts"

const host = "127.0.0.1:8800"

const asking = (
  door: AccessGuard,
  { headers, ...more }: Partial<AccessRequest> = {}
): AccessDecision["_tag"] | number => {
  const answer = door.ask({ method: "GET", cookies: {}, key: undefined, ...more, headers: { host, ...headers } })
  return answer._tag === "Refused" ? answer.status : answer._tag
}

/** A door that was opened, and the cookie of the browser that opened it. */
const openDoor = () => {
  const door = new AccessGuard(8800, "/room/")
  const answer = door.ask({ method: "GET", cookies: {}, key: door.key, headers: { host } })
  assert.strictEqual(answer._tag, "Opened")
  return { door, cookies: { [door.cookieName]: answer._tag === "Opened" ? answer.cookie : "" } }
}

describe("The door of the bench", () => {
  it("a key opens once, and is dead then", () => {
    const { door } = openDoor()
    assert.strictEqual(asking(door, { key: door.key }), 403)
  })

  it("who has the cookie is known; who has none, or another, is refused", () => {
    const { cookies, door } = openDoor()
    assert.strictEqual(asking(door, { cookies }), "Known")
    assert.strictEqual(asking(door), 403)
    assert.strictEqual(asking(door, { cookies: { [door.cookieName]: `${cookies[door.cookieName]}x` } }), 403)
    assert.strictEqual(asking(door, { cookies: { [door.cookieName]: "é".repeat(43) } }), 403)
    assert.strictEqual(asking(door, { cookies: openDoor().cookies }), 403)
  })

  it("a wrong key does not use up the right one", () => {
    const door = new AccessGuard(8800, "/room/")
    assert.strictEqual(asking(door, { key: "guess" }), 403)
    assert.strictEqual(asking(door, { key: "" }), 403)
    assert.strictEqual(asking(door, { key: door.key, method: "HEAD" }), 403)
    assert.strictEqual(asking(door, { key: door.key }), "Opened")
  })

  it("a name that leads to this machine is not this machine: neither key nor cookie helps", () => {
    const { cookies, door } = openDoor()
    for (const name of ["localhost:8800", "evil.example:8800", "127.0.0.1", "127.0.0.1:8801", ""]) {
      assert.strictEqual(asking(door, { cookies, headers: { host: name } }), 403, name)
      assert.strictEqual(asking(new AccessGuard(8800, "/room/"), { key: door.key, headers: { host: name } }), 403, name)
    }
    assert.strictEqual(asking(door, { cookies, headers: { host: undefined } }), 403)
  })

  it("another page may not ask, whatever the browser sends along", () => {
    const { cookies, door } = openDoor()
    assert.strictEqual(asking(door, { cookies, headers: { origin: `http://${host}` } }), "Known")
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:8801"]) {
      assert.strictEqual(asking(door, { cookies, headers: { origin } }), 403, origin)
    }
    for (const site of ["cross-site", "same-site"]) {
      assert.strictEqual(asking(door, { cookies, headers: { "sec-fetch-site": site } }), 403, site)
    }
    assert.strictEqual(asking(door, { cookies, headers: { "sec-fetch-site": "same-origin" } }), "Known")
  })

  it("the address may be clicked on another page, where it is a page that is opened and no request of a script", () => {
    const from = { "sec-fetch-site": "cross-site" }
    const door = new AccessGuard(8800, "/room/")
    assert.strictEqual(asking(door, { key: door.key, headers: { ...from, "sec-fetch-mode": "cors" } }), 403)
    assert.strictEqual(asking(door, { key: door.key, headers: { ...from, "sec-fetch-mode": "no-cors" } }), 403)
    assert.strictEqual(asking(door, { key: door.key, headers: { ...from, "sec-fetch-mode": "navigate" } }), "Opened")
  })

  it("only the page that it opened can change a file", () => {
    const { cookies, door } = openDoor()
    const own = { origin: `http://${host}` }
    assert.strictEqual(asking(door, { cookies, method: "POST", headers: own }), "Known")
    assert.strictEqual(asking(door, { cookies, method: "POST" }), 405)
    assert.strictEqual(asking(door, { method: "POST", headers: own }), 405)
    assert.strictEqual(asking(door, { cookies, method: "POST", headers: { origin: "https://evil.example" } }), 403)
    assert.strictEqual(
      asking(door, { cookies, method: "POST", headers: { ...own, "sec-fetch-site": "cross-site" } }),
      403
    )
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      assert.strictEqual(asking(door, { cookies, method, headers: own }), 405)
    }
  })
})
