import { equalBytes } from '../base/primitives/bytes.ts'
import type { Message } from './evm.ts'
import type { StateDB } from './stateDb.ts'

/**
 * Moves the value of a message; the caller's balance must suffice. All reads precede the first write, so that a
 * `StoreMiss` leaves no partial change.
 * @param clearsEmpty EIP-161: a transfer of zero creates no account
 */
export function transfer(
  { caller, to, value }: Pick<Message, 'caller' | 'value'> & { readonly to: Uint8Array },
  state: StateDB,
  clearsEmpty: boolean,
): void {
  const sender = state.getAccount(caller)
  const recipient = state.getAccount(to)
  const isSelf = equalBytes(caller, to)
  if (value > 0n && !isSelf) {
    state.setBalance(caller, (sender?.balance ?? 0n) - value)
    state.setBalance(to, (recipient?.balance ?? 0n) + value)
    return
  }
  if (recipient === undefined && !clearsEmpty) state.createAccount(to)
  state.touch(caller)
  state.touch(to)
}
