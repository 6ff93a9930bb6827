/**
 * The library `isonode` in pages and Workers, with the names that it has on Node, Deno and Bun.
 * @module
 */
import { NodeError } from '../../src/base/primitives/errors.ts'

export * from './portable.ts'

/**
 * Listens on a port, which pages and Workers cannot.
 * @throws {NodeError} UNSUPPORTED_RUNTIME
 */
export function startNode(): Promise<never> {
  const message = 'startNode needs Node, Deno or Bun; createBrowserNode starts a node in a page or a Worker'
  return Promise.reject(new NodeError({ code: 'UNSUPPORTED_RUNTIME' }, message))
}
