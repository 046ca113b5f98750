/** Number of examples for a law; `npm run test:deep` tries a hundred times as many. */
export const runs = (usual: number): number => usual * Number(process.env.TEST_RUNS ?? 1)

/** Time limit for them, in milliseconds. */
export const timeout = 600_000 * Number(process.env.TEST_RUNS ?? 1)
