/**
 * State changes from geth's `prestateTracer`, for nodes that do not name variables.
 * @module
 */
import { toQuantity } from '../../format/hex.ts'
import type { AccountChanges, Change } from '../../rpc/isonode.ts'

interface TracedAccount {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

/** In `diffMode`: what is not in `post` did not change; an account that is only in `pre` was removed. */
export interface PrestateDiff {
  readonly pre: Readonly<Record<string, TracedAccount>>
  readonly post: Readonly<Record<string, TracedAccount>>
}

const ZERO_WORD = `0x${'0'.repeat(64)}`

export function changesOfDiff({ pre, post }: PrestateDiff): AccountChanges[] {
  const addresses = new Set([...Object.keys(pre), ...Object.keys(post)])
  return [...addresses].map((address) => {
    const before = pre[address] ?? {}
    const isRemoved = post[address] === undefined
    const after: TracedAccount = post[address] ?? { balance: '0x0', nonce: 0, code: '0x' }
    return {
      address,
      contract: null,
      slots: slotsOf(before.storage ?? {}, after.storage ?? {}),
      balance: change(before.balance ?? '0x0', after.balance),
      nonce: change(toQuantity(before.nonce ?? 0), after.nonce === undefined ? undefined : toQuantity(after.nonce)),
      code: change(before.code ?? '0x', isRemoved && before.code === undefined ? undefined : after.code),
    }
  })
}

function change(before: string, after: string | undefined): Change<string> | null {
  return after === undefined || after === before ? null : { before, after }
}

function slotsOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): AccountChanges['slots'] {
  const slots = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...slots].map((slot) => ({
    slot,
    before: before[slot] ?? ZERO_WORD,
    after: after[slot] ?? ZERO_WORD,
    variable: null,
    type: null,
    beforeText: null,
    afterText: null,
  }))
}
