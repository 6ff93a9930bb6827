import { BlockTraceFiles } from '../tracing/blockTraceFiles.ts'
import type { BlockTracing } from '../tracing/contract.ts'
import { Replay } from '../tracing/replay.ts'
import type { NodeHost } from './host.ts'
import type { ChainServices } from './openChain.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { stateSource } from './stateSource.ts'

/** Traces of stored blocks. */
export interface TracingPart {
  readonly tracing: BlockTracing
  /** undefined when the host cannot store files */
  readonly traceFiles: BlockTraceFiles | undefined
}

export type OpenTracing = (
  host: NodeHost,
  services: ChainServices,
  settings: Pick<NodeSettings, 'memory'>,
) => TracingPart

export const openTracing: OpenTracing = ({ senders, traceFiles, clock }, { chain, states, execution }, { memory }) => {
  const changesBytes = memory.tracedChanges
  const tracing = new Replay({ ...execution, chain, states: stateSource(states), senders, changesBytes })
  return { tracing, traceFiles: traceFiles && new BlockTraceFiles(traceFiles, tracing, clock) }
}
