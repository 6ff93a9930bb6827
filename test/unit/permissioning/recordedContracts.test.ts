// slow: recorded requests on both EVMs
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'

interface Step {
  readonly n: number
  readonly node?: string
  readonly request?: { readonly method: string; readonly params: readonly unknown[] }
  readonly response?: {
    readonly result?: unknown
    readonly error?: { readonly code: number; readonly message: string }
  }
}

const openNode = closedAfterEach()
const folder = recordedPath('besu/perm-live')

/** Requests whose answers depend on peers or on the time of the recording. */
const OTHERS = /^(?:admin_|net_|eth_blockNumber|eth_syncing)/

function read(name: string): unknown {
  return JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
}

describe.each([
  ['1', '0x000000000000000000000000000000000000cccc'],
  ['2', '0x000000000000000000000000000000000000bbbb'],
])('contracts, version %s', (version, address) => {
  it.each(['native', 'reference'] as const)('have the recorded verdicts on senders (%s EVM)', async (evm) => {
    const { steps } = read(`transcript-contracts-v${version}.json`) as { steps: readonly Step[] }
    const { rpc } = await openNode(
      {
        'rpc-profile': 'besu',
        evm,
        'min-gas-price': 0n,
        'permissions-accounts-contract-enabled': true,
        'permissions-accounts-contract-address': '0x000000000000000000000000000000000000aaaa',
        'permissions-nodes-contract-enabled': true,
        'permissions-nodes-contract-address': address,
        'permissions-nodes-contract-version': Number(version),
      },
      undefined,
      {},
      read('genesis.json') as Record<string, unknown>,
    )
    let compared = 0
    for (const { n, node, request, response } of steps) {
      if (node !== `v${version}-p` || request === undefined || OTHERS.test(request.method)) continue
      const answer = await rpc(request.method, ...request.params).then(
        (result) => ({ result }),
        ({ code, message }: Error & { code: number }) => ({ error: { code, message } }),
      )
      const { result, error } = response ?? {}
      expect(answer, `step ${n}`).toEqual(error === undefined ? { result } : { error })
      compared++
    }
    expect(compared).toBeGreaterThan(8)
  })
})
