import { LATEST } from '../../../api/blockReference.ts'
import { requireHeader, type StateQuery, stateAt } from '../../../api/lookup.ts'
import { pendingNonce } from '../../../api/pendingNonce.ts'
import type { PoolReader } from '../../../txpool/contract.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { address, data, storagePosition, uint } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { ACCOUNT, STATE_BLOCK } from '../support/parameterTexts.ts'

export const BLOCK_ERRORS: readonly string[] = ['BLOCK_NOT_FOUND', 'JSON_RPC_NOT_CANONICAL_ERROR', 'UNKNOWN_BLOCK']

export const getBalance: MethodDefinition<StateQuery> = defineMethod({
  name: 'eth_getBalance',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Balance of an account in wei; null when the state is not available.',
  params: [param('address', address, ACCOUNT), optional('block', blockNumberOrTagOrHash, STATE_BLOCK)],
  result: result('balance', nullable(uint)),
  errors: BLOCK_ERRORS,
  handler: (backend: StateQuery, [account, block]) => {
    const state = stateAt(backend, block)
    return state && (state.getAccount(account)?.balance ?? 0n)
  },
})

export const getCode: MethodDefinition<StateQuery> = defineMethod({
  name: 'eth_getCode',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Code of an account; null when the state is not available.',
  params: [param('address', address, ACCOUNT), optional('block', blockNumberOrTagOrHash, STATE_BLOCK)],
  result: result('code', nullable(data)),
  errors: BLOCK_ERRORS,
  handler: (backend: StateQuery, [account, block]) => stateAt(backend, block)?.getCode(account),
})

export const getStorageAt: MethodDefinition<StateQuery> = defineMethod({
  name: 'eth_getStorageAt',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Value of a storage slot; null when the state is not available.',
  params: [
    param('address', address, ACCOUNT),
    param('position', storagePosition, 'Slot in hex, up to 32 bytes.'),
    optional('block', blockNumberOrTagOrHash, STATE_BLOCK),
  ],
  result: result('value', nullable(data)),
  errors: BLOCK_ERRORS,
  handler: (backend: StateQuery, [account, slot, block]) => stateAt(backend, block)?.getStorage(account, slot),
})

interface NonceQuery extends StateQuery {
  readonly pool: PoolReader
}

export const getTransactionCount: MethodDefinition<NonceQuery> = defineMethod({
  name: 'eth_getTransactionCount',
  group: 'ETH',
  answeredBy: 'any',
  summary: 'Nonce of an account; with `pending` the next one after its waiting transactions.',
  params: [
    param('address', address, ACCOUNT),
    optional(
      'block',
      blockNumberOrTagOrHash,
      'Block number, tag, block hash, or an object of EIP-1898: the nonce after it. Absent: `latest`. `pending`: the nonce after the waiting transactions.',
    ),
  ],
  result: result('nonce', uint),
  errors: BLOCK_ERRORS,
  handler: (backend: NonceQuery, [account, reference]) => {
    const block = reference ?? LATEST
    const nonce = backend.states.at(requireHeader(backend.chain, block))?.getAccount(account)?.nonce ?? 0n
    if (block.kind !== 'tag' || block.tag !== 'pending') return nonce
    return pendingNonce(backend.pool, account, nonce, backend.options.profile)
  },
})
