/**
 * Balances and allowances of ERC-20 tokens. The storage slot is found by trying: each slot that the token's getter reads
 * is overridden with a probe, until the getter returns the probe. This does not depend on the layout of the storage.
 * @module
 */
import { LATEST } from '../../../api/blockReference.ts'
import { type CallBackend, CallSimulation } from '../../../api/calls/callSimulation.ts'
import type { CallObject } from '../../../api/calls/contract.ts'
import { EMPTY_CALL } from '../../../api/calls/emptyCall.ts'
import type { AccountOverride } from '../../../api/calls/overrides.ts'
import { MAX_PROBED_SLOTS } from '../../../base/limits/limits.ts'
import {
  bigIntToBytesPadded,
  bytesToBigInt,
  concatBytes,
  equalBytes,
  hexToBytes,
} from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { AccessList } from '../../../types/transaction.ts'
import { defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import { callErrors } from '../support/callErrors.ts'
import { account, nothing, number256 } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'

type TokenBackend = DevBackend & CallBackend

interface Slot {
  readonly address: Uint8Array
  readonly slot: Uint8Array
}

/** balanceOf(address) */
const BALANCE_OF = hexToBytes('0x70a08231')
/** allowance(address,address) */
const ALLOWANCE = hexToBytes('0xdd62ed3e')
const WORD_BYTES = 32
/** Values that no token has by chance, below the limit of 96-bit balances. */
const PROBES = [0x5eed_1e55_c0ff_ee11n, 0x0bad_cafe_1234_5677n]

const ERRORS = [...callErrors, 'STORAGE_SLOT_NOT_FOUND']

function getterCall(token: Uint8Array, selector: Uint8Array, accounts: readonly Uint8Array[]): CallObject {
  const words = accounts.map((address) => concatBytes(new Uint8Array(WORD_BYTES - address.length), address))
  return { ...EMPTY_CALL, to: token, data: concatBytes(selector, ...words) }
}

interface Reading {
  /** undefined: the call failed, or did not return one word */
  readonly value: bigint | undefined
  readonly accessed: AccessList
}

/** Calls a getter with a slot overridden. */
async function read(
  backend: TokenBackend,
  call: CallObject,
  context: RequestContext,
  override?: { readonly at: Slot; readonly value: bigint },
): Promise<Reading> {
  const stateOverrides = override === undefined ? undefined : [overrideOf(override.at, override.value)]
  const run = new CallSimulation(backend, { block: LATEST, stateOverrides, blockOverrides: undefined }, context)
  const outcome = await run.run(call, { chargesFees: false, collectAccessed: true })
  if (outcome.kind === 'invalid') return { value: undefined, accessed: [] }
  const { output, accessed = [], outcome: end } = outcome.result
  const isWord = end === 'success' && output.length === WORD_BYTES
  return { value: isWord ? bytesToBigInt(output) : undefined, accessed }
}

function overrideOf({ address, slot }: Slot, value: bigint): AccountOverride {
  const stateDiff = [[slot, bigIntToBytesPadded(value, WORD_BYTES)] as const]
  return {
    address,
    balance: undefined,
    nonce: undefined,
    code: undefined,
    state: undefined,
    stateDiff,
    movePrecompileTo: undefined,
  }
}

/** Slots of the token precede those of other contracts that it reads. */
function candidates(token: Uint8Array, accessed: AccessList): Slot[] {
  const slots = accessed.flatMap(({ address, storageKeys }) => storageKeys.map((slot) => ({ address, slot })))
  const isOwn = ({ address }: Slot): boolean => equalBytes(address, token)
  return [...slots.filter(isOwn), ...slots.filter((slot) => !isOwn(slot))].slice(0, MAX_PROBED_SLOTS)
}

/** @throws {NodeError} STORAGE_SLOT_NOT_FOUND */
async function setToken(
  backend: TokenBackend,
  call: CallObject & { readonly to: Uint8Array },
  { amount, what }: { readonly amount: bigint; readonly what: string },
  context: RequestContext,
): Promise<void> {
  const present = await read(backend, call, context)
  if (present.value === amount) return
  for (const at of candidates(call.to, present.accessed)) {
    const readings: (bigint | undefined)[] = []
    for (const value of PROBES) readings.push((await read(backend, call, context, { at, value })).value)
    if (!PROBES.every((probe, i) => readings[i] === probe)) continue
    if ((await read(backend, call, context, { at, value: amount })).value !== amount) continue
    await devChain(backend).state.setStorage(at.address, at.slot, bigIntToBytesPadded(amount, WORD_BYTES))
    return
  }
  throw new NodeError({ code: 'STORAGE_SLOT_NOT_FOUND' }, `Unable to set ERC20 ${what}, no slot found`)
}

const dealErc20: MethodDefinition<TokenBackend> = defineMethod({
  name: 'anvil_dealERC20',
  aliases: ['anvil_dealErc20', 'hardhat_dealERC20', 'anvil_setERC20Balance'],
  group: 'DEV',
  summary: 'Sets the balance of an account in an ERC-20 token; the total supply is not changed.',
  params: [
    param('address', account, 'The account whose balance is set.'),
    param('token', account, 'Address of the token contract.'),
    param('balance', number256, 'New balance, in the smallest unit of the token.'),
  ],
  result: result('done', nothing),
  errors: ERRORS,
  handler: async (backend: TokenBackend, [owner, token, amount], context) => {
    const call = { ...getterCall(token, BALANCE_OF, [owner]), to: token }
    await setToken(backend, call, { amount, what: 'balance' }, context)
  },
})

const setErc20Allowance: MethodDefinition<TokenBackend> = defineMethod({
  name: 'anvil_setERC20Allowance',
  aliases: ['anvil_setErc20Allowance'],
  group: 'DEV',
  summary: 'Sets the amount of an ERC-20 token that a spender may transfer for an owner.',
  params: [
    param('owner', account, 'The account whose tokens may be spent.'),
    param('spender', account, 'The account that may spend them.'),
    param('token', account, 'Address of the token contract.'),
    param('amount', number256, 'New allowance, in the smallest unit of the token.'),
  ],
  result: result('done', nothing),
  errors: ERRORS,
  handler: async (backend: TokenBackend, [owner, spender, token, amount], context) => {
    const call = { ...getterCall(token, ALLOWANCE, [owner, spender]), to: token }
    await setToken(backend, call, { amount, what: 'allowance' }, context)
  },
})

export const tokenMethods: readonly MethodDefinition<TokenBackend>[] = [dealErc20, setErc20Allowance]
