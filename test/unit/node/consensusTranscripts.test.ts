// slow: whole recorded chains
/**
 * Replays the recorded requests to validators and signers: each node imports the recorded chain up to the head that the
 * recorded node had, and must give exactly the same answer.
 */
import { describe, expect, it } from 'vitest'
import { importBlocks } from '../../../src/chain/import.ts'
import type { IsoNode } from '../../../src/node/node.ts'
import { readBlocks } from '../../../src/types/blockSplitter.ts'
import { BFT_CHAINS } from '../../support/chains/bftChains.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../../support/chains/testChain.ts'
import { openGenesisNode } from '../../support/nodes/genesisNode.ts'
import { blockFile, RECORDED_CHAINS, type RecordedChain } from '../../support/recorded/recordedChains.ts'
import { actualReply, expectedReply, type TranscriptStep, transcriptOf } from '../../support/recorded/transcripts.ts'

const NAMES = [
  'clique-live',
  'ibft2-rounds',
  'ibft2-transitions',
  'ibft2-to-qbft',
  'qbft-rounds',
  'qbft-contract',
  'qbft-transitions',
]

const GROUPS = ['ETH', 'NET', 'MINER', 'CLIQUE', 'IBFT', 'QBFT'] as const

/** A node without connections has no peers to count. */
const needsPeers = ({ request }: TranscriptStep): boolean => request?.method === 'net_peerCount'

function chainNamed(name: string): RecordedChain {
  return [...RECORDED_CHAINS, ...BFT_CHAINS].find(({ folder }) => folder === `besu/${name}`) as RecordedChain
}

async function importUpTo({ chain }: IsoNode, file: Uint8Array, block: number): Promise<void> {
  const head = Number(chain.head.header.number)
  if (head >= block) return
  const range = { startBlock: BigInt(head + 1), endBlock: BigInt(block + 1) }
  const modules = { chain, senders: TEST_SENDERS, clock: TEST_CLOCK }
  const report = await importBlocks(modules, { ...range, blocks: readBlocks([file]) })
  expect([report.end, Number(chain.head.header.number)]).toEqual([{ kind: 'done' }, block])
}

describe('recorded requests of operators, on the recorded chains', () => {
  it.each(NAMES)('%s', async (name) => {
    const { genesis, signers, steps } = transcriptOf(name)
    const file = blockFile(chainNamed(name))
    const options = { 'rpc-http-api': GROUPS, 'min-gas-price': 0n }
    const clock = { now: () => Date.now(), monotonic: () => performance.now() }
    const nodes = new Map<string, IsoNode>()
    for (const [node, signer] of signers) nodes.set(node, await openGenesisNode(genesis, options, { signer, clock }))
    let answered = 0
    for (const step of steps) {
      const { n, node: asked = '', block = 0, request, note } = step
      if (request === undefined || needsPeers(step)) continue
      const node = nodes.get(asked) as IsoNode
      await importUpTo(node, file, block)
      const text = JSON.stringify(request)
      const { status, body } = await node.endpoints.get('http').exchange.handle({ body: text })
      const where = `step ${n}: ${request.method} ${note ?? ''}`
      const isBft = !name.startsWith('clique')
      expect(actualReply(status, request.method, body), where).toEqual(expectedReply(step, isBft))
      answered++
    }
    expect(answered).toBeGreaterThan(5)
    for (const node of nodes.values()) await node.close()
  })
})
