/** The contracts of the benchmarks, compiled with the optimizer, as contracts in production are. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** Sources of the contracts; the token is shared with the tests. */
const SOURCES = { Token: '../fixtures/contracts/Token.sol', Pair: 'contracts/Pair.sol' }

/**
 * Compiles the contracts, which takes a second.
 * @returns by contract: `creation` and `runtime` code in hex without prefix
 */
export function compileContracts() {
  const solc = createRequire(import.meta.url)('solc')
  const sources = {}
  for (const [name, file] of Object.entries(SOURCES))
    sources[name] = { content: readFileSync(path.join(import.meta.dirname, file), 'utf8') }
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  }
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
  const failures = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const compiled = {}
  for (const name of Object.keys(SOURCES)) {
    const { bytecode, deployedBytecode } = output.contracts[name][name].evm
    compiled[name] = { creation: bytecode.object, runtime: deployedBytecode.object }
  }
  return compiled
}
