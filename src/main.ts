#!/usr/bin/env node
import packageJson from "../package.json" with { type: "json" }

process.stdout.write(`fhir2visit ${packageJson.version}\n`)
