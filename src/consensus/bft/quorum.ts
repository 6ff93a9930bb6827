/**
 * Number of validators whose agreement is final: ⌈2n/3⌉.
 * @param validators number of validators at the height
 */
export function quorumOf(validators: number): number {
  return Math.ceil((2 * validators) / 3)
}
