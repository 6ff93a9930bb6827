/** Contracts that fail at lines which comments of their sources name, and the files of projects that compile them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { concatHex, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { type CompiledProject, compileProject, type ProjectContract } from '../evm/solidity.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../fixtures/failures')
const FILES = ['Base.sol', 'Failures.sol']

type Rpc = <T = unknown>(method: string, ...params: readonly unknown[]) => Promise<T>

/** Places as `file:line`. */
export interface MarkedLines {
  /** By name of the case; undefined: the failing code has no line of a source. */
  readonly fails: ReadonlyMap<string, string>
  readonly via: ReadonlyMap<string, readonly string[]>
}

/** @param prefix of the paths in the compilation */
export function failingSources(prefix = 'contracts/'): Record<string, string> {
  return Object.fromEntries(FILES.map((file) => [prefix + file, readFileSync(path.join(FOLDER, file), 'utf8')]))
}

export function markedLines(sources: Readonly<Record<string, string>>): MarkedLines {
  const fails = new Map<string, string>()
  const via = new Map<string, string[]>()
  for (const [file, text] of Object.entries(sources)) {
    for (const [i, line] of text.split('\n').entries()) {
      const [, kind, names = ''] = /\/\/ (FAILS|VIA) (.*)$/.exec(line) ?? []
      for (const name of names.split(' ').filter(Boolean)) {
        if (kind === 'FAILS') fails.set(name, `${file}:${i + 1}`)
        else via.set(name, [...(via.get(name) ?? []), `${file}:${i + 1}`])
      }
    }
  }
  return { fails, via }
}

export function compileFailures(settings: object = {}): CompiledProject {
  return compileProject(failingSources(), { evmVersion: 'cancun', ...settings })
}

/** Files of Hardhat 2 in its folder `artifacts`. */
export function hardhat2Files({ input, output }: CompiledProject): Map<string, string> {
  const files = new Map([['build-info/0123.json', JSON.stringify({ _format: 'hh-sol-build-info-1', input, output })]])
  for (const [sourceName, name, contract] of contractsOf(output)) {
    const { abi, bytecode, deployedBytecode } = partsOf(contract)
    const artifact = { _format: 'hh-sol-artifact-1', contractName: name, sourceName, abi, bytecode, deployedBytecode }
    files.set(`${sourceName}/${name}.json`, JSON.stringify(artifact))
    const buildInfo = `${'../'.repeat(sourceName.split('/').length)}build-info/0123.json`
    files.set(`${sourceName}/${name}.dbg.json`, JSON.stringify({ _format: 'hh-sol-dbg-1', buildInfo }))
  }
  return files
}

/** Files of Hardhat 3 in its folder `artifacts`. */
export function hardhat3Files({ input, output }: CompiledProject): Map<string, string> {
  const id = 'solc-0_8_37-ab'
  const rename = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [`project/${name}`, value]))
  const build = { _format: 'hh3-sol-build-info-1', id, input: { ...input, sources: rename(input.sources) } }
  const renamed = { ...output, contracts: rename(output.contracts), sources: rename(output.sources) }
  const files = new Map([
    [`build-info/${id}.json`, JSON.stringify(build)],
    [`build-info/${id}.output.json`, JSON.stringify({ _format: 'hh3-sol-build-info-output-1', id, output: renamed })],
  ])
  for (const [sourceName, contractName, contract] of contractsOf(output)) {
    const names = { contractName, sourceName, buildInfoId: id, inputSourceName: `project/${sourceName}` }
    const artifact = { _format: 'hh3-artifact-1', ...names, ...partsOf(contract) }
    files.set(`${sourceName}/${contractName}.json`, JSON.stringify(artifact))
  }
  return files
}

/** Files of Foundry in its folder `out`; the sources are files of the project. */
export function foundryFiles({ output }: CompiledProject): Map<string, string> {
  const ids = Object.entries(output.sources).map(([file, { id }]) => [id, file] as const)
  const build = { id: 'ab', source_id_to_path: Object.fromEntries(ids), language: 'Solidity' }
  const files = new Map([['build-info/ab.json', JSON.stringify(build)]])
  for (const [sourceName, name, { abi, evm, metadata }] of contractsOf(output)) {
    const artifact = {
      abi,
      bytecode: { ...evm.bytecode, object: `0x${evm.bytecode.object}` },
      deployedBytecode: { ...evm.deployedBytecode, object: `0x${evm.deployedBytecode.object}` },
      metadata: JSON.parse(metadata),
      id: output.sources[sourceName]?.id,
    }
    files.set(`${path.basename(sourceName)}/${name}.json`, JSON.stringify(artifact))
  }
  return files
}

function contractsOf(output: CompiledProject['output']): (readonly [string, string, ProjectContract])[] {
  return Object.entries(output.contracts).flatMap(([file, contracts]) =>
    Object.entries(contracts).map(([name, contract]) => [file, name, contract] as const),
  )
}

function partsOf({ abi, evm }: ProjectContract) {
  return { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` }
}

export const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const NOBODY = '0x00000000000000000000000000000000000000aa'

/** A call that fails. */
export interface FailingCall {
  readonly from?: Hex
  readonly to?: Hex
  readonly data: Hex
  readonly value?: Hex
  readonly gas?: Hex
}

/** @returns the failing calls by the name of their case */
export async function deployFailures(
  rpc: Rpc,
  { output }: Pick<CompiledProject, 'output'>,
): Promise<Map<string, FailingCall>> {
  const contractOf = (name: string): ProjectContract => {
    const found = contractsOf(output).find(([, each]) => each === name)
    if (found === undefined) throw new Error(`there is no contract ${name}`)
    return found[2]
  }
  const creationOf = (name: string, args: readonly unknown[], library = ''): Hex => {
    const { abi, evm } = contractOf(name)
    const bytecode = `0x${evm.bytecode.object.replace(/__\$.{34}\$__/g, library.slice(2).toLowerCase())}` as Hex
    return encodeDeployData({ abi, bytecode, args })
  }
  const create = async (name: string, args: readonly unknown[] = [], library?: string): Promise<Hex> => {
    const data = creationOf(name, args, library)
    const hash = await rpc('eth_sendTransaction', { from: SENDER, data, gas: '0xf00000' })
    return (await rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)).contractAddress
  }
  const dataOf = (name: string, functionName: string, ...args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: contractOf(name).abi, functionName, args })
  const checks = await create('Checks')
  const target = await create('Target')
  const failures = await create('Failures', [target], checks)
  const proxy = await create('Proxy', [await create('Logic')])
  const receiver = await create('Receiver')
  const [noFallback, fallback] = [await create('NoFallback'), await create('Fallback')]
  const on = (functionName: string, ...args: readonly unknown[]): FailingCall => ({
    to: failures,
    data: dataOf('Failures', functionName, ...args),
  })
  const max = 2n ** 256n - 1n
  return new Map<string, FailingCall>([
    ['requireString', on('requireString', 1n)],
    ['requireSilent', on('requireSilent', 1n)],
    ['requireError', on('requireError', 1n)],
    ['revertString', on('revertString')],
    ['revertSilent', on('revertSilent')],
    ['revertEmpty', on('revertEmpty')],
    ['revertDetailed', on('revertDetailed', 4n)],
    ['assertion', on('assertion', 2n)],
    ['overflow', on('overflow', max)],
    ['underflow', on('underflow', 1n)],
    ['multiplication', on('multiply', max)],
    ['negation', on('negate', -(2n ** 255n))],
    ['increment', on('increment', 255)],
    ['modulo', on('modulo', 1n, 0n)],
    ['power', on('power', 10n, 100n)],
    ['element', on('element', 9n)],
    ['memoryElement', on('memoryElement', 9n)],
    ['calldataElement', on('calldataElement', [1n], 9n)],
    ['byteAt', on('byteAt', 4n)],
    ['nested', on('nested', 0n)],
    ['pop', on('pop')],
    ['choose', on('choose', 2)],
    ['uncheckedCast', on('narrow', 256n)],
    ['tooMuchMemory', on('tooMuchMemory', 2n ** 70n)],
    ['callPointer', on('callPointer', 1n)],
    ['internalCall', on('internalCall', 2n)],
    ['recursion', on('recursive', 3n)],
    ['libraryInternal', on('libraryInternal', -1n)],
    ['libraryExternal', on('libraryExternal', 11n)],
    ['freeFunction', on('freeFunction', 0n)],
    ['modifierRequire', { ...on('modifierRequire'), from: STRANGER }],
    ['reentered', on('reenter')],
    ['modifierAfter', on('modifierAfter', 7n)],
    ['inheritedFunction', on('inherited', 3n)],
    ['superCall', on('inherited', 3n)],
    ['overriding', on('inherited', 4n)],
    ['overriddenHook', on('template')],
    ['externalCustom', on('externalCustom')],
    ['externalDivision', on('externalDivision')],
    ['twoContractsDeep', on('twoContractsDeep')],
    ['lowLevelBubbled', on('lowLevelBubbled')],
    ['lowLevelRequired', on('lowLevelRequired')],
    ['lowLevelSilent', on('lowLevelSilent')],
    ['tryRethrown', on('tryRethrown')],
    ['tryOwn', on('tryOwn')],
    ['tryIgnored', on('tryIgnored', 0n)],
    ['noContract', on('noContract', NOBODY)],
    ['noContractAct', on('noContractAct', NOBODY)],
    ['wrongAnswer', on('wrongAnswer')],
    ['newContract', on('newContract')],
    ['sendBubbled', { ...on('sendBubbled', receiver), value: '0x1' }],
    ['abiDecode', on('abiDecode', `0x${'ff'.repeat(32)}`)],
    ['assembly', on('assembly_')],
    ['invalid', on('invalid')],
    ['conditional', on('conditional', 2n)],
    ['inLoop', on('inLoop', 0n)],
    ['constructorRequire', { data: creationOf('Picky', [200n]) }],
    ['variableInitialiser', { data: creationOf('Picky', [1n]), from: '0x00000000000000000000000000000000000000bb' }],
    ['baseConstructor', { data: creationOf('PickyChild', [3n]) }],
    ['childConstructor', { data: creationOf('PickyChild', [0n]) }],
    ['notPayable', { to: noFallback, data: dataOf('NoFallback', 'plain'), value: '0x1' }],
    ['receiveFunction', { to: receiver, data: '0x', value: '0x1' }],
    ['fallbackFunction', { to: fallback, data: '0x12345678' }],
    ['proxyOverflow', { to: proxy, data: dataOf('Logic', 'add', 1n) }],
    ['proxyRequire', { to: proxy, data: dataOf('Logic', 'bounded', 9n) }],
    // Their innermost frames have no line to mark.
    ['outOfGas', on('outOfGas')],
    ['sendTooMuch', on('sendTooMuch', STRANGER)],
    ['unknownSelector', { to: noFallback, data: concatHex(['0x12345678', `0x${'00'.repeat(32)}`]) }],
    ['noReceive', { to: noFallback, data: '0x', value: '0x1' }],
  ])
}
