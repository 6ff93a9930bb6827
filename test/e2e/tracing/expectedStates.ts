/** Converts anvil's headers, receipts and states into those expected of us. */
import { type Hex, keccak256 } from 'viem'
import type { Met } from './differences.ts'

type Fields = Readonly<Record<string, unknown>>

const OWN_HEADER_FIELDS = ['hash', 'parentHash', 'stateRoot', 'size']
const BLOB_TYPE = '0x3'
const DELEGATION = '0xef0100'

/** @param hasBlobs sidecars are not part of the transactions of a block */
export function expectedHeader(anvil: Fields, ours: Fields, hasBlobs: boolean, met: Met): Fields {
  met.add('header: hashes, state root, size')
  return { ...anvil, ...picked(ours, hasBlobs ? [...OWN_HEADER_FIELDS, 'transactionsRoot'] : OWN_HEADER_FIELDS) }
}

export function expectedReceipt(anvil: Fields, ours: Fields, met: Met): Fields {
  met.add('receipt: blob gas price, time')
  const expected = without(anvil, anvil['type'] === BLOB_TYPE ? ['blockTimestamp'] : ['blobGasPrice', 'blockTimestamp'])
  const logs = (anvil['logs'] as readonly Fields[]).map((log) => ({
    ...without(log, ['blockTimestamp']),
    blockHash: ours['blockHash'],
  }))
  return { ...expected, logs, blockHash: ours['blockHash'] }
}

export interface AccountState {
  readonly balance?: string
  readonly code?: Hex
  readonly codeHash?: string
  readonly nonce?: number
  readonly storage?: Readonly<Record<string, string>>
}
export type State = Readonly<Record<string, AccountState>>
export interface StateDifference {
  readonly pre: State
  readonly post: State
}

/** Data known about the transaction. */
export interface LookedAt {
  /** Slots of SLOADs and SSTOREs that failed, as `address slot`. */
  readonly failedSlots: ReadonlySet<string>
  readonly to: string | null
  /** Accounts to which its authorizations delegate. */
  readonly delegates: readonly string[]
}

export function expectedPrestate(anvil: State, ours: State, { failedSlots, to, delegates }: LookedAt, met: Met): State {
  const expected: Record<string, AccountState> = {}
  for (const [address, account] of Object.entries(anvil)) {
    const isAbsent = ours[address] === undefined
    if (isAbsent && isEmpty(account)) met.add('prestateTracer: accounts that were empty')
    else if (isAbsent && delegates.includes(address)) met.add('prestateTracer: new delegation of the recipient')
    else expected[address] = withoutFailedSlots(address, withCodeHash(account, met), ours[address], failedSlots, met)
  }
  const delegate = formerDelegate(to === null ? undefined : anvil[to])
  if (delegate !== undefined && expected[delegate] === undefined && ours[delegate] !== undefined) {
    met.add('prestateTracer: former delegation of the recipient')
    expected[delegate] = ours[delegate]
  }
  return expected
}

export function expectedStateDifference(anvil: StateDifference, ours: StateDifference, met: Met): StateDifference {
  const pre: Record<string, AccountState> = {}
  for (const [address, account] of Object.entries(anvil.pre)) {
    if (ours.pre[address] === undefined && isEmpty(account)) met.add('prestateTracer: accounts that were empty')
    else pre[address] = withCodeHash(account, met)
  }
  const post: Record<string, AccountState> = {}
  for (const [address, account] of Object.entries(anvil.post)) {
    post[address] = withCodeHash(account, met)
    const before = anvil.pre[address]?.code
    if (account.code !== undefined || before?.startsWith(DELEGATION) !== true || ours.post[address]?.code !== '0x')
      continue
    met.add('prestateTracer: delegation that is cleared')
    post[address] = { ...account, code: '0x', codeHash: keccak256('0x') }
  }
  return { pre, post }
}

function isEmpty({ balance, code, nonce, storage = {} }: AccountState): boolean {
  const hasNoStorage = Object.values(storage).every((value) => BigInt(value) === 0n)
  return BigInt(balance ?? 0) === 0n && (code ?? '0x') === '0x' && (nonce ?? 0) === 0 && hasNoStorage
}

function withCodeHash(account: AccountState, met: Met): AccountState {
  if (account.code === undefined || account.code === '0x') return account
  met.add('prestateTracer: hash of code')
  return { ...account, codeHash: keccak256(account.code) }
}

function withoutFailedSlots(
  address: string,
  account: AccountState,
  ours: AccountState | undefined,
  failedSlots: ReadonlySet<string>,
  met: Met,
): AccountState {
  const { storage, ...rest } = account
  if (storage === undefined) return account
  const kept = Object.entries(storage).filter(([slot]) => {
    if (ours?.storage?.[slot] !== undefined || !failedSlots.has(`${address} ${BigInt(slot)}`)) return true
    met.add('prestateTracer: slots of an opcode that failed')
    return false
  })
  return kept.length === 0 ? rest : { ...rest, storage: Object.fromEntries(kept) }
}

function formerDelegate(account: AccountState | undefined): string | undefined {
  const code = account?.code
  return code?.startsWith(DELEGATION) ? `0x${code.slice(DELEGATION.length)}` : undefined
}

function picked(from: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, from[name]]))
}

function without(from: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)))
}
