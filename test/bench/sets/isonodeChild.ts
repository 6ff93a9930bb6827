/** Executes blocks for the target `isonode`, in a process of its own. */
import process from 'node:process'
import { installNodeCrypto } from '../../../adapters/server/crypto/crypto.ts'
import { systemClock, systemRandom } from '../../../adapters/shared/systemPorts.ts'
import { loadNativeEvm } from '../../../src/evm/loadNativeEvm.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { PreparedSetBlock } from '../../support/recorded/setExecution.ts'
import { selectedBlocks } from './selectedBlocks.ts'
import type { Measured, Selection } from './target.ts'

/** Small blocks are repeated until they have used this time. */
const SAMPLE_MS = 100

/** Sent by the parent: the next block, or a measurement of the present one. */
export type ChildRequest = 'open' | 'check' | 'measure'

export interface ChildReply {
  readonly measured?: Measured
  readonly error?: string
}

async function serve(engine: string, selection: Selection): Promise<void> {
  await installNodeCrypto()
  const isNative = engine === 'native'
  const evm = isNative ? await loadNativeEvm(systemClock, systemRandom) : await loadReferenceEvm(systemClock)
  const blocks = selectedBlocks(selection)
  let current: PreparedSetBlock | undefined

  async function answer(request: ChildRequest): Promise<ChildReply> {
    if (request !== 'open') return { measured: await measure(current as PreparedSetBlock, request === 'measure') }
    const next = await blocks.next()
    current = next.done === true ? undefined : await PreparedSetBlock.open(next.value, evm)
    return {}
  }

  process.on('message', (request: ChildRequest) => {
    void answer(request)
      .catch((error: unknown): ChildReply => ({ error: String(error) }))
      .then((reply) => process.send?.(reply))
  })
  process.on('disconnect', () => process.exit())
}

async function measure(block: PreparedSetBlock, isRepeated: boolean): Promise<Measured> {
  let cpuMs = 0
  let runs = 0
  for (;;) {
    const state = block.begin()
    const before = process.cpuUsage()
    const result = await block.execute(state)
    const { user, system } = process.cpuUsage(before)
    cpuMs += (user + system) / 1000
    runs++
    if (!isRepeated || cpuMs > SAMPLE_MS) return { result, cpuMs: cpuMs / runs }
  }
}

const [engine, selection] = process.argv.slice(2) as [string, string]
await serve(engine, JSON.parse(selection) as Selection)
