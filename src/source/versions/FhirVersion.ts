/** Versions of FHIR with records that R4 lacks or has in another form. */
export const otherVersionNames = ["STU3", "R5", "DSTU2", "R6"] as const
export type OtherVersion = typeof otherVersionNames[number]

/**
 * Returns the version of a version number (`fhirVersion`: `3.0.2`, `5.0`). `undefined` for R4 and R4B, ballots of R4, and anything that
 * is not a version.
 */
export const otherVersionOf = (text: unknown): OtherVersion | undefined => {
  const [, major, minor] =
    (typeof text === "string" ? /^\s*v?(\d+)(?:\.(\d+))?(?:\.\d+)?(?:-[\w.-]+)?\s*$/u.exec(text) : null) ?? []
  if (major === undefined) return undefined
  const number = Number(major) * 100 + Number(minor ?? 0)
  // https://hl7.org/fhir/directory.html: 0.x and 1.0 are DSTU2. 1.1 to 3.0 became STU3. 3.2 to 3.5 are R4. 4.1 and 4.3 are R4B. 4.2 and 4.4
  // to 4.6 became R5.
  if (number <= 100) return "DSTU2"
  if (number < 302) return "STU3"
  if (number <= 401 || number === 403) return undefined
  return number < 600 ? "R5" : "R6"
}

/**
 * Returns the version in a profile's address: in its path (`…/fhir/STU3/…`, `…/3.0/…`), or as the version of one of FHIR's own profiles.
 */
export const otherVersionOfProfile = (profile: unknown): OtherVersion | undefined => {
  if (typeof profile !== "string") return undefined
  const [address = "", version] = profile.split("|", 2)
  const own = /^https?:\/\/hl7\.org\/fhir\/(?:(\w[\w.]*)\/)?StructureDefinition\/[^/]+$/iu.exec(address)
  if (own !== null) return otherVersionOfName(own[1]) ?? otherVersionOf(own[1]) ?? otherVersionOf(version)
  return otherVersionOfName(/^https?:\/\/[^/]+\/(?:fhir\/)?(DSTU2|STU3|R5|R6)\//iu.exec(address)?.[1])
}

const otherVersionOfName = (name: string | undefined): OtherVersion | undefined =>
  otherVersionNames.find((version) => version === name?.toUpperCase())

/** `fhirVersion:` of a `facility.yaml`: the version that records are read as. `auto` decides for each record by its content. */
export const fhirVersions = ["auto", "4.0.1", "4.3.0", "5.0.0", "3.0.2"] as const
export type FhirVersionSetting = (typeof fhirVersions)[number]
