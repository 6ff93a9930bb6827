import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import { enclaveFailure } from '../../../private/privacy/enclaveClient.ts'
import { privateContractAddress } from '../../../private/privacy/groups.ts'
import type { FoundTransaction } from '../../../private/privacy/privateLookup.ts'
import { readGroupId } from '../../../private/privacy/privateLookup.ts'
import { type PrivateTransaction, privateSender } from '../../../private/privacy/privateTransaction.ts'
import { privateReceipt, privateTransaction, rawPrivate } from '../../codecs/privacy.ts'
import { data, hash32 } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { ENCLAVE_ERRORS, errorOfEnclave, throwOfEnclave } from '../support/enclaveErrors.ts'
import { MARKER_HASH, PRIVATE_TRANSACTION } from '../support/parameterTexts.ts'
import { isPrivate, PRIVATE_ERRORS, type PrivacyBackend, privacyOf, userOf } from './backend.ts'

/** Errors of private transactions before they are distributed. */
export const DISTRIBUTION_ERRORS: readonly string[] = [
  'DECODE_ERROR',
  'PRIVATE_FROM_DOES_NOT_MATCH_ENCLAVE_PUBLIC_KEY',
  'WRONG_CHAIN_ID',
  'NONCE_TOO_LOW',
  'FLEXIBLE_PRIVACY_GROUP_ID_NOT_AVAILABLE',
  'FLEXIBLE_PRIVACY_GROUP_DOES_NOT_EXIST',
  ...ENCLAVE_ERRORS,
]

export const distributeRawTransaction: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_distributeRawTransaction',
  group: 'PRIV',
  summary: 'Passes a signed private transaction to the members of its group; returns the data for its marker.',
  params: [param('transaction', rawPrivate, PRIVATE_TRANSACTION)],
  result: result('key', data),
  errors: [...PRIVATE_ERRORS, ...DISTRIBUTION_ERRORS],
  isServed: isPrivate,
  handler: (backend: PrivacyBackend, [raw], context) =>
    distributed(() => privacyOf(backend).distribution.distribute(raw, userOf(backend, context), false)),
})

async function distributed(work: () => Promise<{ readonly markerData: Uint8Array }>): Promise<Uint8Array> {
  try {
    return (await work()).markerData
  } catch (error) {
    throw errorOfEnclave(error)
  }
}

export const getPrivateTransaction: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_getPrivateTransaction',
  group: 'PRIV',
  summary: 'The private transaction of a marker; null for other transactions and for those of strangers.',
  params: [param('markerHash', hash32, MARKER_HASH)],
  result: result('transaction', privateTransaction),
  errors: [...PRIVATE_ERRORS, ...ENCLAVE_ERRORS, 'INTERNAL_ERROR'],
  isServed: isPrivate,
  handler: async (backend: PrivacyBackend, [hash], context) => {
    const { lookup } = privacyOf(backend)
    const transaction = await lookup.find(hash, userOf(backend, context)).catch(throwLookup)
    return transaction && { transaction: transaction.transaction, from: senderOf(transaction.transaction) }
  },
})

/** The enclave's refusals have their own errors; an unreachable enclave has none. */
function throwLookup(error: unknown): never {
  if (enclaveFailure(error)?.kind === 'refused') throwOfEnclave(error)
  return throwTrouble(error)
}

function throwTrouble(error: unknown): never {
  if (enclaveFailure(error) === undefined) throw error
  throw new NodeError({ code: 'INTERNAL_ERROR' }, (error as Error).message, { cause: error })
}

export const getTransactionReceipt: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_getTransactionReceipt',
  group: 'PRIV',
  summary: 'Receipt of the private transaction of a marker; null for other transactions and for those of strangers.',
  params: [param('markerHash', hash32, MARKER_HASH)],
  result: result('receipt', privateReceipt),
  errors: [...PRIVATE_ERRORS, 'INTERNAL_ERROR'],
  isServed: isPrivate,
  handler: async (backend: PrivacyBackend, [hash], context) => {
    const { lookup } = privacyOf(backend)
    const privateTransaction = await lookup.find(hash, userOf(backend, context)).catch(noPayload)
    if (privateTransaction === undefined) return undefined
    const { transaction, location: place, groupId } = privateTransaction
    const { blockHash, blockNumber, index } = place
    const from = senderOf(transaction)
    const contractAddress = contractOf(privateTransaction, from)
    const receipt = await lookup.receipt(place)
    return { transaction, from, contractAddress, groupId, hash, blockHash, blockNumber, index, receipt }
  },
})

function noPayload(error: unknown): FoundTransaction | undefined {
  return enclaveFailure(error)?.reason === 'EnclavePayloadNotFound' ? undefined : throwTrouble(error)
}

function contractOf({ transaction, groupId }: FoundTransaction, from: Uint8Array | undefined): Uint8Array | undefined {
  const id = readGroupId(groupId)
  if (transaction.to !== undefined || from === undefined || id === undefined) return undefined
  return privateContractAddress(from, transaction.nonce, id)
}

function senderOf(transaction: PrivateTransaction): Uint8Array | undefined {
  try {
    return privateSender(transaction)
  } catch (error) {
    if (isNodeError(error, 'INVALID_PRIVATE_SIGNATURE')) return undefined
    throw error
  }
}
