import { proxyPrefix } from "./proxy.ts"

/** The code of a response that is too large. */
export const tooLargeCode = "TOO_LARGE"

/** Why the other side cannot be reached. */
export interface ConnectionFailure {
  readonly why: string
  /** A retry cannot help. */
  readonly lasting: boolean
  /** The failing hop, if it is not the other side itself. */
  readonly at?: "proxy" | "certificate"
}

/** Classifies a failure by the code of its error, for every request that leaves this machine. */
export const connectionFailure = (code: string): ConnectionFailure => {
  if (code.startsWith(proxyPrefix)) return proxyFailure(code.slice(proxyPrefix.length))
  const why = describeConnectionError(code)
  return isCertificateError(code)
    ? { why, lasting: true, at: "certificate" }
    : { why, lasting: Object.hasOwn(protocols, code) }
}

const proxyFailure = (code: string): ConnectionFailure => {
  if (code === "TIMEOUT") return { why: proxySilence, lasting: false, at: "proxy" }
  const status = /^STATUS_(\d{3})$/u.exec(code)?.[1]
  if (status !== undefined) {
    const refusal = proxyRefusals[status]
    const why = `the proxy responded with status ${status}${refusal ?? ""}`
    return { why, lasting: refusal !== undefined, at: "proxy" }
  }
  const { lasting, why } = connectionFailure(code)
  return { why: `at the proxy, ${why}`, lasting, at: "proxy" }
}

/** Statuses of a proxy that a retry does not change. */
const proxyRefusals: Readonly<Record<string, string>> = {
  200: " and a page: it may require a login",
  403: ": it denies access to this address",
  407: ": it requires a user name and a password"
}

/**
 * Describes why a connection failed, by the code of the error. The message of the error is not shown, because it may hold an address or a
 * header.
 */
const describeConnectionError = (code: string): string => {
  const known = words[code]
  if (known !== undefined) return known
  const isSecured = code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || isCertificateError(code)
  const description = certificates[code] ?? protocols[code] ??
    (isSecured ? "the secured connection failed" : "the connection failed")
  return `${description} (${code})`
}

/** Whether a code is about the certificate of the other side. */
const isCertificateError = (code: string): boolean =>
  code.startsWith("ERR_TLS_CERT") || code.startsWith("CERT_") || Object.hasOwn(certificates, code)

/** Returns the code of an error, or that of its cause, up to six causes deep. */
export const errorCodeOf = (error: unknown, depth = 0): string => {
  if (typeof error !== "object" || error === null || depth > 6) return "no code"
  if ("code" in error && typeof error.code === "string" && /^[A-Z0-9_/]{3,60}$/u.test(error.code)) return error.code
  const inner = "reason" in error ? error.reason : "cause" in error ? error.cause : undefined
  return errorCodeOf(inner, depth + 1)
}

const untrusted = "the certificate is from an untrusted authority"

/** Shown with the code. */
const certificates: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted
}

const oldTls = "the other side does not support TLS 1.2 or higher"

const refusedHandshake = "the other side refused the secured connection: it may require a client certificate"

/** The two sides use different protocols, which a retry does not change. Shown with the code. */
const protocols: Readonly<Record<string, string>> = {
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the other side requires a client certificate",
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": refusedHandshake,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: refusedHandshake,
  ERR_SSL_WRONG_VERSION_NUMBER: "the port uses http, not https",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the port uses http, not https",
  ERR_SSL_HTTP_REQUEST: "the port uses http, not https",
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldTls,
  ERR_SSL_TLS_ALERT_PROTOCOL_VERSION: oldTls,
  ERR_SSL_VERSION_TOO_LOW: oldTls,
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: oldTls
}

/** Nothing came within the time limit of a connection. */
const connectSilence = "the connection timed out"

const proxySilence = "the proxy does not respond"

/** The reasons of failures in which the other side sent nothing. */
export const silences: ReadonlySet<string> = new Set([connectSilence, proxySilence, `at the proxy, ${connectSilence}`])

const words: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another name",
  [tooLargeCode]: "the response is larger than the limit",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "the host name was not found",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: connectSilence,
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: connectSilence,
  UND_ERR_HEADERS_TIMEOUT: "no response in time",
  UND_ERR_BODY_TIMEOUT: "the response stopped before its end",
  Z_BUF_ERROR: "the compressed response is cut off",
  Z_DATA_ERROR: "the compressed response is damaged"
}
