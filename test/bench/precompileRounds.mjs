/**
 * Measures the calls of precompileCases.mjs with the installed implementations. Uses web standards only, because a page
 * runs it as well.
 */
import { forkRules } from '../../dist/src/config/forks.js'
import { activePrecompiles, loadPrecompiles, precompileAt } from '../../dist/src/evm/precompiles/index.js'
import { precompileCases } from './precompileCases.mjs'

const NEWEST = 'osaka'
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/**
 * @param cpuMs elapsed time in milliseconds: CPU time where the host has such a clock
 * @returns rows {precompile, label, gas, rate}, the rate in Mgas/s, the median of the rounds
 */
export async function measurePrecompiles({ cpuMs, rounds, seconds, only, onRow = () => {} }) {
  await loadPrecompiles(forkRules(NEWEST))
  const addresses = new Map(activePrecompiles(forkRules(NEWEST)).map(({ name, address }) => [name, address]))
  const rows = []
  for (const { precompile, label, input, fork } of precompileCases()) {
    if (!`${precompile} ${label}`.includes(only)) continue
    const contract = precompileAt(addresses.get(precompile), forkRules(fork))
    const gas = Number(contract.gasCost(input))
    if (contract.run(input) === undefined) throw new Error(`${precompile} ${label}: the call failed`)
    const call = () => contract.gasCost(input) > 0n && contract.run(input)
    const once = callsPerSecond(call, cpuMs, seconds)
    const rates = Array.from({ length: rounds }, () => (gas * callsPerSecond(call, cpuMs, seconds, once)) / 1e6)
    rows.push({ precompile, label, gas, rate: median(rates) })
    onRow(rows.at(-1))
  }
  return rows
}

/** @param expected rate of an earlier measurement, so that the clock is read only a few times per run */
function callsPerSecond(call, cpuMs, seconds, expected = 1) {
  const batch = Math.max(1, Math.floor((expected * seconds) / 8))
  const started = cpuMs()
  for (let calls = 0; ; ) {
    for (let i = 0; i < batch; i++) call()
    calls += batch
    const elapsed = cpuMs() - started
    if (elapsed >= 1000 * seconds) return (1000 * calls) / elapsed
  }
}
