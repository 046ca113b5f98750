import fc from "fast-check"

/**
 * The suite tries the same examples in every run, so that a failure is always caused by a change. `npm run test:deep` tries new
 * examples and more of them; a failure prints its seed, and `TEST_SEED` repeats it.
 */
const { TEST_RUNS, TEST_SEED } = process.env
const seed = TEST_SEED ?? (TEST_RUNS === undefined ? "20260105" : undefined)
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
