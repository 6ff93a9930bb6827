import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import { findHeader } from '../../../api/lookup.ts'
import type { ApiOptions } from '../../../api/options.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { MessageResult } from '../../../evm/evm.ts'
import { enclaveFailure } from '../../../private/privacy/enclaveClient.ts'
import { readGroupId } from '../../../private/privacy/privateLookup.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { keyText, privateCall } from '../../codecs/privacy.ts'
import { address, data, hash32 } from '../../codecs/scalars.ts'
import { nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import { ACCOUNT, BLOCK, PRIVACY_GROUP } from '../support/parameterTexts.ts'
import { isPrivate, PRIVATE_ERRORS, type PrivacyBackend, privacyOf, userOf } from './backend.ts'
import { visibleGroup } from './groupParameter.ts'

interface Backend extends PrivacyBackend {
  readonly chain: ChainReader
}

type CallBackend = Backend & { readonly options: ApiOptions }

const ZERO_ADDRESS = new Uint8Array(20)

/** A private state has no pending block. @throws {NodeError} UNKNOWN_BLOCK */
function headerOf(backend: Backend, block: BlockNumberOrTag): Promise<ChainHeader | undefined> {
  return privacyOf(backend).reads.resident(() => findHeader(backend.chain, block))
}

export const call: MethodDefinition<CallBackend> = defineMethod({
  name: 'priv_call',
  group: 'PRIV',
  summary: 'Calls a contract of a privacy group without a transaction.',
  params: [
    param('privacyGroupId', keyText, PRIVACY_GROUP),
    param(
      'call',
      privateCall,
      'The call. `to` is required, `value` must be 0, `from` is the zero address if absent. Gas is not limited.',
    ),
    param('block', blockNumberOrTag, BLOCK),
  ],
  result: result('output', nullable(data)),
  errors: [
    ...PRIVATE_ERRORS,
    'UNKNOWN_BLOCK',
    'INTERNAL_ERROR',
    'EXECUTION_REVERTED',
    'EXECUTION_FAILED',
    'EXECUTION_TIMEOUT',
  ],
  isServed: isPrivate,
  handler: async (backend: CallBackend, [group, given, block], context) => {
    const groupId = await visibleGroup(backend, group, context)
    const header = await headerOf(backend, block)
    if (header === undefined) return undefined
    const { from = ZERO_ADDRESS, ...rest } = given
    if (rest.value !== 0n) throw new NodeError({ code: 'INVALID_PARAMS' }, 'private calls cannot transfer ether')
    const called = await privacyOf(backend).reads.call(groupId, { ...rest, from }, header, context)
    if (called.outcome === 'success') return called.output
    throw failedCall(called, backend)
  },
})

/** Besu's clients know one error for all failures, without data. */
function failedCall({ outcome, output, halt }: MessageResult, { options }: CallBackend): NodeError {
  if (options.profile !== 'geth') return new NodeError({ code: 'INVALID_PARAMS' }, 'the private call failed')
  return outcome === 'revert'
    ? new NodeError({ code: 'EXECUTION_REVERTED', data: output }, 'execution reverted')
    : new NodeError({ code: 'EXECUTION_FAILED' }, `the private call failed: ${halt ?? outcome}`)
}

export const getCode: MethodDefinition<Backend> = defineMethod({
  name: 'priv_getCode',
  group: 'PRIV',
  summary: 'Code of an account of a privacy group; null when the group has no such account.',
  params: [
    param('privacyGroupId', keyText, PRIVACY_GROUP),
    param('address', address, ACCOUNT),
    param('block', blockNumberOrTag, BLOCK),
  ],
  result: result('code', nullable(data)),
  errors: [...PRIVATE_ERRORS, 'UNKNOWN_BLOCK', 'INTERNAL_ERROR'],
  isServed: isPrivate,
  handler: async (backend: Backend, [group, account, block], context) => {
    const groupId = await visibleGroup(backend, group, context)
    const header = await headerOf(backend, block)
    return header && privacyOf(backend).reads.code(groupId, account, header)
  },
})

export const debugGetStateRoot: MethodDefinition<Backend> = defineMethod({
  name: 'priv_debugGetStateRoot',
  group: 'PRIV',
  summary: 'State root of a privacy group after a block; null for a block that does not exist.',
  params: [param('privacyGroupId', keyText, PRIVACY_GROUP), param('block', blockNumberOrTag, BLOCK)],
  result: result('stateRoot', nullable(hash32)),
  errors: [...PRIVATE_ERRORS, 'FIND_PRIVACY_GROUP_ERROR', 'ENCLAVE_ERROR', 'UNKNOWN_BLOCK'],
  isServed: isPrivate,
  handler: async (backend: Backend, [group, block], context) => {
    await checkGroup(backend, group, context)
    const groupId = readGroupId(group)
    if (groupId === undefined) throw noGroup()
    const header = await headerOf(backend, block)
    if (header === undefined) return undefined
    const { reads } = privacyOf(backend)
    return (await reads.resident(() => reads.rootAt(groupId, header))).hash
  },
})

async function checkGroup(backend: Backend, group: string, context: RequestContext): Promise<void> {
  const { tenants } = privacyOf(backend)
  const members = await membersOf(backend, group)
  if (members === undefined) throw noGroup()
  if (tenants.areSeparate && !members.includes(userOf(backend, context))) throw noGroup()
}

/** @returns undefined for an unknown group; members are only known where they matter */
async function membersOf(backend: Backend, group: string): Promise<readonly string[] | undefined> {
  const { isFlexible, reads, enclave, tenants } = privacyOf(backend)
  if (isFlexible) {
    const groupId = readGroupId(group)
    const contract = groupId && (await reads.contract(groupId))
    return contract?.version === undefined ? undefined : contract.members
  }
  try {
    if (tenants.areSeparate) return (await enclave.retrieveGroup(group)).members
    await enclave.checkGroup(group)
    return []
  } catch (error) {
    const failure = enclaveFailure(error)
    if (failure === undefined) throw error
    if (failure.kind === 'refused' && NOT_FOUND.test(failure.reason)) return undefined
    const code = failure.kind === 'refused' ? 'ENCLAVE_ERROR' : 'INVALID_PARAMS'
    throw new NodeError({ code }, (error as Error).message, { cause: error })
  }
}

/** Orion's and Tessera's texts. */
const NOT_FOUND = /^PrivacyGroupNotFound$|^Privacy group .*not found$/

function noGroup(): NodeError {
  return new NodeError({ code: 'FIND_PRIVACY_GROUP_ERROR' }, 'there is no such privacy group')
}
