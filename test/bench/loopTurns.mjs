/**
 * Loaded into a node by `--import`: measures how long the event loop is occupied. SIGUSR2 prints `turns {...}` with the
 * longest turns since the last signal, and begins again: `wallMs`, and `cpuMs`, the processor time of the main thread, to
 * which other programs add nothing.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'

const TICK_MS = 1
const THREAD = `/proc/self/task/${process.pid}/schedstat`

/** Processor time of the main thread in milliseconds. */
function threadMs() {
  return Number(readFileSync(THREAD, 'latin1').split(' ', 1)[0]) / 1e6
}

let last = { wall: performance.now(), cpu: threadMs() }
let longest = { wallMs: 0, cpuMs: 0 }

setInterval(() => {
  const now = { wall: performance.now(), cpu: threadMs() }
  longest = {
    wallMs: Math.max(longest.wallMs, now.wall - last.wall - TICK_MS),
    cpuMs: Math.max(longest.cpuMs, now.cpu - last.cpu),
  }
  last = now
}, TICK_MS).unref()

process.on('SIGUSR2', () => {
  console.log(`turns ${JSON.stringify(longest)}`)
  longest = { wallMs: 0, cpuMs: 0 }
})
