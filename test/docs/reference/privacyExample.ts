/** The chains on which the requests of docs/methods/priv.md and eea.md are executed: two private transactions. */

import { countingRandom } from '../../support/host/random.ts'
import {
  COUNTER_CODE,
  connectedEnclaves,
  ENCLAVE_KEYS,
  openPrivateNode,
  SENDER,
  signPrivate,
} from '../../support/private/privateNode.ts'
import { emptyChain } from './cliqueExample.ts'
import { type ExampleNode, type Profile, webSocketCall, ZERO_WORD } from './exampleChain.ts'

const [OWN, OTHER] = ENCLAVE_KEYS as [string, string]

/** `flexible`: the group is in a contract. */
export async function openPrivacyExample(kind: 'privacy' | 'flexible', profile: Profile): Promise<ExampleNode> {
  const isFlexible = kind === 'flexible'
  const [enclave] = connectedEnclaves(2)
  if (enclave === undefined) throw new Error('no enclave')
  const options = { 'rpc-profile': profile }
  const opened = await openPrivateNode({ enclave, isFlexible, options, host: { random: countingRandom() } })
  const { node, rpc } = opened
  const chain = emptyChain(node.chain)
  const close = (): Promise<void> => node.close()
  const call = webSocketCall(opened)
  if (isFlexible) return { chain, call, close }
  const send = (nonce: number, fields: { readonly contract?: string; readonly data: string }) =>
    rpc<string>('eea_sendRawTransaction', signPrivate({ nonce, privateFrom: OWN, to: [OTHER], ...fields }))
  const create = (await send(0, { data: COUNTER_CODE })) as typeof ZERO_WORD
  const { contractAddress } = await rpc<{ contractAddress: string }>('priv_getTransactionReceipt', create)
  const data = `0x${'00'.repeat(31)}2a`
  const set = (await send(1, { contract: contractAddress, data })) as typeof ZERO_WORD
  const next = signPrivate({ nonce: 2, privateFrom: OWN, to: [OTHER], contract: contractAddress, data })
  return {
    chain: {
      ...chain,
      alice: SENDER,
      token: contractAddress as typeof ZERO_WORD,
      transactions: [create, set, ZERO_WORD, ZERO_WORD],
      rawTransaction: next as typeof ZERO_WORD,
    },
    call,
    close,
  }
}
