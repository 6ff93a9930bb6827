/**
 * DNS on Node, Deno and Bun, by the servers that the system is configured with.
 * @module
 */
import { Resolver } from 'node:dns/promises'
import type { Dns } from '../../../src/base/ports/dns.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'

const TIMEOUT_MS = 5_000
const TRIES = 2
const NO_RECORDS: readonly unknown[] = ['ENOTFOUND', 'ENODATA']

/** @param servers `host` or `host:port`, in place of the system's */
export function createNodeDns(servers?: readonly string[]): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  return {
    async resolveTxt(name) {
      try {
        return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (NO_RECORDS.includes(code)) return []
        throw new NodeError(
          { code: 'DNS_FAILED' },
          `the TXT records of ${name} cannot be read: ${String(code ?? error)}`,
        )
      }
    },
  }
}
