import { Redacted } from "effect"
import { defaultOperatorSettings, type OperatorConfig } from "../../src/service/settings/OperatorConfig.ts"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"

/** The settings of a client for a service on loopback, with secrets a test can look for. */
export const configFor = (url: string, over: Partial<OperatorConfig> = {}): OperatorConfig => ({
  ...defaultOperatorSettings,
  baseUrl: url,
  authUrl: url,
  systemCode: SystemCode("SYS"),
  facilityCode: FacilityCode("F1"),
  username: "sandbox",
  password: Redacted.make("sandbox"),
  clientId: "sandbox",
  clientSecret: Redacted.make("sandbox"),
  deadlineMillis: 5_000,
  newTokenMillis: 20,
  ...over
})
