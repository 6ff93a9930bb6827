/** Summarizes CPU profiles. */
import { Session } from 'node:inspector/promises'

/**
 * Runs `work` under the profiler of this thread.
 * @returns the profile, in the format of `node --cpu-prof`
 */
export async function profiled(work) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return profile
}

/**
 * Self time, grouped by the key that `keyOf` returns for a call frame (`functionName`, `url`, `lineNumber`); frames
 * without a key are ignored.
 * @returns milliseconds by key
 */
export function selfTimes({ nodes, samples, timeDeltas }, keyOf) {
  const keys = new Map(nodes.map(({ id, callFrame }) => [id, keyOf(callFrame)]))
  const times = new Map()
  samples.forEach((id, i) => {
    const key = keys.get(id)
    if (key !== undefined) times.set(key, (times.get(key) ?? 0) + timeDeltas[i] / 1000)
  })
  return times
}

/** Path inside the project or the package, without the machine's folders. */
export function shortUrl(url) {
  return url.replace(/^.*\/node_modules\//, '').replace(/^.*\/dist\//, '')
}

/** The entries with the most time, and their shares. */
export function topEntries(times, count) {
  const sum = [...times.values()].reduce((total, ms) => total + ms, 0)
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, count)
  return sorted.map(([key, ms]) => ({ key, share: ms / sum }))
}
