import { Effect } from "effect"
import { X509Certificate } from "node:crypto"
import { readTextFile } from "../source/read/readTextFile.ts"

/** Reads the certificates of a PEM file. Fails with every reason why the file cannot be trusted unchanged, with its source location. */
export const readCertificates = Effect.fnUntraced(function*(file: string) {
  const read = yield* readTextFile(file)
  return read._tag === "Text"
    ? certificatesOf(file, read.text)
    : { certificates: [], problems: [`the file of the certificate authority \`${file}\` cannot be read: ${read.why}`] }
})

const certificatesOf = (file: string, text: string) => {
  const certificates: Array<string> = []
  const problems: Array<string> = []
  for (const begin of text.matchAll(/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/gu)) {
    const rest = text.slice(begin.index)
    const end = /-----END (?:X509 |TRUSTED )?CERTIFICATE-----/u.exec(rest)
    const block = end === null ? rest : rest.slice(0, end.index + end[0].length)
    if (end !== null && isCertificate(block)) certificates.push(block)
    else problems.push(`${file}:${text.slice(0, begin.index).split("\n").length}: invalid certificate`)
  }
  if (certificates.length + problems.length === 0) {
    problems.push(`${file}:1: the file has no PEM certificate (-----BEGIN CERTIFICATE-----)`)
  }
  return { certificates, problems }
}

const isCertificate = (block: string): boolean => {
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}
