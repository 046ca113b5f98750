/** The code of a response that is too large. */
export const tooLargeCode = "TOO_LARGE"

/**
 * Describes why a connection failed, by the code of the error. The message of the error is not shown, because it may hold an address or a
 * header.
 */
export const describeConnectionError = (code: string): string => {
  const known = words[code]
  if (known !== undefined) return known
  const isSecured = code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || isCertificateError(code)
  const description = certificates[code] ?? protocols[code] ??
    (isSecured ? "the secured connection failed" : "the connection failed")
  return `${description} (${code})`
}

/** Whether a code is about the certificate of the other side. */
export const isCertificateError = (code: string): boolean =>
  code.startsWith("ERR_TLS_CERT") || code.startsWith("CERT_") || Object.hasOwn(certificates, code)

/** Whether a code means that the two sides use different protocols, which a retry does not change. */
export const isProtocolError = (code: string): boolean => Object.hasOwn(protocols, code)

/** Returns the code of an error, or that of its cause, up to six causes deep. */
export const errorCodeOf = (error: unknown, depth = 0): string => {
  if (typeof error !== "object" || error === null || depth > 6) return "no code"
  if ("code" in error && typeof error.code === "string" && /^[A-Z0-9_]{3,60}$/u.test(error.code)) return error.code
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

/** Shown with the code. */
const protocols: Readonly<Record<string, string>> = {
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the other side requires a client certificate",
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
export const connectSilence = "the connection timed out"

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
  UND_ERR_CONNECT_TIMEOUT: connectSilence
}
