/** The Clique chain on which the requests of docs/methods/clique.md are executed. */

import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { SIGNERS } from '../../support/chains/cliqueHeaders.ts'
import { cliqueGenesis, openCliqueNode, sealOnHead } from '../../support/nodes/cliqueNode.ts'
import { ALICE, BOB } from '../../support/nodes/devChain.ts'
import { type ExampleChain, type ExampleNode, type Profile, webSocketCall, ZERO_WORD } from './exampleChain.ts'

export async function openCliqueExample(profile: Profile): Promise<ExampleNode> {
  const [first, second] = SIGNERS as [(typeof SIGNERS)[0], (typeof SIGNERS)[0]]
  const options = { 'rpc-profile': profile, 'rpc-ws-api': ['ETH', 'CLIQUE'] }
  const { node } = await openCliqueNode(cliqueGenesis([first, second]), {}, options)
  for (const signer of [second, first, second]) await sealOnHead(node.chain, signer)
  return { chain: emptyChain(node.chain), call: webSocketCall({ node }), close: () => node.close() }
}

/** A chain without the transactions to which requests refer. */
export function emptyChain({ head, genesis }: Chain): ExampleChain {
  return {
    alice: ALICE.address,
    bob: BOB.address,
    token: ALICE.address,
    transactions: [ZERO_WORD, ZERO_WORD, ZERO_WORD, ZERO_WORD],
    blockHash: bytesToHex(head.hash) as typeof ZERO_WORD,
    genesisHash: bytesToHex(genesis.hash) as typeof ZERO_WORD,
    transferData: ZERO_WORD,
    balanceData: ZERO_WORD,
    rawTransaction: ZERO_WORD,
    transferTopic: ZERO_WORD,
  }
}
