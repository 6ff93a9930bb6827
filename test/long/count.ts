import process from 'node:process'

/** Number of list items that run, from the first on. */
export const longCount = Number(process.env['ISONODE_LONG_COUNT'] ?? Number.POSITIVE_INFINITY)
