import type { CallSimulator } from '../../../api/calls/contract.ts'
import type { Residency } from '../../../base/ports/keyValueStore.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import type { StateSource } from '../../../state/contract.ts'
import { boolean, data } from '../../codecs/scalars.ts'
import { answerCodec } from '../../codecs/support.ts'
import { compress, hasGzip } from '../../dump/gzip.ts'
import { loadDump } from '../../dump/readDump.ts'
import { writeDump } from '../../dump/writeDump.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { hexBytes } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'

interface DumpBackend extends DevBackend {
  readonly chain: ChainReader
  readonly states: StateSource
  readonly calls: Pick<CallSimulator, 'slicer'>
  readonly residency?: Residency | undefined
}

/** Codec of a result that is always streamed. */
const streamedData = answerCodec<undefined>(data.schema, () => null)

const dumpState: MethodDefinition<DumpBackend> = defineMethod({
  name: 'anvil_dumpState',
  aliases: ['hardhat_dumpState', 'ganache_dumpState'],
  group: 'DEV',
  summary:
    'The whole chain with all states, compressed (gzip) where the host can: for anvil_loadState. anvil reads it, too.',
  params: [optional('preserveHistoricalStates', boolean, 'Without effect: the dump always has all states.')],
  result: result('dump', streamedData),
  errors: ['CHAIN_MOVED', 'TIMEOUT'],
  handler: async (backend: DumpBackend, _params, context) => {
    const { chain, states, residency } = backend
    const dump = await devChain(backend).dump()
    const text = writeDump({ dump, config: chain.config, states, residency, slicer: backend.calls.slicer() })
    return new StreamedResult(async (out) => {
      out.ascii('"0x')
      for await (const bytes of hasGzip ? compress(text) : text) {
        out.hex(bytes)
        if (out.isFull) await out.drained()
        if (context.aborted) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
      }
      out.ascii('"')
    })
  },
})

const loadState: MethodDefinition<DumpBackend> = defineMethod({
  name: 'anvil_loadState',
  aliases: ['hardhat_loadState', 'ganache_loadState'],
  group: 'DEV',
  summary:
    'Replaces the whole chain by a dump of this node or of anvil; of the latter, only the last state is available. ' +
    'The pool is emptied and snapshots are removed. Nothing is changed when the dump is not valid.',
  params: [param('dump', hexBytes, 'Dump as hex: compressed with gzip or not.')],
  result: result('loaded', boolean),
  errors: ['INVALID_DUMP'],
  handler: async (backend: DumpBackend, [bytes]) => {
    await devChain(backend).load((load) => loadDump(once(bytes), load, backend.calls.slicer()))
    return true
  },
})

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}

export const dumpMethods: readonly MethodDefinition<DumpBackend>[] = [dumpState, loadState]
