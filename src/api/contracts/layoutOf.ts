import type { StorageLayout } from '../../abi/layout/storageLayout.ts'
import type { ContractsAccess } from './access.ts'
import type { ResolvedContract } from './resolve.ts'

/**
 * The layout of the storage of an account; of a proxy, that of its implementation.
 * @param at finds the contract at an address
 * @returns undefined when no artifact has one
 */
export async function layoutOf(
  contracts: ContractsAccess,
  contract: Pick<ResolvedContract, 'artifact' | 'implementation'>,
  at: (address: Uint8Array) => Promise<Pick<ResolvedContract, 'artifact'> | undefined>,
): Promise<StorageLayout | undefined> {
  const behind = contract.implementation && (await at(contract.implementation))
  for (const artifact of [behind?.artifact, contract.artifact]) {
    if (artifact === undefined) continue
    await contracts.debugged([artifact])
    const layout = contracts.knowledge.debug?.of(artifact)?.layout
    if (layout !== undefined) return layout
  }
  return undefined
}
