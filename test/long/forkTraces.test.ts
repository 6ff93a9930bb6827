/**
 * Transactions of recorded chains, traced by a fork whose remote has neither traces nor witnesses, beside the traces of the node
 * with the chain. ISONODE_LONG_COUNT is the number of transactions, of 500.
 */
import { expect, it } from 'vitest'
import { startNode } from '../../mod.ts'
import { needsData } from '../support/host/needsData.ts'
import { recordedPath } from '../support/recorded/conformance.ts'
import { openRecordedChain } from '../support/recorded/recordedRpc.ts'
import { RemoteProxy } from '../support/remote/remoteProxy.ts'
import { longCount } from './count.ts'

/** Folders, and their files of blocks. */
const CHAINS: readonly (readonly [folder: string, blocks: string])[] = [
  ...[
    'osaka',
    'cancun',
    'qbft',
    'qbft-contract',
    'qbft-transitions',
    'shanghai',
    'trace',
    'london',
    'clique-votes',
  ].map((name) => [`besu/${name}`, 'blocks.bin'] as const),
  ['execution-apis', 'chain.rlp'],
  ['execution-apis-cancun', 'chain.rlp'],
]
const FULL = 500
const SHARE = Number.isFinite(longCount) ? Math.min(1, longCount / FULL) : 1
/** Transactions with more gas have no trace of their steps here. */
const MAX_STEPS_GAS = 100_000
/** Methods that remotes rarely have. */
const RARE = /^(?:debug_|trace_|isonode_|eth_createAccessList)/

interface Traced {
  readonly hash: string
  readonly gasUsed: string
}

type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>

const questions = ({ hash, gasUsed }: Traced): (readonly [method: string, ...params: unknown[]])[] => [
  ['debug_traceTransaction', hash, { tracer: 'callTracer', tracerConfig: { withLog: true } }],
  ['debug_traceTransaction', hash, { tracer: 'prestateTracer' }],
  ['debug_traceTransaction', hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
  ['trace_transaction', hash],
  ...(Number(gasUsed) <= MAX_STEPS_GAS
    ? [['debug_traceTransaction', hash, { enableMemory: true, enableReturnData: true }] as const]
    : []),
]

/** Those of the blocks in turn, so that a few cover the whole chain. */
async function transactionsOf(ask: Ask): Promise<Traced[]> {
  const head = Number(await ask('eth_blockNumber'))
  const blocks: Traced[][] = []
  for (let number = 1; number <= head; number++) {
    const receipts = (await ask('eth_getBlockReceipts', `0x${number.toString(16)}`)) as {
      transactionHash: string
      gasUsed: string
    }[]
    blocks.push(receipts.map(({ transactionHash, gasUsed }) => ({ hash: transactionHash, gasUsed })))
  }
  const most = Math.max(...blocks.map(({ length }) => length))
  return Array.from({ length: most }, (_, i) => blocks.flatMap((block) => block[i] ?? [])).flat()
}

async function openChain(folder: string, blocks: string) {
  const genesisFile = recordedPath(folder, 'genesis.json')
  const blocksFile = recordedPath(folder, blocks)
  const { send } = await openRecordedChain({ genesisFile, blocksFile, profile: 'geth' })
  const ask: Ask = async (method, ...params) => {
    const { body } = await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(body)
    if (error !== undefined) throw error
    return result
  }
  return { genesisFile, ask }
}

let traced = 0

for (const [name, blocks] of CHAINS) {
  it(`equals the traces of ${name}`, needsData(name), async () => {
    const { genesisFile, ask } = await openChain(name, blocks)
    const proxy = await RemoteProxy.start((method, params) => {
      if (!RARE.test(method)) return ask(method, ...params)
      throw { code: -32601, message: `the method ${method} does not exist/is not available` }
    })
    const fork = await startNode({ forkUrl: proxy.url, genesisFile, flags: { forkCache: 'none' } } as never)
    const all = await transactionsOf(ask)
    const transactions = all.slice(0, Math.ceil(all.length * SHARE))
    for (const transaction of transactions) {
      for (const [method, ...params] of questions(transaction)) {
        const expected = await ask(method, ...params)
        expect(await fork.request(method, params), `${method} ${JSON.stringify(params)}`).toEqual(expected)
      }
    }
    traced += transactions.length
    console.log(`${name}: ${transactions.length} transactions, ${traced} so far`)
    // Its own blocks follow, whoever sealed those below.
    const [from] = (await fork.request('eth_accounts', [])) as string[]
    const sent = await fork.request('eth_sendTransaction', [{ from, to: from, value: '0x1' }])
    const receipt = await fork.request('eth_getTransactionReceipt', [sent])
    expect(receipt).toMatchObject({ status: '0x1' })
    await fork.close()
    await proxy.close()
    expect(transactions.length).toBeGreaterThan(0)
  })
}
