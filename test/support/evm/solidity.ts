/** Contracts of the tests, compiled from their sources. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { Abi, Hex } from 'viem'

const CONTRACTS = path.resolve(import.meta.dirname, '../../fixtures/contracts')
/** Other clones, and other runtimes, have the same contracts. */
const CACHE = path.join(tmpdir(), `isonode-contracts-${userInfo().uid}`)

export interface CompiledContract {
  readonly abi: Abi
  /** Creation code. */
  readonly bytecode: Hex
  readonly deployedBytecode: Hex
  /** Source map of the deployed code. */
  readonly sourceMap: string
}

/** With these settings, the compiler adds no metadata to the code. */
export interface Optimization {
  readonly runs: number
  readonly evmVersion: string
}

type Contracts = Readonly<Record<string, CompiledContract>>

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<
      string,
      Record<
        string,
        { abi: Abi; evm: { bytecode: { object: string }; deployedBytecode: { object: string; sourceMap: string } } }
      >
    >
  >
}

const compiled = new Map<string, Contracts>()

/**
 * Compiles a contract, by default in the file of the same name. Loading the compiler takes seconds of each process, so the
 * contracts of a source and a compiler are kept in a temporary folder.
 */
export function compileContract(name: string, file = `${name}.sol`, optimization?: Optimization): CompiledContract {
  const key = JSON.stringify([file, optimization])
  let contracts = compiled.get(key)
  if (contracts === undefined) {
    contracts = contractsOf(file, optimization)
    compiled.set(key, contracts)
  }
  const contract = contracts[name]
  if (contract === undefined) throw new Error(`${file} has no contract ${name}`)
  return contract
}

function contractsOf(source: string, optimization: Optimization | undefined): Contracts {
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { [source]: { content: readFileSync(path.join(CONTRACTS, source), 'utf8') } },
    settings: {
      ...(optimization === undefined ? {} : optimized(optimization)),
      outputSelection: {
        '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.deployedBytecode.sourceMap'] },
      },
    },
  })
  return cached(input, () => compile(source, input))
}

/** The result for an input of the compiler, which is kept. */
function cached<T>(input: string, make: () => T): T {
  const { version } = createRequire(import.meta.url)('solc/package.json') as { version: string }
  const file = path.join(CACHE, `${createHash('sha256').update(`${version} ${input}`).digest('hex')}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T
  const made = make()
  // Written beside its place, because other processes must not read a part of it.
  const partial = `${file}.${process.pid}.partial`
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(partial, JSON.stringify(made))
  renameSync(partial, file)
  return made
}

function optimized({ runs, evmVersion }: Optimization): object {
  return { evmVersion, optimizer: { enabled: true, runs }, metadata: { appendCBOR: false, bytecodeHash: 'none' } }
}

function compile(source: string, input: string): Contracts {
  const output = checkedOutput(input)
  const contracts = Object.entries(output.contracts[source] ?? {}).map(([name, { abi, evm }]) => {
    const { bytecode, deployedBytecode } = evm
    const contract: CompiledContract = {
      abi,
      bytecode: `0x${bytecode.object}`,
      deployedBytecode: `0x${deployedBytecode.object}`,
      sourceMap: deployedBytecode.sourceMap,
    }
    return [name, contract] as const
  })
  return Object.fromEntries(contracts)
}

/** The compiler's output in its standard form. */
export interface CompiledProject {
  /** The compiler's standard input. */
  readonly input: {
    readonly sources: Readonly<Record<string, { readonly content: string }>>
  }
  readonly output: {
    readonly contracts: Readonly<Record<string, Readonly<Record<string, ProjectContract>>>>
    readonly sources: Readonly<Record<string, { readonly id: number; readonly ast: unknown }>>
  }
}

export interface ProjectContract {
  readonly abi: Abi
  readonly metadata: string
  readonly storageLayout?: unknown
  readonly evm: { readonly bytecode: ProjectCode; readonly deployedBytecode: ProjectCode }
}

interface ProjectCode {
  /** Hex without prefix, with placeholders for the addresses of libraries. */
  readonly object: string
  readonly sourceMap: string
  readonly ethdebug?: unknown
}

/**
 * Compiles sources with all that build information has.
 * @param sources texts by path
 * @param furtherOutputs such as `storageLayout`
 */
export function compileProject(
  sources: Readonly<Record<string, string>>,
  settings: object = {},
  furtherOutputs: readonly string[] = [],
): CompiledProject {
  // The compiler leaves out `evm.bytecode.ethdebug` after `evm.bytecode`.
  const outputs = [...furtherOutputs, 'abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode']
  const contents = Object.entries(sources).map(([file, content]) => [file, { content }] as const)
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(contents),
    settings: { ...settings, outputSelection: { '*': { '*': outputs, '': ['ast'] } } },
  }
  const text = JSON.stringify(input)
  return { input, output: cached(text, () => checkedOutput(text) as unknown as CompiledProject['output']) }
}

/** The syntax tree of a source, without the cost of its code. */
export function syntaxTree(source: string): unknown {
  const text = JSON.stringify({
    language: 'Solidity',
    sources: { 'Test.sol': { content: source } },
    settings: { outputSelection: { '*': { '': ['ast'] } } },
  })
  const { sources } = cached(text, () => checkedOutput(text) as unknown as CompiledProject['output'])
  return sources['Test.sol']?.ast
}

/** @throws {Error} with the messages of the compiler */
function checkedOutput(input: string): CompilerOutput {
  const output = JSON.parse(loadCompiler().compile(input)) as CompilerOutput
  const failures = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return output
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
