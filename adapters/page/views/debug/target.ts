/**
 * The target of a debugger: the transaction of the address, or a call that another view has left in the tab's storage.
 * @module
 */
import { isHash } from '../../format/hex.ts'
import { readDraft, writeDraft } from '../../state/settings.ts'
import type { CallTarget, Target } from './types.ts'

const STORED_CALL = 'debug-call'
/** The part of the address in the place of a hash. */
const CALL = 'call'

/** Leaves a call for the debugger; open `#/debug/call` afterwards. */
export function storeCall(target: CallTarget): void {
  writeDraft(STORED_CALL, JSON.stringify(target))
}

/** @returns undefined when there is nothing to run */
export function targetOf(id: string): Target | undefined {
  if (id !== CALL) return isHash(id) ? id : undefined
  const stored = readDraft(STORED_CALL)
  return stored === undefined ? undefined : (JSON.parse(stored) as CallTarget)
}

/** Names a target in keys. */
export function targetKey(target: Target | undefined): string {
  return typeof target === 'string' ? target : JSON.stringify(target)
}
