/** The code of an answer that is too large. */
export const tooLargeCode = "TOO_LARGE"

/** Returns in words why a connection failed, by the code of the error: texts of the layers below may hold an address or a header. */
export const causeOf = (code: string): string =>
  words[code] ?? certificates[code] ?? protocols[code] ??
    (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || isCertificateFault(code)
      ? `the secured connection failed (${code})`
      : `the connection failed (${code})`)

/** Whether a code is about the certificate of the other side. */
export const isCertificateFault = (code: string): boolean =>
  code.startsWith("ERR_TLS_CERT") || code.startsWith("CERT_") || Object.hasOwn(certificates, code)

/** Whether a code says that the two sides speak different protocols, which a retry does not change. */
export const isProtocolFault = (code: string): boolean => Object.hasOwn(protocols, code)

/** Returns the code of an error, or that of its cause. */
export const faultCodeOf = (error: unknown, depth = 0): string => {
  if (typeof error !== "object" || error === null || depth > 6) return "no code"
  if ("code" in error && typeof error.code === "string" && /^[A-Z0-9_]{3,60}$/u.test(error.code)) return error.code
  const inner = "reason" in error ? error.reason : "cause" in error ? error.cause : undefined
  return faultCodeOf(inner, depth + 1)
}

const notTrusted = (code: string): string => `the certificate is of an authority that is not trusted (${code})`

const certificates: Readonly<Record<string, string>> = {
  ...Object.fromEntries([
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"
  ].map((code) => [code, notTrusted(code)])),
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another name"
}

const plainHttp = (code: string): string => `the port speaks plain http, and not https (${code})`
const oldTls = (code: string): string => `the other side takes no TLS version from 1.2 on (${code})`

const wantsCertificate = (code: string): string => `the other side requires a client certificate (${code})`

const protocols: Readonly<Record<string, string>> = Object.fromEntries([
  ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", wantsCertificate("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED")],
  ...["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "ERR_SSL_HTTP_REQUEST"].map((
    code
  ) => [code, plainHttp(code)]),
  ...[
    "ERR_SSL_UNSUPPORTED_PROTOCOL",
    "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    "ERR_SSL_TLS_ALERT_PROTOCOL_VERSION",
    "ERR_SSL_VERSION_TOO_LOW",
    "ERR_SSL_NO_PROTOCOLS_AVAILABLE"
  ].map((code) => [code, oldTls(code)])
])

/** Nothing came within the time for connecting. */
export const connectSilence = "the connection timed out"

const words: Readonly<Record<string, string>> = {
  [tooLargeCode]: "the answer is larger than the limit",
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
