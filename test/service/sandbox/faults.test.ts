import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { at } from "../../../src/at.ts"
import { faultWords, parseFaults, shouldInject } from "../../../src/service/sandbox/Faults.ts"
import { present } from "../../present.ts"
import { RecordingClock } from "../../RecordingClock.ts"
import { getToken, headersOf, post, type Reply } from "./client.ts"
import { sampleVisit } from "./sampleVisit.ts"
import { withSandbox } from "./withSandbox.ts"

/** Waits until something is so; the test's own time limit ends it. */
const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

const faults = (text: string) => Result.getOrThrow(parseFaults(text))

describe("faults", () => {
  it("parses one line", () => {
    assert.deepStrictEqual(faults("drop-after=0.1, 500-after@visits=0.05,429@token=1,seed=7,delay-ms=20"), {
      faults: [
        { word: "drop-after", place: "visits", rate: 0.1 },
        { word: "500-after", place: "visits", rate: 0.05 },
        { word: "429", place: "token", rate: 1 }
      ],
      seed: 7,
      delayMillis: 20
    })
  })

  it("rejects unknown words and lists the known ones", () => {
    for (const text of ["drop=0.1", "drop-after", "drop-after=2", "drop-after@moon=0.1", "seed=x", "=1", "seed=1.5"]) {
      const result = parseFaults(text)
      assert.isTrue(Result.isFailure(result), text)
      if (Result.isFailure(result) && !text.startsWith("seed") && text !== "drop-after=2") {
        for (const word of Object.keys(faultWords)) assert.include(result.failure, word)
      }
    }
  })

  it("injects the same faults for a seed, at about the stated rate", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 100 }), (seed, percent) => {
        const set = faults(`drop-after=${percent / 100},seed=${seed}`)
        const struck = () =>
          Array.from({ length: 400 }, (_, n) => shouldInject(set, at(set.faults, 0), `visits\n${n}`, 1)).filter(Boolean)
            .length
        assert.strictEqual(struck(), struck())
        assert.isBelow(Math.abs(struck() / 400 - percent / 100), 0.13)
      }),
      { numRuns: 50 }
    )
  })

  const cases: ReadonlyArray<readonly [spec: string, expected: string, stored: number]> = [
    ["500-before=1", "500", 0],
    ["500-after=1", "500", 1],
    ["503=1", "503", 0],
    ["429=1", "429", 0],
    ["429-bare=1", "429", 0],
    ["html=1", "200", 0],
    ["html-after=1", "200", 1],
    ["expire=1", "401", 0],
    ["partial=1", "200", 1],
    ["delay=1,delay-ms=120", "200", 1],
    ["truncated=1", "dropped", 1],
    ["slow-body=1,delay-ms=120", "200", 1],
    ["wrong-type=1", "200", 1],
    ["burst=1", "503", 0],
    ["revoke=1", "401", 0],
    ["restart=1,delay-ms=50", "dropped", 0],
    ["drop-before=1", "dropped", 0],
    ["drop-after=1", "dropped", 1],
    ["500-before@processed=1", "200", 1]
  ]
  for (const [spec, expected, count] of cases) {
    it(`${spec}: ${expected}, ${count} stored`, () => {
      const clock = new RecordingClock()
      return withSandbox({ faults: faults(spec) }, async ({ stats, url, visits }) => {
        const headers = headersOf(await getToken(url))
        const answer: Reply | null = await post(url, [sampleVisit(1)], headers).catch(() => null)
        assert.strictEqual(answer === null ? "dropped" : String(answer.status), expected)
        const stored = await Effect.runPromise(visits)
        assert.strictEqual(stored.length, count)
        if (spec.startsWith("delay")) assert.include(clock.waits, 120)
        if (spec.startsWith("slow")) assert.isAtLeast(clock.waits.filter((millis) => millis === 15).length, 7)
        if (spec.startsWith("slow")) assert.isTrue(answer?.json.success)
        if (spec.startsWith("wrong")) assert.match(answer?.headers.get("content-type") ?? "", /^text\/html/u)
        if (spec.startsWith("partial")) assert.strictEqual(answer?.data["status"], 3)
        if (spec.startsWith("html")) assert.include(present(answer).text, "<!doctype html>")
        if (spec === "429=1") {
          assert.strictEqual(answer?.headers.get("retry-after"), "1")
          assert.strictEqual(answer?.headers.get("x-ratelimit-remaining"), "0")
        }
        if (spec === "429-bare=1") assert.isNull(present(answer).headers.get("x-ratelimit-remaining"))
        const seen = await Effect.runPromise(stats)
        assert.strictEqual(seen.requests["POST /api/v1/external/visits"]?.[expected], 1)
        if (!spec.includes("@")) assert.deepStrictEqual(seen.faults, { [at(spec.split("="), 0)]: 1 })
      }, clock)
    })
  }

  it("applies a burst to the next requests, and then ends", () =>
    withSandbox({ faults: faults("burst=0.4,seed=2") }, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      const answers: Array<number> = []
      for (let n = 0; n < 24; n++) answers.push((await post(url, [sampleVisit(n)], headers)).status)
      const seen = answers.map((status) => status === 503 ? "x" : ".").join("")
      assert.match(seen, /^\.*(?:x{5})+\.+(?:x{5})/u)
    }))

  it("rejects a revoked token and its refresh token; accepts requests again after a restart", () =>
    withSandbox({ faults: faults("revoke=0.5,restart@processed=1,delay-ms=50,seed=5") }, async ({ url }) => {
      const token = await getToken(url)
      for (let n = 0; n < 10; n++) await post(url, [sampleVisit(n)], headersOf(token))
      assert.strictEqual((await post(url, [sampleVisit(1)], headersOf(token))).status, 401)
      const again = headersOf(await getToken(url))
      const list = () => fetch(`${url}/api/v1/external/visits/processed`, { headers: again })
      assert.isNull(await list().catch(() => null))
      const back = () => getToken(url).catch(() => null)
      await until(async () => typeof await back() === "string")
    }))

  it("an `after` fault does not hide a refusal, and a repeated request can succeed", () =>
    withSandbox({ faults: faults("drop-after=0.5,seed=3") }, async ({ url, visits }) => {
      const headers = headersOf(await getToken(url))
      for (let n = 0; n < 20; n++) {
        for (let time = 0; time < 3; time++) await post(url, [sampleVisit(n)], headers).catch(() => null)
      }
      assert.strictEqual((await Effect.runPromise(visits)).length, 20)
      const refused = await post(url, [sampleVisit(1, { code: null })], headers)
      assert.strictEqual(refused.status, 422)
    }))

  it("completes a started request although the client has gone", () =>
    withSandbox({ faults: faults("delay=1,delay-ms=150") }, async ({ url, visits }) => {
      const headers = headersOf(await getToken(url))
      const gone = await fetch(`${url}/api/v1/external/visits`, {
        method: "POST",
        headers,
        body: JSON.stringify({ visits: [sampleVisit(1)] }),
        signal: AbortSignal.timeout(50)
      }).catch(() => "gone")
      assert.strictEqual(gone, "gone")
      await until(async () => (await Effect.runPromise(visits)).length === 1)
    }))
})
