/** Code that the host has released from the arena. */
import { forgetBlocks } from './blocks'
import {
  ADDRESS_BYTES,
  ADDRESS_FLAGS,
  ADDRESS_HAS_CODE,
  ADDRESS_IS_DELEGATED,
  STATE_ADDRESS_COUNT,
  STATE_ADDRESS_TABLE,
} from './layout'

/** Forgets the code of all addresses, since other code may take its place. Frames keep theirs. */
export function forgetCodes(): void {
  const count = load<u32>(STATE_ADDRESS_COUNT)
  let entry = <usize>load<u32>(STATE_ADDRESS_TABLE)
  for (let id: u32 = 0; id < count; id++) {
    store<u32>(entry, load<u32>(entry, ADDRESS_FLAGS) & ~(ADDRESS_HAS_CODE | ADDRESS_IS_DELEGATED), ADDRESS_FLAGS)
    entry += ADDRESS_BYTES
  }
  forgetBlocks()
}
