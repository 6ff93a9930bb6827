/**
 * The log of the dev chain as a part of the node.
 * @module
 */
import type { ContractKnowledge } from '../abi/contractKnowledge.ts'
import type { ActivityLog } from '../activityLog/activityLog.ts'
import type { NodeHost } from './host.ts'
import { isLogged } from './isLogged.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { ChainServices } from './openChain.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { stateSource } from './stateSource.ts'

export interface Activity extends Lifecycle {
  readonly log: ActivityLog
}

/** @returns undefined when nothing is logged */
export async function openActivity(
  host: NodeHost,
  { chain, states: store, execution }: ChainServices,
  settings: Pick<NodeSettings, 'isDev' | 'isVerbose'>,
  contracts: ContractKnowledge | undefined,
): Promise<Activity | undefined> {
  const { activity, clock, timers, senders } = host
  if (activity === undefined || contracts === undefined || !isLogged(host, settings)) return undefined
  const [{ ActivityLog }, { Replay }, { contractFolders }] = await Promise.all([
    import('../activityLog/activityLog.ts'),
    import('../tracing/replay.ts'),
    import('./contractFolders.ts'),
  ])
  const { output } = activity
  const { isVerbose } = settings
  const states = stateSource(store)
  const tracing = new Replay({ ...execution, chain, states, senders })
  const log = new ActivityLog({ chain, states, tracing, output, clock, timers, contracts, isVerbose })
  const note = (level: 'info' | 'warn') => (text: string) => log.note(level, text)
  const folders = contractFolders(contracts, { info: note('info'), warn: note('warn') }, 'the log names')
  let unsubscribe: (() => void) | undefined
  return {
    name: 'activity log',
    log,
    start: () => {
      unsubscribe = chain.events.on('head', (event) => log.headMoved(event))
      void folders?.start?.()
    },
    stop: () => {
      unsubscribe?.()
      log.close()
    },
  }
}
