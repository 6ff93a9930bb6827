/** Nodes of a Clique chain over a store in memory. */

import type { Signer } from '../../../src/base/ports/signer.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import type { PlannedTransaction } from '../../../src/chain/transition/buildInput.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { encodeExtraData, replaceSeal } from '../../../src/consensus/clique/extraData.ts'
import { signCliqueHeader } from '../../../src/consensus/clique/seal.ts'
import type { VoteIntent } from '../../../src/consensus/voteIntents.ts'
import type { IsoNode, NodeHost } from '../../../src/node/node.ts'
import { ALICE, planBlock } from './devChain.ts'
import { GENESIS_SECONDS, openGenesisNode } from './genesisNode.ts'

/** Text of a genesis file with these signers; Alice has ether. */
export function cliqueGenesis(
  signers: readonly Signer[],
  clique: Record<string, unknown> = {},
  rest = {},
  alloc = {},
): string {
  return JSON.stringify({
    config: {
      chainId: 2128,
      londonBlock: 0,
      clique: { blockperiodseconds: 2, epochlength: 10, ...clique },
      ...rest,
    },
    timestamp: `0x${GENESIS_SECONDS.toString(16)}`,
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
    baseFeePerGas: '0x3b9aca00',
    extraData: bytesToHex(
      encodeExtraData(
        new Uint8Array(0),
        signers.map(({ address }) => address),
      ),
    ),
    alloc: { [ALICE.address]: { balance: '0x3635c9adc5dea00000' }, ...alloc },
  })
}

export interface CliqueNode {
  readonly node: IsoNode
  /** The whole answer. */
  ask(method: string, ...params: readonly unknown[]): Promise<{ status: number; body: Record<string, unknown> }>
}

export async function openCliqueNode(
  text: string,
  host: Partial<NodeHost> = {},
  options: Partial<NodeOptions> = {},
): Promise<CliqueNode> {
  const node = await openGenesisNode(text, { 'rpc-http-api': ['ETH', 'CLIQUE', 'MINER'], ...options }, host)
  const ask: CliqueNode['ask'] = async (method, ...params) => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { status, body } = await node.endpoints.get('http').exchange.handle({ body: request })
    return { status, body: JSON.parse(body) }
  }
  return { node, ask }
}

/** Seals a block on top of the head, as another signer would. */
export async function sealOnHead(
  chain: Chain,
  signer: Signer,
  vote?: VoteIntent,
  candidates: readonly PlannedTransaction[] = [],
): Promise<ChainHeader> {
  const candidate = await chain.build(
    planBlock(chain.head, {
      timestamp: 0n,
      beneficiary: vote?.recipient ?? new Uint8Array(20),
      extraData: new Uint8Array(0),
      gasLimit: chain.head.header.gasLimit,
      author: signer.address,
      transactions: candidates,
    }),
    chain.head,
  )
  if (candidate === undefined) throw new Error('no block was built')
  const nonce = new Uint8Array(8).fill(vote?.isAdd === true ? 0xff : 0)
  const header = { ...candidate.block.header, nonce }
  const extraData = replaceSeal(header.extraData, signCliqueHeader(header, signer))
  await chain.commit(candidate, { nonce, extraData })
  return chain.head
}
