/**
 * The log of the dev chain as a part of the node.
 * @module
 */
import type { AbiLibrary } from '../activityLog/abi/abiLibrary.ts'
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
): Promise<Activity | undefined> {
  const { activity, clock, timers, senders, yieldToHost } = host
  if (activity === undefined || !isLogged(host, settings)) return undefined
  const [{ ActivityLog }, { AbiLibrary }, { Replay }] = await Promise.all([
    import('../activityLog/activityLog.ts'),
    import('../activityLog/abi/abiLibrary.ts'),
    import('../tracing/replay.ts'),
  ])
  const { output, artifacts } = activity
  const { isVerbose } = settings
  const states = stateSource(store)
  const tracing = new Replay({ ...execution, chain, states, senders })
  const abi = artifacts.length === 0 ? undefined : new AbiLibrary({ folders: artifacts, clock, yieldToHost })
  const log = new ActivityLog({ chain, states, tracing, output, clock, timers, abi, isVerbose })
  let unsubscribe: (() => void) | undefined
  return {
    name: 'activity log',
    log,
    start: () => {
      unsubscribe = chain.events.on('head', (event) => log.headMoved(event))
      if (abi !== undefined) void readArtifacts(abi, log)
    },
    stop: () => {
      unsubscribe?.()
      log.close()
    },
  }
}

async function readArtifacts(abi: AbiLibrary, log: ActivityLog): Promise<void> {
  for (const problem of await abi.refresh()) log.note('warn', problem)
  const count = abi.index.artifacts.length
  log.note('info', `the log names ${count} ${count === 1 ? 'contract' : 'contracts'} of --abi`)
}
