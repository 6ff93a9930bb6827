/**
 * State and block overrides of simulated calls.
 * @see execution-apis, eth_simulateV1
 * @module
 */

import type { AccountOverride, BlockOverrides, StorageOverride } from '../../api/calls/overrides.ts'
import { invalidParams, unexpectedValue } from '../../api/errors.ts'
import type { RpcProfile } from '../../api/profile.ts'
import type { Withdrawal } from '../../types/block.ts'
import type { Codec } from '../method.ts'
import { address, data, hash32, slotWord, uint64, wei, word } from './scalars.ts'
import { WITHDRAWAL } from './schemas.ts'
import { arrayOf, asObject, type JsonObject, member, parameterCodec } from './support.ts'

/** Number of slots of an override that are decoded eagerly, which takes a fraction of a millisecond. */
const EAGER_SLOTS = 512

const storageMap: Codec<StorageOverride> = parameterCodec(
  { title: 'Storage slots', type: 'object', additionalProperties: hash32.schema },
  (value, profile) => {
    const slots = new Slots(Object.entries(asObject(value, 'storage')), profile)
    return slots.length > EAGER_SLOTS ? slots : [...slots]
  },
)

class Slots implements StorageOverride {
  readonly #entries: readonly (readonly [string, unknown])[]
  readonly #profile: RpcProfile | undefined

  constructor(entries: readonly (readonly [string, unknown])[], profile: RpcProfile | undefined) {
    this.#entries = entries
    this.#profile = profile
  }

  get length(): number {
    return this.#entries.length
  }

  /** @throws {NodeError} INVALID_PARAMS */
  *[Symbol.iterator](): Generator<readonly [Uint8Array, Uint8Array], void, undefined> {
    for (const [slot, content] of this.#entries) {
      yield [slotWord.parse(slot, this.#profile), slotWord.parse(content, this.#profile)]
    }
  }
}

function accountOverride(key: string, value: unknown, profile: RpcProfile | undefined): AccountOverride {
  const override = asObject(value, 'account override')
  const state = member(override, 'state', storageMap, profile)
  const stateDiff = member(override, 'stateDiff', storageMap, profile)
  if (state !== undefined && stateDiff !== undefined) {
    throw invalidParams(`account ${key} has both 'state' and 'stateDiff'`)
  }
  return {
    address: address.parse(key, profile),
    balance: member(override, 'balance', wei),
    nonce: member(override, 'nonce', uint64),
    code: member(override, 'code', data),
    state,
    stateDiff,
    movePrecompileTo: member(override, 'movePrecompileToAddress', address, profile),
  }
}

export const stateOverrides: Codec<readonly AccountOverride[]> = parameterCodec(
  {
    title: 'State overrides',
    type: 'object',
    additionalProperties: {
      title: 'Account override',
      type: 'object',
      properties: {
        balance: wei.schema,
        nonce: uint64.schema,
        code: data.schema,
        state: storageMap.schema,
        stateDiff: storageMap.schema,
        movePrecompileToAddress: address.schema,
      },
    },
  },
  (value, profile) =>
    Object.entries(asObject(value, 'state overrides')).map(([key, account]) => accountOverride(key, account, profile)),
)

const withdrawal: Codec<Withdrawal> = parameterCodec(WITHDRAWAL, (value, profile) => {
  const entry = asObject(value, 'withdrawal')
  const recipient = member(entry, 'address', address, profile)
  if (recipient === undefined) throw unexpectedValue('an address', 'none', 'withdrawal')
  return {
    index: member(entry, 'index', uint64) ?? 0n,
    validatorIndex: member(entry, 'validatorIndex', uint64) ?? 0n,
    address: recipient,
    amount: member(entry, 'amount', uint64) ?? 0n,
  }
})

const withdrawals = arrayOf(withdrawal)

/** The first of several names of the same override that is present. */
function firstMember<T>(
  object: JsonObject,
  keys: readonly string[],
  codec: Codec<T>,
  profile?: RpcProfile,
): T | undefined {
  for (const key of keys) {
    const value = member(object, key, codec, profile)
    if (value !== undefined) return value
  }
  return undefined
}

export const blockOverrides: Codec<BlockOverrides> = parameterCodec(
  {
    title: 'Block overrides',
    type: 'object',
    properties: {
      number: uint64.schema,
      time: uint64.schema,
      gasLimit: uint64.schema,
      feeRecipient: address.schema,
      prevRandao: hash32.schema,
      difficulty: wei.schema,
      baseFeePerGas: wei.schema,
      blobBaseFee: wei.schema,
      beaconRoot: hash32.schema,
      withdrawals: withdrawals.schema,
    },
  },
  (value, profile) => {
    const block = asObject(value, 'block overrides')
    return {
      number: member(block, 'number', uint64),
      time: firstMember(block, ['time', 'timestamp'], uint64),
      gasLimit: member(block, 'gasLimit', uint64),
      feeRecipient: firstMember(block, ['feeRecipient', 'coinbase'], address, profile),
      prevRandao: firstMember(block, ['prevRandao', 'random', 'mixHash'], word),
      difficulty: member(block, 'difficulty', wei),
      baseFeePerGas: firstMember(block, ['baseFeePerGas', 'baseFee'], wei),
      blobBaseFee: member(block, 'blobBaseFee', wei),
      parentBeaconBlockRoot: firstMember(block, ['beaconRoot', 'parentBeaconBlockRoot'], hash32),
      withdrawals: member(block, 'withdrawals', withdrawals, profile),
    }
  },
)
