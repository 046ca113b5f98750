import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** The service as an OpenAPI 3.1 document, from the declaration that the client and the embedded service are made of (§2, §4, §7). */
export const openApi = (): OpenApi.OpenAPISpec => OpenApi.fromApi(Api)
