/** The contracts of the checks. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const solc = createRequire(import.meta.url)('solc')
const sources = Object.fromEntries(
  ['Probe.sol', 'Names.sol', '../fixtures/contracts/Token.sol'].map((file) => [
    path.basename(file),
    { content: readFileSync(path.join(import.meta.dirname, file), 'utf8') },
  ]),
)
const settings = { evmVersion: 'paris', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } }
const { contracts } = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))

/** Creation code. */
export const PROBE = `0x${contracts['Probe.sol'].Probe.evm.bytecode.object}`
/** Creation code with a supply of 1000. */
export const TOKEN = `0x${contracts['Token.sol'].Token.evm.bytecode.object}${(1000).toString(16).padStart(64, '0')}`
export const TOKEN_ABI = contracts['Token.sol'].Token.abi
/** Creation code of a stand-in for contracts of the main chain. */
export const NAMES = `0x${contracts['Names.sol'].Names.evm.bytecode.object}`
/** Call data of `greet()` and `fail()`. */
export const GREET = '0xcfae3217'
export const FAIL = '0xa9cc4718'
