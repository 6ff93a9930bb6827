/** The chains on which the requests of docs/methods/ibft.md and docs/methods/qbft.md are executed. */
import { bftGenesis, importOnHead, openBftNode } from '../../support/nodes/bftNode.ts'
import { emptyChain } from './cliqueExample.ts'
import { type ExampleNode, type Profile, webSocketCall } from './exampleChain.ts'

export async function openBftExample(prefix: 'ibft' | 'qbft', profile: Profile): Promise<ExampleNode> {
  const config = prefix === 'ibft' ? { ibft2: {} } : { qbft: {} }
  const options = { 'rpc-profile': profile, 'rpc-ws-api': ['ETH', 'IBFT', 'QBFT'] }
  const { node } = await openBftNode(bftGenesis(config, 2), options)
  for (const proposer of [0, 1, 0]) await importOnHead(node.chain, proposer, [0, 1])
  return { chain: emptyChain(node.chain), call: webSocketCall({ node }), close: () => node.close() }
}
