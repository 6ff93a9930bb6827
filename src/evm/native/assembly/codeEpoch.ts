/** Code that the host has released from the arena. */
import { forgetBlocks } from './blocks'

/** Pointers to code that an address has are valid when they were stored in this epoch. */
export let codeEpoch: u32 = 0

/** The host has released code that no frame runs: other code may take its place. */
export function forgetCodes(): void {
  codeEpoch++
  forgetBlocks()
}
