import process from 'node:process'

/** `npm test` has a quarter; `npm run test:long` asks for all. */
const PERCENT = Number(process.env['ISONODE_LONG_COUNT'] ?? 25)

/** How many generated cases a test runs. @param whole how many a long run has */
export function generatedCases(whole: number): number {
  return Math.ceil((whole * PERCENT) / 100)
}
