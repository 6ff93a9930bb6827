import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, quantity } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { ALICE, BOB, openDevChain, signed } from '../../support/nodes/devChain.ts'
import { openWriteRpc } from '../../support/rpc/writeRpc.ts'

const GWEI = 1_000_000_000n

/** A transaction with one price. */
const legacy = (gasPrice: bigint) =>
  ({ type: 'legacy', gasPrice, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }) as const

let rpc: ReturnType<typeof openWriteRpc>
let chain: Chain

/** By value of the transaction, in wei. */
const hashes = new Map<number, string>()

beforeAll(async () => {
  chain = await openDevChain()
  rpc = openWriteRpc(chain, { clock: { now: () => Date.UTC(2030, 0, 2, 3, 4, 5, 678), monotonic: () => 0 } })
  const transactions = await Promise.all([
    signed(ALICE, { nonce: 0, value: 1n }),
    signed(ALICE, { nonce: 1, value: 2n, ...legacy(20n * GWEI), gas: 21_000n }),
    signed(ALICE, { nonce: 3, value: 3n, to: undefined, data: '0x00' }),
    signed(BOB, { nonce: 1, value: 4n, to: ALICE.address, ...legacy(30n * GWEI), type: 'eip2930' }),
  ])
  for (const [at, raw] of transactions.entries()) {
    const { result } = await rpc.call('eth_sendRawTransaction', bytesToHex(raw))
    hashes.set(at + 1, result as string)
  }
})

/** Values of the transactions that meet the conditions, ascending. */
async function found(fields: unknown, limit: unknown = 10): Promise<number[]> {
  const { result } = await rpc.call('txpool_nodePendingTransactions', limit, fields)
  return (result as { value: string }[]).map(({ value }) => Number(value)).sort()
}

describe('the conditions of txpool_nodePendingTransactions', () => {
  it.each<[unknown, number[]]>([
    [undefined, [1, 2, 3, 4]],
    [{}, [1, 2, 3, 4]],
    [{ from: {}, colour: { eq: 'red' }, size: 7 }, [1, 2, 3, 4]],
    [{ from: { eq: BOB.address } }, [4]],
    [{ from: { EQ: ALICE.address.toLowerCase() } }, [1, 2, 3]],
    [{ to: { eq: ALICE.address } }, [4]],
    [{ to: { eq: `0x${'00'.repeat(20)}` } }, []],
    [{ to: { action: 'contract_creation' } }, [3]],
    [{ to: { Action: 'whatever' } }, [3]],
    [{ gas: { eq: '0x5208' } }, [2]],
    [{ gas: { gt: '5208' } }, [1, 3, 4]],
    [{ gas: { lt: '0x186a0' } }, [2]],
    [{ gasPrice: { gt: '0x0' } }, [2, 4]],
    [{ gasPrice: { eq: quantity(30n * GWEI) } }, [4]],
    [{ value: { gt: '0x1' }, from: { eq: ALICE.address } }, [2, 3]],
    [{ nonce: { eq: '1' } }, [2, 4]],
    [{ nonce: { lt: '0x1' } }, [1]],
    [{ nonce: { gt: '010' } }, []],
  ])('%j', async (fields, values) => {
    expect(await found(fields)).toEqual(values)
  })

  it.each([
    [{ from: { gt: BOB.address } }],
    [{ from: { action: 'contract_creation' } }],
    [{ to: { lt: BOB.address } }],
    [{ gas: { action: 'contract_creation' } }],
    [{ gas: { eq: '0x1', gt: '0x2' } }],
    [{ gas: { ge: '0x1' } }],
    [{ gas: { eq: 'many' } }],
    [{ gas: { eq: '-0x1' } }],
    [{ nonce: { eq: '-1' } }],
    [{ from: { eq: 'foo' } }],
    [{ from: BOB.address }],
    ['from'],
  ])('%j is refused', async (fields) => {
    expect(await rpc.call('txpool_nodePendingTransactions', 10, fields)).toMatchObject({ error: { code: -32602 } })
  })

  it('and its limit', async () => {
    expect(await found({}, 3)).toHaveLength(3)
    expect(await found({ from: { eq: BOB.address } }, '1')).toEqual([4])
    expect(await found({}, 0)).toEqual([])
    for (const limit of [undefined, '0x1', -1, 'all']) {
      expect(await rpc.call('txpool_nodePendingTransactions', limit, {})).toMatchObject({ error: { code: -32602 } })
    }
  })
})

describe('txpool_node*', () => {
  it('show a pending transaction like eth_getTransactionByHash', async () => {
    const { result } = await rpc.call('txpool_besuPendingTransactions', 1, { to: { action: 'contract_creation' } })
    expect(result).toEqual([(await rpc.call('eth_getTransactionByHash', hashes.get(3))).result])
    expect(result).toMatchObject([{ blockHash: null, to: null, publicKey: expect.stringMatching(/^0x[0-9a-f]{128}$/) }])
  })

  it('count transactions, and show their origin and time', async () => {
    expect((await rpc.call('txpool_nodeStatistics')).result).toEqual({ maxSize: 4096, localCount: 4, remoteCount: 0 })
    const { result } = await rpc.call('txpool_nodeTransactions')
    expect(result).toHaveLength(4)
    const addedToPoolAt = '2030-01-02T03:04:05.678Z'
    expect(result).toContainEqual({ hash: hashes.get(1), isReceivedFromLocalSource: true, addedToPoolAt })
  })

  it('are also available under their older names', async () => {
    for (const name of ['Statistics', 'Transactions']) {
      expect(await rpc.call(`txpool_besu${name}`)).toEqual(await rpc.call(`txpool_node${name}`))
    }
  })

  it('show more transactions than one slice processes', async () => {
    const full = openWriteRpc(chain, { pool: { limitByAccount: 1 } })
    for (let nonce = 0; nonce < 70; nonce++) await full.submission.submitRaw(await signed(ALICE, { nonce }))
    const { result } = await full.call('txpool_nodePendingTransactions', 66)
    expect(new Set((result as { hash: string }[]).map(({ hash }) => hash)).size).toBe(66)
  })
})

describe('the pool in the form of go-ethereum', () => {
  it('separates transactions without a nonce gap from the others', async () => {
    const { result } = await rpc.call('txpool_content')
    const { pending, queued } = result as Record<string, Record<string, Record<string, { hash: string }>>>
    const shown = (part: typeof pending) =>
      Object.entries(part ?? {}).map(([sender, own]) => [sender, Object.entries(own).map(([n, { hash }]) => [n, hash])])
    expect(shown(pending)).toEqual([
      [
        ALICE.address,
        [
          ['0', hashes.get(1)],
          ['1', hashes.get(2)],
        ],
      ],
    ])
    expect(new Map(shown(queued) as [string, unknown][])).toEqual(
      new Map<string, unknown>([
        [ALICE.address, [['3', hashes.get(3)]]],
        [BOB.address, [['1', hashes.get(4)]]],
      ]),
    )
    expect(pending?.[ALICE.address]?.['0']).toMatchObject({ blockHash: null, blockTimestamp: null, type: '0x2' })
    expect(pending?.[ALICE.address]?.['0']).not.toHaveProperty('raw')
  })

  it('of one sender', async () => {
    const { result } = await rpc.call('txpool_contentFrom', BOB.address)
    expect(result).toMatchObject({ pending: {}, queued: { '1': { hash: hashes.get(4) } } })
    const nobody = await rpc.call('txpool_contentFrom', `0x${'01'.repeat(20)}`)
    expect(nobody.result).toEqual({ pending: {}, queued: {} })
  })

  it('in counts', async () => {
    expect((await rpc.call('txpool_status')).result).toEqual({ pending: '0x2', queued: '0x2' })
  })

  it('as text', async () => {
    expect((await rpc.call('txpool_inspect')).result).toEqual({
      pending: {
        [ALICE.address]: {
          '0': `${BOB.address}: 1 wei + 100000 gas × 10000000000 wei`,
          '1': `${BOB.address}: 2 wei + 21000 gas × 20000000000 wei`,
        },
      },
      queued: {
        [ALICE.address]: { '3': 'contract creation: 3 wei + 100000 gas × 10000000000 wei' },
        [BOB.address]: { '1': `${ALICE.address}: 4 wei + 100000 gas × 30000000000 wei` },
      },
    })
  })
})
