/** The runtime that executes the tests. */
export const isDeno = 'Deno' in globalThis
export const isBun = 'Bun' in globalThis
export const isNode = !isDeno && !isBun
