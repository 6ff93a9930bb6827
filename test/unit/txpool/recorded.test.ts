import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { toRpcError } from '../../../src/rpc/errors.ts'
import { decodeSubmission } from '../../../src/txpool/decode.ts'
import type { TransactionPool } from '../../../src/txpool/transactionPool.ts'
import { admitted, openPool } from '../../support/chains/pool.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { recordedCases } from '../../support/recorded/recordedCases.ts'
import { blockFile, importFile, openRecorded, recordedChainNamed } from '../../support/recorded/recordedChains.ts'

interface Step {
  readonly request: { readonly method?: string; readonly params?: readonly unknown[] }
  readonly response: { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } }
}

/** The answer to eth_sendRawTransaction, without the envelope. */
function send(pool: TransactionPool, raw: string): Step['response'] {
  try {
    return { result: bytesToHex(admitted(pool, { ...decodeSubmission(hexToBytes(raw)), isLocal: true }).hash) }
  } catch (error) {
    const known = toRpcError(error, 'besu')
    if (known === undefined) throw error
    return { error: known }
  }
}

for (const folder of ['besu/london', 'besu/frontier']) {
  const recorded = recordedChainNamed(folder)
  describe(`recorded answers of ${folder}`, () => {
    const groups = new Set(['eth_sendRawTransaction', 'transaction_pool'])
    const files = recordedCases(recordedPath(folder, 'cases'), (group) => groups.has(group))
    it.each(files)('$file', async ({ file }) => {
      const chain = await openRecorded(recorded)
      await importFile(chain, [blockFile(recorded)], { verifySeal: false })
      const { steps, ...single } = JSON.parse(readFileSync(file, 'utf8')) as Step & { readonly steps?: Step[] }
      const pool = openPool(chain)
      let sent = 0
      for (const { request, response } of steps ?? [single]) {
        const [parameter] = request.params ?? []
        if (request.method === 'eth_sendRawTransaction') {
          const { jsonrpc: _, id: __, ...answer } = response as Step['response'] & { jsonrpc: string; id: number }
          expect(send(pool, parameter as string), path.basename(file)).toEqual(answer)
          sent++
        }
        if (request.method === 'txpool_nodeStatistics') {
          const { maxSize, localCount, size } = pool
          expect({ maxSize, localCount, remoteCount: size - localCount }).toEqual(response.result)
        }
      }
      expect(sent).toBeGreaterThan(0)
    })
  })
}
