import type { Decoded } from '../../abi/decoded.ts'
import type { Transaction } from '../../types/transaction.ts'
import type { ContractsBackend, ResolvedContract } from './resolve.ts'

type Message = Pick<Transaction, 'to' | 'data'>

/** Name of the contract that a transaction creates; undefined: it creates none, or it is not known. */
export function createdName({ contracts }: ContractsBackend, { to, data }: Message): string | undefined {
  return to === undefined ? contracts.knowledge.names.created(data)?.name : undefined
}

/**
 * The called function, or the constructor.
 * @param target undefined: the recipient has no code
 */
export function calledFunction(
  { contracts }: ContractsBackend,
  { to, data }: Message,
  target: ResolvedContract | undefined,
): Decoded | undefined {
  const { decoder } = contracts.knowledge
  if (to === undefined) return decoder.creation(data)
  return target === undefined ? undefined : decoder.call(data, target.abis)
}
