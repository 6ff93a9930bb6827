// slow: compiled contracts
import { describe, expect, it } from 'vitest'
import { AstIndex } from '../../../../src/abi/layout/astIndex.ts'
import { AstTypes } from '../../../../src/abi/layout/astTypes.ts'
import { dataSlot } from '../../../../src/abi/layout/decodeStorage.ts'
import { Preimages } from '../../../../src/abi/layout/preimages.ts'
import { nameSlot } from '../../../../src/abi/layout/slotNames.ts'
import {
  computeLayout,
  type LayoutTrees,
  readLayout,
  type StorageLayout,
} from '../../../../src/abi/layout/storageLayout.ts'
import { bigIntToBytesPadded, bytesToBigInt, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { typeContracts } from '../../../support/debug/typeContracts.ts'
import { compileProject } from '../../../support/evm/solidity.ts'

const SPECIAL = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
uint256 constant START = 0x1000;
struct Tree { uint8 weight; Tree[] children; mapping(uint8 => Tree) named; }
contract A { uint8 a; }
contract B is A { uint256 constant C = 5; uint8 b; uint256 immutable i = 2; }
contract C is A { uint120 c; uint256 transient t; bool transient u; }
contract D layout at START + 2 { uint8 first; mapping(string => uint16[4]) m; }
contract E is B, C {
    uint8 last;
    Tree tree;
    function() internal pointer;
    function() external outer;
    uint40[11] packed;
    bytes data;
    mapping(uint256 => uint64[]) lists;
}
`
const OUTPUTS = ['storageLayout', 'transientStorageLayout']
const project = compileProject(
  { 'Special.sol': SPECIAL, 'Types.sol': typeContracts().find(({ type }) => type === 'Pair')?.source ?? '' },
  {},
  OUTPUTS,
)
const index = new AstIndex(Object.values(project.output.sources).map(({ ast }) => ast))
const trees: LayoutTrees = { index, types: new AstTypes(index) }

interface Layouts {
  readonly storageLayout?: unknown
  readonly transientStorageLayout?: unknown
}

function layoutsOf(file: string, name: string): { written: StorageLayout; computed: StorageLayout } {
  const contract = project.output.contracts[file]?.[name] as Layouts
  const written = readLayout({ storage: contract.storageLayout, transient: contract.transientStorageLayout }, undefined)
  const definition = index.contractNamed(name, project.output.sources[file]?.id)
  const computed = definition && computeLayout(definition, trees)
  if (written === undefined || computed === undefined) throw new Error('no layout')
  return { written, computed }
}

const places = ({ variables, transient }: StorageLayout): unknown[] =>
  [...variables, ...transient].map(({ name, slot, offset }) => [name, slot, offset])

describe('a layout of storage', () => {
  it.each(['A', 'B', 'C', 'D', 'E'])('of %s is computed as the compiler writes it', (name) => {
    const { written, computed } = layoutsOf('Special.sol', name)
    expect(places(computed)).toEqual(places(written))
  })

  it('of a contract with structs is computed as the compiler writes it', () => {
    const { written, computed } = layoutsOf('Types.sol', 'Types')
    expect(places(computed)).toEqual(places(written))
  })

  it.each([
    ['no text', { storage: [{ label: 'x', slot: 'a', offset: 0, type: 't' }], types: {} }],
    ['an offset outside the slot', { storage: [{ label: 'x', slot: '0', offset: 40, type: 't' }], types: {} }],
    ['a type that is not described', { storage: [{ label: 'x', slot: '0', offset: 0, type: '__proto__' }], types: {} }],
    ['no list', { storage: 5 }],
  ])('with %s is not known', (_, storage) => {
    expect(readLayout({ storage, transient: undefined }, undefined)).toBeUndefined()
  })
})

describe('the name of a slot', () => {
  const { computed } = layoutsOf('Special.sol', 'E')
  const preimages = new Preimages()
  const slotOf = (name: string): bigint => computed.variables.find((each) => each.name === name)?.slot ?? -1n
  const word = (value: bigint): Uint8Array => bigIntToBytesPadded(value, 32)
  const hash = (...parts: Uint8Array[]): bigint => {
    const input = concatBytes(...parts)
    preimages.add(input)
    return bytesToBigInt(keccak256(input))
  }
  const name = (slot: bigint): string | undefined => nameSlot(computed, slot, preimages)?.variable

  it('has all variables of the slot', () => {
    expect(name(0n)).toBe('a, b, c, last')
    expect(nameSlot(computed, 0n, preimages)?.text(word(0x0403_02_01n))).toMatch(/^1, 2, /)
  })

  it('follows members, items, keys and lengths', () => {
    expect(name(slotOf('packed') + 1n)).toBe('packed[6], packed[7], packed[8], packed[9], packed[10]')
    const children = slotOf('tree') + 1n
    expect(name(children)).toBe('tree.children.length')
    expect(name(hash(word(children)) + 3n)).toBe('tree.children[1].weight')
    const list = hash(word(7n), word(slotOf('lists')))
    expect(name(list)).toBe('lists[7].length')
    expect(name(hash(word(list)) + 1n)).toBe('lists[7][4], lists[7][5], lists[7][6], lists[7][7]')
    const named = hash(word(3n), word(slotOf('tree') + 2n))
    expect(name(named)).toBe('tree.named[3].weight')
    expect(nameSlot(computed, slotOf('data'), preimages)?.text(word(2n * 100n + 1n))).toBe('100 bytes')
    hash(word(slotOf('data')))
    expect(name(dataSlot(slotOf('data')) + 2n)).toBe('data')
    expect(name(1n << 200n)).toBeUndefined()
  })
})
