/** Contracts of the tests, compiled from their sources. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import type { Abi, Hex } from 'viem'

const CONTRACTS = path.resolve(import.meta.dirname, '../../fixtures/contracts')

export interface CompiledContract {
  readonly abi: Abi
  /** Creation code. */
  readonly bytecode: Hex
  readonly deployedBytecode: Hex
  /** Source map of the deployed code. */
  readonly sourceMap: string
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<
      string,
      | Record<
          string,
          {
            abi: Abi
            evm: { bytecode: { object: string }; deployedBytecode: { object: string; sourceMap: string } }
          }
        >
      | undefined
    >
  >
}

const compiled = new Map<string, CompiledContract>()

/**
 * Compiles a contract, by default in the file of the same name, once per process, because the compiler takes a second to
 * load.
 */
export function compileContract(name: string, file = `${name}.sol`): CompiledContract {
  const known = compiled.get(name)
  if (known !== undefined) return known
  const solc = loadCompiler()
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { [file]: { content: readFileSync(path.join(CONTRACTS, file), 'utf8') } },
        settings: {
          outputSelection: {
            '*': {
              '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.deployedBytecode.sourceMap'],
            },
          },
        },
      }),
    ),
  ) as CompilerOutput
  const failures = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const contract = output.contracts[file]?.[name]
  if (contract === undefined) throw new Error(`${file} has no contract ${name}`)
  const { bytecode, deployedBytecode } = contract.evm
  const result: CompiledContract = {
    abi: contract.abi,
    bytecode: `0x${bytecode.object}`,
    deployedBytecode: `0x${deployedBytecode.object}`,
    sourceMap: deployedBytecode.sourceMap,
  }
  compiled.set(name, result)
  return result
}

interface Compiler {
  compile(input: string): string
}

/** Loads the compiler, without its listener that turns unhandled rejections of the whole process into exceptions. */
function loadCompiler(): Compiler {
  const before = process.listeners('unhandledRejection')
  const compiler = createRequire(import.meta.url)('solc') as Compiler
  for (const listener of process.listeners('unhandledRejection')) {
    if (!before.includes(listener)) process.off('unhandledRejection', listener)
  }
  return compiler
}

/** The ABI of `Token.sol`, for the clients' types. */
export const TOKEN_ABI = [
  'constructor(uint256 supply)',
  'error InsufficientBalance(address owner, uint256 available, uint256 needed)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function failAssert() pure',
  'function divide(uint256 a, uint256 b) pure returns (uint256)',
  'function at(uint256 index) view returns (uint256)',
] as const
