/**
 * The part of the node that knows contracts.
 * @module
 */
import type { ContractKnowledge } from '../abi/contractKnowledge.ts'
import { ContractsAccess } from '../api/contracts/access.ts'
import type { NodeHost } from './host.ts'

/** Called when a method needs it first. @param knowledge undefined: there is neither a log nor a folder of contracts */
export type OpenContracts = (
  host: Pick<NodeHost, 'logger'>,
  knowledge: ContractKnowledge | undefined,
) => ContractsAccess

export const openContracts: OpenContracts = ({ logger }, knowledge) => {
  const log = logger.child('contracts')
  return new ContractsAccess(knowledge, (problem) => log.warn(problem))
}
