/** Waits for a node in another process, and reads its CPU time. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const START_LIMIT_MS = 60_000
const CLOCK_TICKS = 100

/** Connects as soon as the node listens. */
export async function connected(rpc) {
  for (const end = performance.now() + START_LIMIT_MS; ; ) {
    try {
      await rpc.connect()
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await delay(20)
    }
  }
}

/** CPU time of a process; 0 where the system does not tell. */
export function cpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / CLOCK_TICKS
  } catch {
    return 0
  }
}
