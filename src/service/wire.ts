/** The spellings, sentences and numbers of the interface (specification §2 to §9), each written once. */

/** The path of each endpoint below its host (§4). The standard data is documented under two paths (§4.3). */
export const paths = {
  token: "/oauth/token",
  standardData: "/api/v1/external/common/standard-data",
  standardDataShort: "/v1/external/common/standard-data",
  beneficiary: "/api/v1/external/beneficiary/search",
  visits: "/api/v1/external/visits",
  processed: "/api/v1/external/visits/processed"
} as const

/** Header names in lower case, as they are compared (§4.1, §8). */
export const headerNames = {
  systemCode: "x-system-code",
  facilityCode: "x-health-facility-code",
  limit: "x-ratelimit-limit",
  remaining: "x-ratelimit-remaining",
  reset: "x-ratelimit-reset",
  retryAfter: "retry-after",
  date: "date"
} as const

/** The key of the identifier of a submission, as §4.5 spells it. */
export const uuidKey = "uuld"

/** The spelling of `title` in one element of the documented imagery sample (§2.6). It is sent only if the facility requires it. */
export const misspeltTitle = "tilte"

/** The values of `data.status` (§3). */
export const stored = 1
export const partlyStored = 3

/** The sentences of §4.5 and §7. */
export const sentences = {
  saved: "Save successfully",
  unauthenticated: "Unauthenticated",
  invalidToken: "Invalid or expired token",
  accessDenied: "Access denied",
  notThisFacility: "You are not allowed to create visits for this facility",
  invalidRequest: "Invalid request data",
  fieldRequired: (field: string) => `The ${field} field is required.`,
  alreadySubmitted: (visitCode: string) => `Submit is blocked: Visit Code ${visitCode} has already been submitted.`,
  admissionDateChanged: "Submit blocked. Admission date must match the original date.",
  admissionTimeTaken:
    "Submit is blocked: an existing visit with the same admission time was found. The submission is rejected to prevent abnormal claims.",
  serverError: "Internal server error",
  unexpectedError: "An unexpected error occurred"
} as const

/** The OAuth error codes of §7. */
export const oauthErrors = ["invalid_request", "invalid_client", "invalid_grant", "unauthorized", "forbidden"] as const

/** Maximum of requests in a time range (§8). */
export interface Limit {
  readonly count: number
  readonly windowMillis: number
}

/** Token requests for each address, data requests for each user (§8). */
export const documentedLimits: { readonly token: Limit; readonly data: Limit } = {
  token: { count: 60, windowMillis: 60_000 },
  data: { count: 1000, windowMillis: 3_600_000 }
}

/** Lifetime of an access token in seconds (§2.2, §5). */
export const documentedExpiresIn = 172_800

/** Default records per page (§8). */
export const defaultPerPage = { standardData: 100, processed: 10 } as const

/** The parameter with the page number. The specification does not list it (§4.3, §4.6); it is the common name in such services. */
export const pageParameter = "page"
