import { assert, describe, it } from "@effect/vitest"
import { jsonListOf, jsonObjectOf } from "../../src/json/JsonObject.ts"
import { openApi } from "../../src/service/Api.ts"
import { referenceListTypes } from "../../src/visit/Field.ts"
import { present } from "../present.ts"

describe("the OpenAPI document of the declaration", () => {
  const spec = openApi()
  const operation = (method: "get" | "post", path: `/${string}`) => present(spec.paths[path]?.[method])

  it("§4 has exactly the documented endpoints", () => {
    assert.deepStrictEqual(
      Object.entries(spec.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
        .toSorted(),
      [
        "get /api/v1/external/beneficiary/search",
        "get /api/v1/external/common/standard-data",
        "get /api/v1/external/visits/processed",
        "get /v1/external/common/standard-data",
        "post /api/v1/external/visits",
        "post /oauth/token"
      ]
    )
  })

  it("§4.1 requires a bearer token and the two codes for data calls only", () => {
    for (
      const [method, path] of [
        ["get", "/api/v1/external/beneficiary/search"],
        ["post", "/api/v1/external/visits"],
        ["get", "/api/v1/external/visits/processed"]
      ] as const
    ) {
      const { parameters, responses, security } = operation(method, path)
      assert.deepStrictEqual(security, [{ bearer: [] }])
      for (const name of ["x-system-code", "x-health-facility-code"]) {
        assert.isTrue(parameters.some((parameter) => parameter.name === name && parameter.required))
      }
      for (const status of [200, 401, 403, 422, 429]) assert.isDefined(responses[status])
    }
    assert.isEmpty(operation("get", "/v1/external/common/standard-data").security)
    assert.isEmpty(operation("post", "/oauth/token").security)
  })

  it("§4.3 names the twelve lists, §4.6 the filters", () => {
    const { parameters } = operation("get", "/api/v1/external/common/standard-data")
    const type = present(parameters.find(({ name }) => name === "type"))
    assert.sameMembers([...jsonListOf(jsonObjectOf(type.schema)["enum"])], [...referenceListTypes])
    assert.includeMembers(operation("get", "/api/v1/external/visits/processed").parameters.map(({ name }) => name), [
      "per_page",
      "discharged_at_from",
      "discharged_at_to",
      "admitted_at_from",
      "admitted_at_to",
      "processing_status",
      "sort_by",
      "sort_direction"
    ])
  })

  it("§2.3 the submission is the Visit, field by field", () => {
    const body = JSON.stringify(operation("post", "/api/v1/external/visits").requestBody)
    assert.include(body, "#/components/schemas/SubmissionRequest")
    const required = jsonListOf(jsonObjectOf(spec.components.schemas["Visit"])["required"])
    assert.include(required, "admitted_at")
    assert.include(required, "diagnosis")
    const result = JSON.stringify(spec.components.schemas["SubmissionResult"])
    for (const key of ["status", "uuld", "visit_code"]) assert.include(result, key)
  })
})
