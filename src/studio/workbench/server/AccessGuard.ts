import { randomBytes, timingSafeEqual } from "node:crypto"

/** The parts of a request that decide whether it is admitted. */
export interface AccessRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly cookies: Readonly<Record<string, string | undefined>>
  /** The key in the address, if it has one. */
  readonly key: string | undefined
}

export type AccessDecision =
  /** The key is accepted: the browser receives the cookie. */
  | { readonly _tag: "Opened"; readonly cookie: string }
  | { readonly _tag: "Known" }
  | { readonly _tag: "Denied"; readonly status: 403 | 405; readonly why: string }

const denied = (why: string, status: 403 | 405 = 403): AccessDecision => ({ _tag: "Denied", status, why })

/**
 * Decides who has access. Every address begins with a random prefix, and the cookie is limited to that path. A browser
 * sends it to no other local program, although cookies ignore ports. The key is valid once, for one browser, which the cookie identifies.
 * A web page cannot send requests, whatever host name it uses for this machine; neither can another user of the machine.
 */
export class AccessGuard {
  readonly key = randomBytes(32).toString("base64url")
  /** The prefix of every address: `/NAME/`. */
  readonly sessionPath: string
  readonly cookieName: string
  readonly #cookie = randomBytes(32).toString("base64url")
  readonly #host: string
  #used = false

  constructor(port: number, sessionPath: string) {
    this.#host = `127.0.0.1:${port}`
    this.sessionPath = sessionPath
    this.cookieName = `fhir2visit-bench-${port}`
  }

  get url(): string {
    return `http://${this.#host}${this.sessionPath}?key=${this.key}`
  }

  decide({ cookies, headers, key, method }: AccessRequest): AccessDecision {
    if (headers["host"] !== this.#host) {
      return denied("Requests must come from this machine and use the address 127.0.0.1.")
    }
    if (headers["origin"] !== undefined && headers["origin"] !== `http://${this.#host}`) {
      return denied("Requests from other pages are denied.")
    }
    const known = isEqual(cookies[this.cookieName], this.#cookie)
    const site = headers["sec-fetch-site"]
    const isOpening = key !== undefined && headers["sec-fetch-mode"] === "navigate"
    if (site !== undefined && site !== "same-origin" && site !== "none" && !isOpening) {
      return denied("Requests from other pages are denied.")
    }
    // Only the page itself can change a file: a browser names the origin of every POST.
    const isRead = method === "GET" || method === "HEAD"
    if (!isRead && (method !== "POST" || headers["origin"] === undefined || !known)) {
      return denied("Only the open page can change a file.", 405)
    }
    if (known) return { _tag: "Known" }
    if (key === undefined) return denied("Open the address that the program printed.")
    if (this.#used) return denied("This key has been used. Start the program again to get a new one.")
    if (method !== "GET" || !isEqual(key, this.key)) return denied("The key is wrong.")
    this.#used = true
    return { _tag: "Opened", cookie: this.#cookie }
  }
}

/** Returns a random path prefix. */
export const newSessionPath = (): `/${string}/` => `/${randomBytes(16).toString("base64url")}/`

const isEqual = (given: string | undefined, right: string): boolean => {
  const one = Buffer.from(given ?? "")
  const other = Buffer.from(right)
  return one.length === other.length && timingSafeEqual(one, other)
}
