import { findHeader, requireHeader, type StateQuery } from '../../../api/lookup.ts'
import { blockView } from '../../../api/views.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { address, boolean, hash32, integer, uint64 } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { headerObject } from '../eth/headers.ts'
import { minedBySender } from '../support/minedBySender.ts'
import { ACCOUNT } from '../support/parameterTexts.ts'
import { OTS_BLOCK, otsBlock, otsBlockOrHash } from './parameters.ts'

/** The version of the interface that Otterscan asks for. */
const API_LEVEL = 8

export const getApiLevel: MethodDefinition = defineMethod({
  name: 'ots_getApiLevel',
  group: 'OTS',
  summary: "Version of Otterscan's methods, a number.",
  params: [],
  result: result('level', integer),
  handler: () => API_LEVEL,
})

export const hasCode: MethodDefinition<StateQuery> = defineMethod({
  name: 'ots_hasCode',
  group: 'OTS',
  summary: 'Whether an account has code after a block.',
  params: [
    param('address', address, ACCOUNT),
    param('block', otsBlockOrHash, 'Number in JSON or in text, tag, block hash, or an object of EIP-1898.'),
  ],
  result: result('hasCode', boolean),
  errors: [
    'BLOCK_NOT_FOUND',
    'JSON_RPC_NOT_CANONICAL_ERROR',
    'UNKNOWN_BLOCK',
    'WORLD_STATE_UNAVAILABLE',
    'STATE_PRUNED',
  ],
  handler: ({ chain, states, pending }: StateQuery, [account, reference]) => {
    const header = requireHeader(chain, reference, pending)
    const state = states.at(header)
    if (state === undefined) {
      const message = `missing trie node: no state after block ${header.header.number}`
      throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, message)
    }
    return state.getCode(account).length > 0
  },
})

export const getTransactionBySenderAndNonce: MethodDefinition<StateQuery> = defineMethod({
  name: 'ots_getTransactionBySenderAndNonce',
  group: 'OTS',
  summary: 'Hash of the mined transaction of an account with a nonce; null when there is none.',
  params: [param('sender', address, ACCOUNT), param('nonce', uint64, 'Nonce of the transaction.')],
  result: result('hash', nullable(hash32)),
  errors: ['WORLD_STATE_UNAVAILABLE', 'STATE_PRUNED'],
  handler: (backend: StateQuery, [sender, nonce]) => minedBySender(backend, sender, nonce)?.hash,
})

export const getHeaderByNumber: MethodDefinition<{ readonly chain: ChainReader }> = defineMethod({
  name: 'erigon_getHeaderByNumber',
  group: 'OTS',
  summary: 'The header of a canonical block; null when unknown. Otterscan asks for it when it connects.',
  params: [param('block', otsBlock, OTS_BLOCK)],
  result: result('header', nullable(headerObject)),
  errors: ['UNKNOWN_BLOCK'],
  handler: ({ chain }: { readonly chain: ChainReader }, [reference]) => {
    const header = findHeader(chain, reference)
    return header && blockView(chain, header, false)
  },
})
