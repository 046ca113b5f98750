import { Schema } from "effect"
import {
  HttpApi,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  HttpApiSecurity,
  OpenApi
} from "effect/http-api"
import { referenceListTypes } from "../visit/Field.ts"
import { SubmissionRequest } from "../visit/Visit.ts"
import {
  TokenErrorResponse,
  TokenForbidden,
  TokenLimitReached,
  TokenRequest,
  TokenResponse,
  TokenUnauthorized
} from "./auth/OAuth.ts"
import { Beneficiary } from "./Beneficiary.ts"
import {
  AccessDeniedResponse,
  NotFoundResponse,
  ServerErrorResponse,
  succeeded,
  TooManyRequestsResponse,
  UnauthenticatedResponse,
  UnprocessableResponse
} from "./responses/Envelope.ts"
import { Page, ProcessedItem, StandardItem } from "./responses/Page.ts"
import { headerNames, pageParameter, partlyStored, paths, stored, uuidKey } from "./wire.ts"

/** Checks that the token and the two codes of §4.1 are valid for the request. 401 comes before 429, 429 before 403. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()("fhir2visit/service/Authorization", {
  security: { bearer: HttpApiSecurity.bearer },
  error: [UnauthenticatedResponse, TooManyRequestsResponse, AccessDeniedResponse]
}) {}

/** Query parameters that cannot be read are a request validation failure (§7). */
export class RequestValidation
  extends HttpApiMiddleware.Service<RequestValidation>()("fhir2visit/service/RequestValidation", {
    error: UnprocessableResponse
  })
{}

const codes = {
  [headerNames.systemCode]: Schema.String.annotate({ description: "Issued by the operator." }).pipe(
    Schema.brand("SystemCode")
  ),
  [headerNames.facilityCode]: Schema.String.annotate({ description: "Issued by the operator." }).pipe(
    Schema.brand("FacilityCode")
  )
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const paging = {
  per_page: Schema.optionalKey(Count),
  [pageParameter]: Schema.optionalKey(Count.annotate({ description: "Not listed in the specification." }))
}

const Day = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u)).annotate({ description: "YYYY-MM-DD" })

/** The response to a stored submission (§4.5). */
const SubmissionResult = Schema.Struct({
  status: Schema.Literals([stored, partlyStored]),
  [uuidKey]: Schema.String,
  visit_code: Schema.String
}).annotate({ identifier: "SubmissionResult" })

const Token = HttpApiEndpoint.post("token", paths.token, {
  payload: TokenRequest,
  success: TokenResponse,
  error: [TokenErrorResponse, TokenUnauthorized, TokenForbidden, TokenLimitReached]
}).annotateMerge(OpenApi.annotations({ summary: "Issue or refresh a token (§4.2)" }))

const standardQuery = {
  type: Schema.Literals(referenceListTypes),
  ...paging,
  query: Schema.optionalKey(Schema.String)
}
export type StandardQuery = Schema.Struct.Type<typeof standardQuery>

const standardData = {
  query: standardQuery,
  success: succeeded(Page(StandardItem))
}
const StandardData = HttpApiEndpoint.get("standardData", paths.standardData, standardData)
  .annotateMerge(OpenApi.annotations({ summary: "Standard data, public (§4.3)" }))
const StandardDataShort = HttpApiEndpoint.get("standardDataShort", paths.standardDataShort, standardData)
  .annotateMerge(OpenApi.annotations({ summary: "Standard data, public, by its other path (§4.3)" }))

const SearchBeneficiary = HttpApiEndpoint.get("beneficiary", paths.beneficiary, {
  headers: codes,
  query: { card_number: Schema.NonEmptyString },
  success: succeeded(Beneficiary),
  error: [NotFoundResponse, ServerErrorResponse]
}).annotateMerge(OpenApi.annotations({ summary: "Search a beneficiary by card number (§4.4)" }))

/** The body is sent and received as JSON text: the sent bytes are stored, and an invalid body gets the response of §7. */
const Submit = HttpApiEndpoint.post("submit", paths.visits, {
  headers: codes,
  payload: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/json" })),
  success: succeeded(SubmissionResult),
  error: [UnprocessableResponse, ServerErrorResponse]
}).annotateMerge(OpenApi.annotations({
  summary: "Submit visits (§4.5)",
  transform: (operation) => ({
    ...operation,
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/SubmissionRequest" } } }
    }
  })
}))

const processedQuery = {
  ...paging,
  discharged_at_from: Schema.optionalKey(Day),
  discharged_at_to: Schema.optionalKey(Day),
  admitted_at_from: Schema.optionalKey(Day),
  admitted_at_to: Schema.optionalKey(Day),
  processing_status: Schema.optionalKey(Schema.String),
  sort_by: Schema.optionalKey(Schema.String),
  sort_direction: Schema.optionalKey(Schema.Literals(["asc", "desc"]))
}
export type ProcessedQuery = Schema.Struct.Type<typeof processedQuery>

const Processed = HttpApiEndpoint.get("processed", paths.processed, {
  headers: codes,
  query: processedQuery,
  success: succeeded(Page(ProcessedItem)),
  error: ServerErrorResponse
}).annotateMerge(OpenApi.annotations({ summary: "Processing status of submitted visits (§4.6)" }))

class OAuthGroup extends HttpApiGroup.make("oauth").add(Token) {}
class ReferenceGroup extends HttpApiGroup.make("reference")
  .add(StandardData)
  .add(StandardDataShort)
  .middleware(RequestValidation)
{}
class DataGroup extends HttpApiGroup.make("data")
  .add(SearchBeneficiary)
  .add(Submit)
  .add(Processed)
  .middleware(RequestValidation)
  .middleware(Authorization)
{}

/** The national service (§4): the one declaration that the client, the embedded service and the OpenAPI document come from. */
export class Api extends HttpApi.make("clinical-data-submission")
  .add(OAuthGroup)
  .add(ReferenceGroup)
  .add(DataGroup)
  .annotate(HttpApi.AdditionalSchemas, [SubmissionRequest])
  .annotateMerge(OpenApi.annotations({ title: "Clinical Data Submission Service", version: "v1" }))
{}

/** Returns the service as an OpenAPI 3.1 document, from the declaration of the client and the embedded service (§2, §4, §7). */
export const openApi = (): OpenApi.OpenAPISpec => OpenApi.fromApi(Api)
