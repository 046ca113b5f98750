import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { portOf } from "../portOf.ts"
import { authority, expired, good, key, otherName } from "../service/certificates.ts"
import { scripted, token } from "../service/scripted.ts"
import { typed } from "./sandboxUser.ts"

const facilityFor = (service: string) => {
  const folder = mkdtempSync(join(tmpdir(), "unreachable-"))
  writeFileSync(join(folder, "ca.pem"), authority)
  const write = (caFile: string) =>
    writeFileSync(
      join(folder, "facility.yaml"),
      `facility: HF0001\nsystem: SYS\ntimezone: UTC\nretry: {reads: 0}\nservice: {${service}${caFile}}\n`
    )
  write("")
  return { folder, write }
}

const html = [200, "<html>sign in</html>", { "content-type": "text/html" }] as const

describe("the help of a connection failure names what can be repaired", () => {
  it.live("distinguishes a page from the token endpoint and a page from the service", () =>
    Effect.gen(function*() {
      const { url } = yield* scripted(({ path }) => path === "/oauth/token" ? html : [404])
      const { folder } = facilityFor(`baseUrl: "${url}", authUrl: "${url}"`)
      const seen = yield* typed(["beneficiary", "BC-1", "--facility", folder])
      assert.strictEqual(seen.code, 3)
      assert.include(seen.stderr, "unexpected response from the token endpoint (status 200)")
      assert.include(seen.stderr, "check FHIR2VISIT_AUTH_URL, or `service: {authUrl}`")
      assert.notInclude(seen.stderr, "BASE_URL")

      const other = yield* scripted(({ path }) => path === "/oauth/token" ? token(1) : html)
      const { folder: next } = facilityFor(`baseUrl: "${other.url}", authUrl: "${other.url}"`)
      const requested = yield* typed(["beneficiary", "BC-1", "--facility", next])
      assert.strictEqual(requested.code, 3)
      assert.include(requested.stderr, "check FHIR2VISIT_BASE_URL, or `service: {baseUrl}`")
      assert.notInclude(requested.stderr, "AUTH_URL")
    }).pipe(Effect.scoped))

  it.live("explains how to trust a certificate, and to correct it before the next run", () =>
    Effect.gen(function*() {
      for (
        const [cert, trusted, words] of [
          [good, false, "the certificate is from an untrusted authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE)"],
          [otherName, true, "the certificate is for another name"],
          [expired, true, "the certificate has expired"]
        ] as const
      ) {
        const url = yield* Effect.acquireRelease(
          Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
            const server = createServer({ key, cert })
            server.on("tlsClientError", () => {})
            server.listen(0, "127.0.0.1", () =>
              resume(Effect.succeed({
                url: `https://127.0.0.1:${portOf(server)}`,
                close: () => void server.close()
              })))
          }),
          ({ close }) => Effect.sync(close)
        )
        const { folder, write } = facilityFor(`baseUrl: "${url.url}", authUrl: "${url.url}"`)
        if (trusted) write(", caFile: ca.pem")
        const seen = yield* typed(["codes", "pull", "--facility", folder])
        assert.strictEqual(seen.code, 3, seen.stderr)
        for (
          const part of [words, "service: {caFile: ca.pem}", "NODE_EXTRA_CA_CERTS", "correct this before you run again"]
        ) {
          assert.include(seen.stderr, part)
        }
        assert.notInclude(seen.stderr, "run the same command again")
      }
    }).pipe(Effect.scoped))

  it.live("exit code 2: reports an unreadable certificate file with its setting", () =>
    Effect.gen(function*() {
      const { folder, write } = facilityFor("baseUrl: \"https://127.0.0.1:9\"")
      write(", caFile: ca.pem")
      writeFileSync(join(folder, "ca.pem"), "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n")
      const seen = yield* typed(["codes", "pull", "--facility", folder])
      assert.strictEqual(seen.code, 2, seen.stderr)
      assert.include(seen.stderr, `${join(folder, "ca.pem")}:1: invalid certificate`)
    }))
})
