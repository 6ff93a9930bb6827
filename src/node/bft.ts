/**
 * BFT engines as the API sees them, over a chain that uses one.
 * @module
 */
import type { BftAccess } from '../api/bftAccess.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { ValidatorReader, type ValidatorReaderParts } from '../consensus/bft/validatorReader.ts'

/** Whether some blocks of the chain belong to one of these engines. */
export function usesBft(
  { consensus }: Pick<ChainConfig, 'consensus'>,
  kinds: readonly string[] = ['ibft2', 'qbft', 'ibft'],
): boolean {
  return consensus.entries.some(({ value }) => kinds.includes(value.kind))
}

/** @returns undefined when the chain uses none of the engines */
export function bftAccess(parts: ValidatorReaderParts, votes: BftAccess['votes']): BftAccess | undefined {
  return usesBft(parts.chain.config) ? { validators: new ValidatorReader(parts), votes } : undefined
}
