/**
 * Signers and validators of a chain, for the API and for the log.
 * @module
 */
import type { BftAccess } from '../api/bftAccess.ts'
import type { CliqueAccess } from '../api/cliqueAccess.ts'
import type { BlockProduction } from './blockProduction.ts'
import { BFT_KINDS, CLIQUE_KINDS, usesEngine } from './engineKinds.ts'
import type { NodeHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { ChainServices } from './openChain.ts'
import { stateSource } from './stateSource.ts'

export interface Signers {
  /** undefined on chains without Clique */
  readonly clique: CliqueAccess | undefined
  /** undefined on chains without IBFT 2.0, QBFT and legacy IBFT */
  readonly bft: BftAccess | undefined
  readonly watches: readonly Lifecycle[]
}

/** Loads the code of the engines that the chain has. */
export async function openSigners(
  { signer, residency, logger }: NodeHost,
  { chain, states, consensus, execution }: ChainServices,
  { votes, proposals }: BlockProduction,
): Promise<Signers> {
  const { config } = chain
  if (!usesEngine(config, [...CLIQUE_KINDS, ...BFT_KINDS])) return { clique: undefined, bft: undefined, watches: [] }
  const [clique, bft, { SignerWatch }] = await Promise.all([
    import('./clique.ts'),
    import('./bft.ts'),
    import('./signerWatch.ts'),
  ])
  const reads = { chain, states: stateSource(states), execution }
  const groups = [bft.validatorGroup(reads, votes), clique.cliqueGroup(chain, consensus, proposals)]
  const parts = { chain, local: signer?.address, residency, logger: logger.child('chain') }
  return {
    clique: clique.cliqueAccess(chain, consensus, proposals),
    bft: bft.bftAccess(reads, votes),
    watches: groups.flatMap((group) => (group === undefined ? [] : [new SignerWatch({ ...parts, group })])),
  }
}
