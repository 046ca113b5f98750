import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** Returns the service as an OpenAPI 3.1 document, from the declaration of the client and the embedded service (§2, §4, §7). */
export const openApi = (): OpenApi.OpenAPISpec => OpenApi.fromApi(Api)
