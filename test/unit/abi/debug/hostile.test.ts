/** Source maps, syntax trees and layouts that lie: no exception, and a bounded amount of work. */
import { describe, expect, it } from 'vitest'
import { DebugBuild } from '../../../../src/abi/debug/debugBuild.ts'
import type { DebugCode, DebugContract } from '../../../../src/abi/debug/debugContract.ts'
import { DebugRecorder } from '../../../../src/abi/debug/debugRecorder.ts'
import { type DebugView, debugView } from '../../../../src/abi/debug/debugView.ts'
import { LineCosts } from '../../../../src/abi/debug/lineCosts.ts'
import { framesAt } from '../../../../src/abi/debug/moment.ts'
import { CalldataDecoder } from '../../../../src/abi/layout/decodeCalldata.ts'
import { StorageDecoder } from '../../../../src/abi/layout/decodeStorage.ts'
import { Preimages } from '../../../../src/abi/layout/preimages.ts'
import { nameSlot } from '../../../../src/abi/layout/slotNames.ts'
import { readLayout } from '../../../../src/abi/layout/storageLayout.ts'
import { decodeBudget } from '../../../../src/abi/layout/variable.ts'
import { SourceFile } from '../../../../src/abi/source/sourceFile.ts'
import { SourceMap } from '../../../../src/abi/source/sourceMap.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import type { FrameView } from '../../../../src/evm/hooks.ts'
import { combineHooks } from '../../../../src/tracing/combineHooks.ts'
import { MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, testClock } from '../../../support/evm/evm.ts'
import { loadTestEvm } from '../../../support/evm/testEvm.ts'
import { cpuTimeMs } from '../../../support/host/cpuTime.ts'
import { Random } from '../../../support/host/random.ts'

const MAX_MS = 1_000
function spentMs(work: () => unknown): number {
  const startMs = cpuTimeMs()
  work()
  return cpuTimeMs() - startMs
}

const FULL = new Uint8Array(32).fill(0xff)
const elementary = (name: string): object => ({ nodeType: 'ElementaryTypeName', name })
const named = (id: number): object => ({ nodeType: 'UserDefinedTypeName', referencedDeclaration: id })
const variable = (id: number, typeName: object, more: object = {}): object => ({
  nodeType: 'VariableDeclaration',
  id,
  name: `v${id}`,
  typeName,
  src: '0:10:0',
  ...more,
})
const contractNode = (nodes: readonly object[], more: object = {}): object => ({
  nodes: [
    { nodeType: 'ContractDefinition', id: 1, name: 'C', src: '0:1000:0', linearizedBaseContracts: [1], nodes, ...more },
  ],
})

function built(tree: unknown, text = 'contract C { }'): DebugContract {
  const files = new Map([[0, new SourceFile('C.sol', new TextEncoder().encode(text))]])
  const build = new DebugBuild({ files, trees: [tree], settings: {} })
  return build.contract({ name: 'C', file: 0, storageLayout: undefined, transientStorageLayout: undefined })
}

describe('a syntax tree', () => {
  it.each([
    [
      'a struct that contains itself',
      [{ nodeType: 'StructDefinition', id: 2, name: 'S', members: [variable(3, named(2))] }, variable(4, named(2))],
    ],
    [
      'a type that is defined by itself',
      [{ nodeType: 'UserDefinedValueTypeDefinition', id: 2, underlyingType: named(2) }, variable(4, named(2))],
    ],
    [
      'a constant of itself',
      [
        variable(9, elementary('uint256'), {
          constant: true,
          value: { nodeType: 'Identifier', referencedDeclaration: 9 },
        }),
        variable(4, elementary('uint8')),
      ],
      { storageLayout: { baseSlotExpression: { nodeType: 'Identifier', referencedDeclaration: 9 } } },
    ],
    ['bases that do not exist', [variable(4, elementary('uint8'))], { linearizedBaseContracts: [1, 77] }],
  ])('with %s has no layout', (_, nodes, more?: object) => {
    expect(built(contractNode(nodes as object[], more as object)).layout).toBeUndefined()
  })

  it.each([
    [null],
    [5],
    ['text'],
    [[]],
    [{ nodes: [null, 5, { nodeType: 'ContractDefinition', nodes: {}, linearizedBaseContracts: ['a', {}] }] }],
  ])('of another kind is not known: %j', (tree) => {
    expect(() => built(tree)).not.toThrow()
  })

  it('is read in time with 300,000 definitions and deep blocks', () => {
    let body: object = { nodeType: 'Block', src: '0:5:0', statements: [] }
    for (let depth = 0; depth < 2_000; depth++) body = { nodeType: 'Block', src: '0:5:0', statements: [body] }
    const fn = { nodeType: 'FunctionDefinition', kind: 'function', name: 'f', src: '0:9:0', body }
    const nodes = Array.from({ length: 300_000 }, (_, id) => ({ ...fn, id, body: id < 9 ? body : undefined }))
    expect(spentMs(() => built(contractNode(nodes)))).toBeLessThan(4 * MAX_MS)
  })
})

describe('a layout', () => {
  const source = { read: () => FULL, entries: () => [] }
  const types: Record<string, object> = { t_uint8: { encoding: 'inplace', label: 'uint8', numberOfBytes: '1' } }
  // 20 members of the next kind in each of 20 kinds of structs, all at the same place.
  for (let kind = 0; kind < 20; kind++) {
    const type = kind === 19 ? 't_uint8' : `t_struct(${kind + 1})`
    const members = Array.from({ length: 20 }, (_, i) => ({ label: `m${i}`, slot: '0', offset: 0, type }))
    types[`t_struct(${kind})`] = { encoding: 'inplace', label: 'struct S', members, numberOfBytes: '32' }
  }
  types['t_huge'] = { encoding: 'inplace', label: `uint8[${10n ** 77n}]`, base: 't_uint8', numberOfBytes: '32' }
  types['t_list'] = { encoding: 'dynamic_array', label: 'uint8[]', base: 't_huge', numberOfBytes: '32' }
  const layout = readLayout(
    {
      storage: {
        storage: ['t_struct(0)', 't_huge', 't_list', 't_uint8'].map((type, i) => ({
          label: `x${i}`,
          slot: '0',
          offset: 0,
          type,
        })),
        types,
      },
      transient: undefined,
    },
    undefined,
  )

  it('with overlapping slots and endless lengths is decoded in time', () => {
    const spent = spentMs(() => {
      const decoder = new StorageDecoder(source, decodeBudget())
      for (const each of layout?.variables ?? [])
        expect(decoder.variable(each.name, each.type, each).text.length).toBeLessThan(500)
    })
    expect(layout?.variables).toHaveLength(4)
    expect(spent).toBeLessThan(MAX_MS)
  })

  it('with overlapping structs names slots in time', () => {
    expect(spentMs(() => layout && nameSlot(layout, 0n, new Preimages()))).toBeLessThan(MAX_MS)
  })

  it('of arguments is measured in time', () => {
    const spent = spentMs(() => {
      for (const { name, type } of layout?.variables ?? []) {
        try {
          new CalldataDecoder(new Uint8Array(4_096), decodeBudget()).tuple([{ name, type }], 0)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }
    })
    expect(spent).toBeLessThan(MAX_MS)
  })
})

describe('a source map', () => {
  // A loop of 5,000 rounds that hashes, jumps, stores and calls itself at the end.
  const CODE = Uint8Array.from([
    0x61, 0x13, 0x88, 0x5b, 0x60, 0x20, 0x5f, 0x20, 0x50, 0x60, 0x0e, 0x56, 0x00, 0x00, 0x5b, 0x60, 0x01, 0x90, 0x03,
    0x80, 0x80, 0x5f, 0x55, 0x60, 0x03, 0x57, 0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x30, 0x5a, 0xf1, 0x00,
  ])

  const RANGES = ['14:9:0', '15:5:0', '17:2:0', '99999999:5:0', '3:9:7', '-1:-1:-1', '0:2147483647:0', '9:99999999:0']

  function hostileMap(seed: number): string {
    const random = new Random(seed)
    return Array.from(CODE, () => `${random.pick(RANGES)}:${random.pick(['i', 'o', '-'])}`).join(';')
  }

  async function lastView(code: DebugCode): Promise<DebugView | undefined> {
    const recorder = new DebugRecorder({ codeOf: () => code })
    const costs = new LineCosts((frame) => recorder.codeAt(frame))
    let view: DebugView | undefined
    let count = 0
    const look = (frame: FrameView): void => {
      if (++count % 97 !== 0) return
      const slot = (): Uint8Array => FULL
      view = debugView({
        frames: framesAt(recorder, frame),
        preimages: recorder.preimages,
        slot,
        lines: costs.lines(),
        pushedBy: [],
      })
    }
    const state = new MemoryState()
    state.setCode(CONTRACT, CODE)
    state.beginTransaction()
    const hooks = combineHooks([{ step: look }, recorder.hooks, costs.hooks])
    const evm = await loadTestEvm(testClock)
    await runMessage(evm, messageTo(CONTRACT, { gas: 300_000n }), environmentOf('osaka'), state, { hooks })
    return view
  }

  it.each([1, 2, 3, 4, 5, 6])('with random ranges and jumps (seed %i) gives views in time', async (seed) => {
    const parameters = {
      parameters: [
        variable(5, elementary('uint256')),
        variable(6, elementary('string'), { storageLocation: 'memory' }),
      ],
    }
    const fn = {
      nodeType: 'FunctionDefinition',
      kind: 'function',
      name: 'f',
      id: 7,
      src: '14:9:0',
      parameters,
      body: { nodeType: 'Block', src: '15:99999:0', statements: [] },
    }
    const contract = built(contractNode([fn, variable(8, elementary('bytes'))]), `${'contract C {} '.repeat(20_000)}`)
    const startMs = cpuTimeMs()
    const view = await lastView({ contract, map: new SourceMap(hostileMap(seed), CODE) })
    expect(view?.state).toHaveLength(1)
    expect(cpuTimeMs() - startMs).toBeLessThan(20 * MAX_MS)
  })
})
