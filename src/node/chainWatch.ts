/**
 * The line about the head of a node that is not a dev chain.
 * @module
 */
import type { BlockProduction } from './blockProduction.ts'
import { HeadLog, isAuthorIn } from './headLog.ts'
import type { NodeHost } from './host.ts'
import type { NodeNetwork } from './network/nodeNetwork.ts'
import type { RunningInfo } from './nodeInfo.ts'
import type { ChainServices } from './openChain.ts'
import { StandstillWatch } from './standstill.ts'

export function openWatch(
  { clock, timers, logger }: NodeHost,
  { chain }: ChainServices,
  production: BlockProduction,
  network: NodeNetwork | undefined,
): StandstillWatch {
  const { attendance } = production
  const peerCount = (): number | undefined => network?.peers.length
  return new StandstillWatch({ chain, clock, timers, logger: logger.child('chain'), attendance, peerCount })
}

export function openHeadLog(
  { logger, signer }: NodeHost,
  { chain }: ChainServices,
  { attendance, mining }: BlockProduction,
  info: RunningInfo,
): HeadLog {
  return new HeadLog({
    chain,
    logger: logger.child('chain'),
    isSynchronising: () => info.syncStatus !== undefined,
    isLogged: (author) => attendance() !== undefined || isAuthorIn([signer?.address, mining.coinbase], author),
  })
}
