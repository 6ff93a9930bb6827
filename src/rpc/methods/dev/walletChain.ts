/**
 * Requests of a page to its wallet, which the dev chain answers.
 * @see EIP-3326; EIP-3085
 * @module
 */
import { unexpectedValue } from '../../../api/errors.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { chainIdAfter } from '../../../chain/nextBlock.ts'
import { parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { nothing } from './codecs.ts'
import type { DevBackend } from './operation.ts'

interface WalletBackend extends DevBackend {
  readonly chain: ChainReader
}

const CHAIN_ID = /^0x[0-9a-f]{1,64}$/i

const CHAIN_SCHEMA = {
  type: 'object',
  properties: { chainId: { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' } },
  required: ['chainId'],
}

/** The chain id of the object. */
const chosenChain: Codec<bigint> = parameterCodec(CHAIN_SCHEMA, (value) => {
  const chainId = typeof value === 'object' && value !== null && 'chainId' in value ? value.chainId : undefined
  if (typeof chainId !== 'string' || !CHAIN_ID.test(chainId)) {
    throw unexpectedValue('an object with a chainId in hex', described(value))
  }
  return BigInt(chainId)
})

function requireThisChain({ chain }: WalletBackend, chainId: bigint): void {
  if (chainId === chainIdAfter(chain.config, chain.head)) return
  throw new NodeError({ code: 'UNRECOGNIZED_CHAIN' }, `Unrecognized chain ID 0x${chainId.toString(16)}`)
}

const switchChain: MethodDefinition<WalletBackend> = defineMethod({
  name: 'wallet_switchEthereumChain',
  group: 'DEV',
  summary: 'Accepts the chain id of this chain; any other one is unknown (EIP-3326).',
  params: [param('chain', chosenChain, 'Object with `chainId` in hex.')],
  result: result('nothing', nothing),
  errors: ['UNRECOGNIZED_CHAIN'],
  handler: (backend: WalletBackend, [chainId]) => requireThisChain(backend, chainId),
})

const addChain: MethodDefinition<WalletBackend> = defineMethod({
  name: 'wallet_addEthereumChain',
  group: 'DEV',
  summary: 'Accepts this chain; the node has no other one (EIP-3085).',
  params: [param('chain', chosenChain, 'Object with `chainId` in hex. Other members have no effect.')],
  result: result('nothing', nothing),
  errors: ['UNRECOGNIZED_CHAIN'],
  handler: (backend: WalletBackend, [chainId]) => requireThisChain(backend, chainId),
})

export const walletMethods: readonly MethodDefinition<WalletBackend>[] = [switchChain, addChain]
