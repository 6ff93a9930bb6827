/** The contracts of the benchmarks, compiled with the optimizer, as contracts in production are. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** The token is shared with the tests. */
const TOKEN_AND_PAIR = ['../fixtures/contracts/Token.sol', 'contracts/Pair.sol']

/**
 * Compiles the contracts of some files, which takes a second.
 * @returns by contract: `creation` and `runtime` code in hex without prefix
 */
export function compileContracts(files = TOKEN_AND_PAIR) {
  const solc = createRequire(import.meta.url)('solc')
  const sources = {}
  for (const file of files) sources[file] = { content: readFileSync(path.join(import.meta.dirname, file), 'utf8') }
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  }
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
  const failures = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const compiled = {}
  for (const [name, { evm }] of Object.values(output.contracts).flatMap(Object.entries)) {
    const { bytecode, deployedBytecode } = evm
    compiled[name] = { creation: bytecode.object, runtime: deployedBytecode.object }
  }
  return compiled
}
