/**
 * Selection of the proposer of a round.
 * @see docs/reference/consensus-ibft-qbft.md section 5
 * @module
 */
import { compareBytes } from '../../base/primitives/bytes.ts'

/**
 * Round 0 goes to the validator after the proposer of the parent, each further round to the next one.
 * @param validators of the height, ascending, at least one; 20 bytes each
 * @param parentProposer beneficiary of the parent block, whether or not it is still a validator
 */
export function proposerOf(validators: readonly Uint8Array[], parentProposer: Uint8Array, round: number): Uint8Array {
  if (validators.length === 0) throw new RangeError('validators: at least one is needed to select a proposer')
  let first = validators.findIndex((validator) => compareBytes(validator, parentProposer) > 0)
  if (first === -1) first = 0
  return validators[(first + round) % validators.length] as Uint8Array
}
