/** A source of cryptographically strong random numbers. */
export interface Random {
  /** @param length at most 65,536 @returns new bytes, owned by the caller */
  bytes(length: number): Uint8Array
}

/** @returns an integer from 0 to 2^32 - 1 */
export function randomUint32(random: Random): number {
  const [a, b, c, d] = random.bytes(4) as unknown as [number, number, number, number]
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}
