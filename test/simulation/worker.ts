/** A process that runs seeds of one kind of simulated network, as its parent asks (test/long/simulations.mjs). */
import process from 'node:process'
import { SIMULATIONS, type SimulationKind, type SimulationName } from './kinds.ts'

interface Chunk {
  readonly from: number
  readonly count: number
}

const kind: SimulationKind = SIMULATIONS[process.argv[2] as SimulationName]
const run = await kind.open()
/** Chunks one after the other: faults and caches are those of the process. */
let last: Promise<void> = Promise.resolve()

process.on('message', (chunk: Chunk) => {
  last = last.then(() => runChunk(chunk))
})
process.send?.({ isReady: true, file: kind.file })

async function runChunk({ from, count }: Chunk): Promise<void> {
  const failed: string[] = []
  const before = process.cpuUsage()
  for (let seed = from; seed < from + count; seed++) {
    const problem = await problemOf(seed)
    if (problem !== undefined) failed.push(`seed ${seed}: ${problem}`)
  }
  const { user, system } = process.cpuUsage(before)
  process.send?.({ failed, count, cpuMs: (user + system) / 1000 })
}

async function problemOf(seed: number): Promise<string | undefined> {
  try {
    return (await run(seed)).problem
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}
