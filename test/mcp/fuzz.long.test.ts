/** The long form of fuzz.slow.test.ts. */
process.env.CALLS ??= '2000'
await import('./fuzz.slow.test.ts')
