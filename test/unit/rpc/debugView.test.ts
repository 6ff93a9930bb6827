// slow: compiled contracts
/** Moments of executions and storage in terms of sources, on a dev chain with compiled contracts. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { DebugView } from '../../../src/abi/debug/debugView.ts'
import type { Variable } from '../../../src/abi/layout/variable.ts'
import { type CompiledProject, compileProject } from '../../support/evm/solidity.ts'
import { folderOf, recordActivity } from '../../support/nodes/activity.ts'
import { ALICE } from '../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'
import { foundryFiles, hardhat2Files, hardhat3Files } from '../../support/nodes/failures.ts'

const openNode = closedAfterEach()
const SOURCE = 'contracts/Flow.sol'
const content = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/debug/Flow.sol'), 'utf8')
const LAYOUTS = ['storageLayout', 'transientStorageLayout']
const project = compileProject({ [SOURCE]: content }, { evmVersion: 'cancun' }, LAYOUTS)
const SMALL = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Flow {
    uint256 sum;
    string text;
    constructor(uint256 first, string memory name) { sum = first; text = name; }
    function loops(uint256 seed, uint16[] calldata items) external returns (uint256 total) {
        for (uint256 i = 0; i < items.length; i++) total += items[i];
        sum += total + seed;
    }
}
`
const lines = content.split('\n')
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1

interface Setup extends OpenedNode {
  readonly flow: Hex
  /** @returns the hash of the transaction */
  call(functionName: string, ...args: readonly unknown[]): Promise<Hex>
  find(hash: Hex, from: number | 'start' | 'end', direction: string, where: object): Promise<{ index: number } | null>
  view(hash: Hex, step: number): Promise<DebugView>
}

async function open(
  files: ReadonlyMap<string, string> = hardhat2Files(project),
  compiled: CompiledProject = project,
): Promise<Setup> {
  const activity = recordActivity()
  activity.isOn = false
  const sources = new Map([[SOURCE, new TextEncoder().encode(content)]])
  const artifacts = files.size === 0 ? [] : [folderOf(files, 'out', sources)]
  const opened = await openNode({}, undefined, { activity: { output: activity.host.output, artifacts } })
  const { rpc } = opened
  const contract = compiled.output.contracts[SOURCE]?.['Flow']
  if (contract === undefined) throw new Error('no contract')
  const { abi, evm } = contract
  const send = (fields: object): Promise<Hex> =>
    rpc('eth_sendTransaction', { from: ALICE.address, gas: '0xe00000', ...fields })
  const data = encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args: [41n, 'a name'] } as never)
  const { contractAddress: flow } = await rpc<{ contractAddress: Hex }>(
    'eth_getTransactionReceipt',
    await send({ data }),
  )
  return {
    ...opened,
    flow,
    call: (functionName, ...args) => send({ to: flow, data: encodeFunctionData({ abi, functionName, args } as never) }),
    find: (hash, from, direction, where) => rpc('debug_findStep', hash, { from, direction, where }),
    view: (hash, step) => rpc('isonode_debugView', hash, step),
  }
}

const named = (variables: readonly Variable[], name: string): Variable | undefined =>
  variables.find((variable) => variable.name === name)

const FORMS = [
  ['Hardhat 2', hardhat2Files],
  ['Hardhat 3', hardhat3Files],
  ['Foundry', foundryFiles],
] as const

describe('isonode_debugView', () => {
  it.each(FORMS.slice(0, 2))('shows place, functions and variables from files of %s', async (_, filesOf) => {
    const node = await open(filesOf(project))
    const hash = await node.call('loops', 299n, [4, 5])
    const line = lineOf('total += square.plus(seed)')
    const found = await node.find(hash, 'start', 'forward', { line: { source: SOURCE, line } })
    const view = await node.view(hash, found?.index as number)
    expect(view.source).toMatchObject({ name: 'Flow', path: SOURCE, line })
    expect(view.functions).toMatchObject([
      {
        contract: 'Flow',
        name: 'loops',
        source: { line },
        args: [
          { name: 'seed', value: '299', known: true },
          { name: 'items', value: ['4', '5'], known: true },
        ],
      },
    ])
    expect(named(view.locals, 'square')).toMatchObject({ value: '0', type: 'uint256', known: true })
    expect(named(view.locals, 'i')).toMatchObject({ value: '0' })
    expect(named(view.results, 'total')).toMatchObject({ value: '0' })
    expect(named(view.state, 'small')).toMatchObject({ value: '43', text: '43', location: 'storage' })
    expect(named(view.state, 'colour')).toMatchObject({ text: 'Red' })
    expect(named(view.state, 'text')).toMatchObject({ value: 'a name' })
    expect(view.notes).toEqual([])
    expect(view.pushedBy.every((pc) => typeof pc === 'number')).toBe(true)
    expect(view.lines?.find((each) => each.line === lineOf('small = low;'))?.steps).toBeGreaterThan(5)
  })

  it('shows the functions of all open calls', async () => {
    const node = await open()
    const hash = await node.call('run', 300n, 'a label')
    const inside = await node.find(hash, 'start', 'forward', {
      line: { source: SOURCE, line: lineOf('uint256 y = x +') },
    })
    const view = await node.view(hash, inside?.index as number)
    expect(view.functions.map(({ name, frame }) => `${frame} ${name}`)).toEqual(['1 outside', '0 catching', '0 run'])
    expect(view.functions.map(({ args }) => args[0]?.value)).toEqual(['601', '601', '300'])
  })

  it('gives state variables and external arguments alone of optimised code', async () => {
    const optimised = compileProject({ [SOURCE]: SMALL }, { optimizer: { enabled: true } }, LAYOUTS)
    const node = await open(hardhat2Files(optimised), optimised)
    const hash = await node.call('loops', 299n, [4, 5])
    const found = await node.find(hash, 'start', 'forward', { function: 'loops' })
    const first = found ?? (await node.find(hash, 'start', 'forward', { op: 'SSTORE' }))
    const view = await node.view(hash, first?.index as number)
    expect(named(view.state, 'text')).toMatchObject({ value: 'a name' })
    expect(view.locals.every(({ known }) => !known)).toBe(true)
    expect(view.notes.join()).toContain('optimised')
  })

  it('says that nothing is known without artifacts', async () => {
    const node = await open(new Map())
    const hash = await node.call('loops', 1n, [])
    const view = await node.view(hash, 100)
    expect(view).toMatchObject({ source: null, functions: [], state: [], locals: [] })
    expect(view.notes).toEqual(['No artifact is known for this code.'])
    expect(await node.view(hash, 10_000_000)).toBeNull()
  })
})

describe('debug_findStep with sources', () => {
  it('steps over, into and out of functions, and back', async () => {
    const node = await open()
    const hash = await node.call('run', 300n, 'a label')
    const at = async (found: { index: number } | null): Promise<number | undefined> =>
      found === null ? undefined : (await node.view(hash, found.index)).source?.line
    const line = lineOf('many(seed, label)')
    const start = await node.find(hash, 'start', 'forward', { line: { source: SOURCE, line } })
    const from = start?.index as number
    const into = await node.find(hash, from, 'forward', { newLine: true })
    expect(await at(into)).toBe(lineOf('doubled = x * 2;'))
    const over = await node.find(hash, from, 'forward', { newLine: true, sameFunction: true })
    expect(await at(over)).toBe(lineOf('colour = c;'))
    const inside = await node.view(hash, into?.index as number)
    const out = await node.find(hash, into?.index as number, 'forward', {
      newLine: true,
      maxFunctionDepth: inside.depth - 1,
    })
    expect(await at(out)).toBe(line)
    const back = await node.find(hash, over?.index as number, 'backward', { newLine: true, sameFunction: true })
    expect(await at(back)).toBe(line)
  })

  it('finds functions that begin, and writes of variables', async () => {
    const node = await open()
    const hash = await node.call('run', 300n, 'a label')
    const entered = await node.find(hash, 'end', 'backward', { function: 'Flow.recurse' })
    const deepest = await node.view(hash, entered?.index as number)
    expect(deepest.functions.filter(({ name }) => name === 'recurse')).toHaveLength(5)
    expect(deepest.functions[0]?.args).toMatchObject([{ value: '0' }, { value: '16' }])
    const written = await node.find(hash, 'start', 'forward', { variable: 'balances' })
    expect((await node.view(hash, written?.index as number)).source?.line).toBe(lineOf('balances[msg.sender][a]'))
    const member = await node.find(hash, 'start', 'forward', { variable: 'byName["a label"].x' })
    expect((await node.view(hash, member?.index as number)).source?.line).toBe(lineOf('pointer.x = 5;'))
    expect(await node.find(hash, 'start', 'forward', { variable: 'nothing' })).toBeNull()
  })

  it('refuses conditions of a wrong kind', async () => {
    const node = await open()
    const hash = await node.call('loops', 1n, [])
    await expect(node.find(hash, 'start', 'forward', { line: 5 })).rejects.toThrow('line')
    await expect(node.find(hash, 'start', 'forward', { function: '' })).rejects.toThrow('function')
  })
})

describe('isonode_storage', () => {
  interface Storage {
    readonly variables: readonly Variable[]
    readonly unknown: readonly unknown[]
    readonly isComplete: boolean
  }

  it('names the variables, and the keys that transactions used', async () => {
    const node = await open()
    await node.call('run', 300n, 'a label')
    const storage = await node.rpc<Storage>('isonode_storage', node.flow)
    expect(storage).toMatchObject({ unknown: [], isComplete: true })
    expect(named(storage.variables, 'price')).toMatchObject({ value: '601', slot: expect.any(String) })
    const [owner] = named(storage.variables, 'balances')?.members ?? []
    expect(owner?.name.toLowerCase()).toBe(`[${ALICE.address.toLowerCase()}]`)
    expect(owner?.members).toMatchObject([{ name: '[601]', value: '300' }])
    const [entry] = named(storage.variables, 'byName')?.members ?? []
    expect(entry).toMatchObject({ name: '["a label"]', value: ['5', '0', ''] })
  })

  it('has the values of an older block, and slots alone without artifacts', async () => {
    const node = await open()
    await node.call('loops', 299n, [4, 5])
    const before = await node.rpc<Storage>('isonode_storage', node.flow, '0x1')
    expect(named(before.variables, 'small')).toMatchObject({ value: '7' })
    expect(await node.rpc('isonode_storage', ALICE.address)).toBeNull()
    const bare = await open(new Map())
    const unknown = await bare.rpc<Storage>('isonode_storage', bare.flow)
    expect(unknown.variables).toEqual([])
    expect(unknown.unknown.length).toBeGreaterThan(3)
  })
})
