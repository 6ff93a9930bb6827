import { hexToBytes } from '../base/primitives/bytes.ts'

/** Address of `console.log`, 20 bytes: `console.log` in ASCII. */
export const CONSOLE_ADDRESS: Uint8Array = hexToBytes('0x000000000000000000636F6e736F6c652e6c6f67')
