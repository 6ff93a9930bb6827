/** Call data for the contract of a flexible group. */
const word = (value: number): string => value.toString(16).padStart(64, '0')
const keyHex = (key: string): string => Buffer.from(key, 'base64').toString('hex')

/** The contract of the group, in its private state. */
export const PROXY = `0x${'00'.repeat(19)}7c`

/** addParticipants(bytes[]) with keys of 32 bytes in Base64. */
export const adding = (...keys: readonly string[]): string =>
  `0x965a25ef${word(32)}${word(keys.length)}${keys.map((_, i) => word(32 * keys.length + 64 * i)).join('')}${keys
    .map((key) => word(32) + keyHex(key))
    .join('')}`

/** removeParticipant(bytes) */
export const removing = (key: string): string => `0x1f52a8ee${word(32)}${word(32)}${keyHex(key)}`

/** lock() */
export const LOCK = '0xf83d08ba'
