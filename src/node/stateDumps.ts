import { NodeError } from '../base/primitives/errors.ts'
import type { DevChain } from '../dev/contract.ts'
import type { ChainTransfers, TransferDeps } from '../rpc/dump/chainTransfers.ts'
import type { BlockProduction } from './blockProduction.ts'
import type { NodeHost } from './host.ts'
import type { ChainServices } from './openChain.ts'
import { stateSource } from './stateSource.ts'

/** Dumps of the whole dev chain, as anvil_dumpState has them, uncompressed. */
export interface StateDumps {
  /** @returns a JSON document in pieces of UTF-8 @throws {NodeError} METHOD_NOT_ENABLED on any other chain */
  dump(): Promise<AsyncIterable<Uint8Array>>
  /**
   * Replaces the whole chain by a dump, compressed or not. Nothing is changed when it is not valid.
   * @throws {NodeError} INVALID_DUMP; METHOD_NOT_ENABLED on any other chain
   */
  load(source: AsyncIterable<Uint8Array>): Promise<void>
}

/** Dumps, and their transfers in pieces. */
export interface ChainDumps extends StateDumps {
  /** Loads their code with the first call. */
  transfers(): Promise<ChainTransfers>
  /** Ends transfers in progress. */
  stop(): Promise<void>
}

export function stateDumps(
  { residency, timers, random }: Pick<NodeHost, 'residency' | 'timers' | 'random'>,
  { chain, states, execution }: ChainServices,
  { dev: present }: Pick<BlockProduction, 'dev'>,
): ChainDumps {
  const { scheduler } = execution.control
  const required = (): DevChain => {
    if (present !== undefined) return present
    throw new NodeError({ code: 'METHOD_NOT_ENABLED' }, 'only the dev chain has state dumps')
  }
  let opened: Promise<ChainTransfers> | undefined
  const dumps: ChainDumps = {
    dump: async () => {
      const [{ writeDump }, dump] = await Promise.all([import('../rpc/dump/writeDump.ts'), required().dump()])
      return writeDump({
        dump,
        config: chain.config,
        states: stateSource(states),
        residency,
        slicer: scheduler?.slicer(),
      })
    },
    load: async (source) => {
      const dev = required()
      const { loadDump } = await import('../rpc/dump/readDump.ts')
      await dev.load((load) => loadDump(source, load, scheduler?.slicer()))
    },
    transfers: () => {
      opened ??= openTransfers({ ...dumps, timers, random })
      return opened
    },
    stop: async () => (await opened)?.close(),
  }
  return dumps
}

async function openTransfers(deps: TransferDeps): Promise<ChainTransfers> {
  const { ChainTransfers } = await import('../rpc/dump/chainTransfers.ts')
  return new ChainTransfers(deps)
}
