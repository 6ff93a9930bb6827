/** Nodes of a BFT chain over a store in memory; blocks are sealed by known keys. */

import type { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { bytesToHex, EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { BftEngine } from '../../../src/consensus/bft/bft.ts'
import { type BftVote, encodeExtraData, initialExtraData } from '../../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../../src/consensus/bft/flavour.ts'
import { commitSealHash, encodeSeal, withSeals } from '../../../src/consensus/bft/hashes.ts'
import type { IsoNode } from '../../../src/node/node.ts'
import { addressOf, SIGNERS } from '../chains/bftHeaders.ts'
import { ALICE } from './devChain.ts'
import { GENESIS_SECONDS, openGenesisNode } from './genesisNode.ts'

/** Text of a genesis file with the first `validators` of SIGNERS; Alice has ether. */
export function bftGenesis(config: object, validators: number, alloc: object = {}): string {
  const list = Array.from({ length: validators }, (_, i) => addressOf(i))
  const flavour = 'ibft2' in config ? IBFT2 : QBFT
  return JSON.stringify({
    config: { chainId: 2129, londonBlock: 0, ...config },
    timestamp: `0x${GENESIS_SECONDS.toString(16)}`,
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
    baseFeePerGas: '0x3b9aca00',
    extraData: bytesToHex(encodeExtraData(initialExtraData(list, EMPTY_BYTES), flavour)),
    alloc: { [ALICE.address]: { balance: '0x3635c9adc5dea00000' }, ...alloc },
  })
}

export interface BftNode {
  readonly node: IsoNode
  /** The whole answer. */
  ask(method: string, ...params: readonly unknown[]): Promise<Record<string, unknown>>
}

export async function openBftNode(text: string, options: Partial<NodeOptions> = {}): Promise<BftNode> {
  const node = await openGenesisNode(text, { 'rpc-http-api': ['ETH', 'IBFT', 'QBFT'], ...options })
  const ask: BftNode['ask'] = async (method, ...params) => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { body } = await node.endpoints.get('http').exchange.handle({ body: request })
    const { jsonrpc: _, id: __, ...answer } = JSON.parse(body) as Record<string, unknown>
    return answer
  }
  return { node, ask }
}

/**
 * Builds an empty block on top of the head and imports it with its seals, as if it came from other validators.
 * @param proposer and sealers as indexes of SIGNERS
 */
export async function importOnHead(
  chain: Chain,
  proposer: number,
  sealers: readonly number[],
  { vote, round = 0 }: { readonly vote?: BftVote; readonly round?: number } = {},
): Promise<ChainHeader> {
  const { header, totalDifficulty } = chain.head
  const next = { number: header.number + 1n, timestamp: header.timestamp + 1n }
  const { engine } = chain.consensus.nextBlock(next, totalDifficulty)
  if (!(engine instanceof BftEngine)) throw new TypeError(engine.name)
  const { flavour } = engine
  const candidate = await chain.build(
    {
      timestamp: 0n,
      beneficiary: addressOf(proposer),
      extraData: encodeExtraData({ ...initialExtraData([], EMPTY_BYTES), vote, round }, flavour),
      gasLimit: header.gasLimit,
      transactions: { next: () => undefined, included: () => {}, refused: () => {} },
      isEmptyAllowed: true,
    },
    chain.head,
  )
  if (candidate === undefined) throw new Error('no block was built')
  const { block } = candidate
  chain.discard(candidate)
  const digest = commitSealHash(block.header, flavour)
  const seals = sealers.map((index) => encodeSeal((SIGNERS[index] as KeySigner).sign(digest)))
  const outcome = await chain.import({ ...block, header: withSeals(block.header, round, seals, flavour) })
  if (outcome.kind !== 'imported') throw new Error('reason' in outcome ? outcome.reason : outcome.kind)
  return chain.head
}
