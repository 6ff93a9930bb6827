/**
 * Number of validators whose agreement is final: ⌈2n/3⌉.
 * @param validators number of validators at the height
 */
export function quorumOf(validators: number): number {
  return Math.ceil((2 * validators) / 3)
}

/** Number of faulty validators that the protocols tolerate: f, the largest number with 3f < n. */
export function faultyOf(validators: number): number {
  return Math.floor((validators - 1) / 3)
}
