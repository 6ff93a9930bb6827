import { type StateQuery, stateAt } from '../../../api/lookup.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../base/primitives/keccak.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { address } from '../../codecs/scalars.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { ACCOUNT, STATE_BLOCK } from '../support/parameterTexts.ts'
import { BLOCK_ERRORS } from './state.ts'

interface AccountView {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
  readonly storageRoot: Uint8Array
}

interface AccountInfoView {
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
}

const ABSENT: AccountView = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_TRIE_ROOT }

const accountView = answerCodec<AccountView>(
  { title: 'Account', type: 'object', required: ['balance', 'nonce', 'codeHash', 'storageRoot'] },
  ({ nonce, balance, codeHash, storageRoot }) => ({
    balance: quantity(balance),
    nonce: quantity(nonce),
    codeHash: bytesToHex(codeHash),
    storageRoot: bytesToHex(storageRoot),
  }),
)

const accountInfoView = answerCodec<AccountInfoView>(
  { title: 'AccountInfo', type: 'object', required: ['balance', 'nonce', 'code'] },
  ({ nonce, balance, code }) => ({ balance: quantity(balance), nonce: quantity(nonce), code: bytesToHex(code) }),
)

export const getAccount: MethodDefinition<StateQuery> = defineMethod({
  name: 'eth_getAccount',
  group: 'ETH',
  summary: 'Balance, nonce, code hash and storage root of an account; null when the state is not available.',
  params: [param('address', address, ACCOUNT), optional('block', blockNumberOrTagOrHash, STATE_BLOCK)],
  result: result('account', nullable(accountView)),
  errors: BLOCK_ERRORS,
  handler: (backend: StateQuery, [target, block]) => {
    const state = stateAt(backend, block)
    return state && (state.getAccount(target) ?? ABSENT)
  },
})

export const getAccountInfo: MethodDefinition<StateQuery> = defineMethod({
  name: 'eth_getAccountInfo',
  group: 'ETH',
  summary: 'Balance, nonce and code of an account; null when the state is not available.',
  params: [param('address', address, ACCOUNT), optional('block', blockNumberOrTagOrHash, STATE_BLOCK)],
  result: result('account', nullable(accountInfoView)),
  errors: BLOCK_ERRORS,
  handler: (backend: StateQuery, [target, block]) => {
    const state = stateAt(backend, block)
    if (state === undefined) return undefined
    const { nonce, balance } = state.getAccount(target) ?? ABSENT
    return { nonce, balance, code: state.getCode(target) }
  },
})
