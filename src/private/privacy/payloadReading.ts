/**
 * The meaning of a marker's payload for this node.
 * @module
 */
import { fromBase64, toBase64 } from '../../base/primitives/base64.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { rlpDecodeList } from '../../base/primitives/rlp.ts'
import { type EnclaveClient, enclaveFailure, type ReceivedPayload } from './enclaveClient.ts'
import { type GroupHistory, readGroupHistory } from './groupHistory.ts'
import { isGroupId } from './groups.ts'
import {
  decodePrivateTransaction,
  type PrivateTransaction,
  privateChainId,
  readPrivateTransaction,
} from './privateTransaction.ts'

export interface PayloadTransaction {
  readonly transaction: PrivateTransaction
  /** 32 bytes */
  readonly groupId: Uint8Array
  /** Version of the flexible group that the sender knew, 32 bytes; undefined for other groups. */
  readonly version: Uint8Array | undefined
}

export interface MarkerPayload {
  /** Private transaction to run; undefined: the marker has no effect on this node. */
  readonly run: PayloadTransaction | undefined
  /** Earlier transactions of a flexible group, for its new members. */
  readonly history: GroupHistory | undefined
  /** The enclave does not have the payload for one of its keys. */
  readonly isMissing: boolean
  /** Memory (estimate). */
  readonly bytes: number
}

const KEY_BYTES = 32

/**
 * Fetches and reads the payload of a marker. A payload that is not for this node, or makes no sense, has no effect:
 * anyone can send one.
 * @param data of the marker, 32 or 64 bytes
 * @throws {NodeError} ENCLAVE_FAILURE if the enclave is unreachable
 */
export async function readPayload(
  enclave: EnclaveClient,
  data: Uint8Array,
  isFlexible: boolean,
): Promise<MarkerPayload> {
  const received = await receive(enclave, data.subarray(0, KEY_BYTES))
  const run = received && (isFlexible ? flexibleRun(received) : await enclaveRun(enclave, received))
  const historyKey = isFlexible && data.length > KEY_BYTES ? data.slice(KEY_BYTES) : undefined
  const carried = historyKey && (await receive(enclave, historyKey))
  const history = historyKey && carried && readGroupHistory(carried.payload, historyKey)
  const bytes = (received?.payload.length ?? 0) + (carried?.payload.length ?? 0)
  return { run, history, isMissing: received === undefined, bytes }
}

/** @returns undefined when the enclave does not have it for one of its keys */
async function receive(enclave: EnclaveClient, key: Uint8Array): Promise<ReceivedPayload | undefined> {
  try {
    return await enclave.receive(key)
  } catch (error) {
    if (enclaveFailure(error)?.kind === 'refused') return undefined
    throw error
  }
}

async function enclaveRun(
  enclave: EnclaveClient,
  { payload, privacyGroupId, senderKey }: ReceivedPayload,
): Promise<PayloadTransaction | undefined> {
  const transaction = readable(() => decodePrivateTransaction(payload))
  const groupId = fromBase64(privacyGroupId)
  if (transaction === undefined || groupId === undefined || !isGroupId(groupId)) return undefined
  const from = toBase64(transaction.privateFrom)
  if (from !== senderKey) return undefined
  const { recipients } = transaction
  const isNamed = recipients.kind === 'group' || recipients.keys.length === 0
  if (isNamed && !(await hasMember(enclave, privacyGroupId, from))) return undefined
  return { transaction, groupId, version: undefined }
}

async function hasMember(enclave: EnclaveClient, privacyGroupId: string, member: string): Promise<boolean> {
  try {
    return (await enclave.retrieveGroup(privacyGroupId)).members.includes(member)
  } catch (error) {
    if (enclaveFailure(error)?.kind === 'refused') return false
    throw error
  }
}

/** The payload of a flexible group: the transaction and the version of the group. */
function flexibleRun({ payload, senderKey }: ReceivedPayload): PayloadTransaction | undefined {
  const versioned = readable(() => readVersioned(payload))
  if (versioned === undefined || toBase64(versioned.transaction.privateFrom) !== senderKey) return undefined
  const { recipients } = versioned.transaction
  if (recipients.kind !== 'group' || !isGroupId(recipients.id)) return undefined
  return { ...versioned, groupId: recipients.id }
}

/** @throws {NodeError} INVALID_RLP, INVALID_TRANSACTION_ENCODING */
export function readVersioned(payload: Uint8Array): {
  readonly transaction: PrivateTransaction
  readonly version: Uint8Array | undefined
} {
  const [transaction, version] = rlpDecodeList(payload)
  return {
    transaction: readPrivateTransaction(transaction ?? []),
    version: version instanceof Uint8Array ? version : undefined,
  }
}

function readable<T extends PrivateTransaction | { readonly transaction: PrivateTransaction }>(
  read: () => T,
): T | undefined {
  try {
    const value = read()
    privateChainId('transaction' in value ? value.transaction : value)
    return value
  } catch (error) {
    if (isNodeError(error)) return undefined
    throw error
  }
}
