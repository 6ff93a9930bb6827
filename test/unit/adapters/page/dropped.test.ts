import { describe, expect, it } from 'vitest'
import { readContract, readDroppedFile } from '../../../../adapters/page/state/dropped/droppedFile.ts'
import { dumpParameter } from '../../../../adapters/page/views/dev/stateFile.ts'

const ABI = [{ type: 'function', name: 'get', inputs: [], outputs: [{ type: 'uint256' }], stateMutability: 'view' }]
const CODE = '6080604052'

describe('dropped files', () => {
  it.each([
    ['Hardhat', { contractName: 'Box', sourceName: 'Box.sol', abi: ABI, deployedBytecode: `0x${CODE}` }],
    [
      'Foundry',
      {
        abi: ABI,
        deployedBytecode: { object: `0x${CODE}` },
        metadata: { settings: { compilationTarget: { 'Box.sol': 'Box' } } },
      },
    ],
  ])('of %s give a contract', (_, json) => {
    const { contracts, problem } = readDroppedFile(JSON.stringify(json), 'out/Box.json')
    expect(problem).toBeUndefined()
    expect(contracts.map(({ artifact }) => [artifact.name, artifact.sourceName, artifact.runtime?.length])).toEqual([
      ['Box', 'Box.sol', 5],
    ])
  })

  it('of the compiler and of build information give all contracts', () => {
    const output = {
      contracts: { 'Box.sol': { Box: { abi: ABI, evm: { deployedBytecode: { object: CODE } } }, Lid: { abi: ABI } } },
    }
    for (const json of [output, { output, input: {} }]) {
      const { contracts } = readDroppedFile(JSON.stringify(json), 'build.json')
      expect(contracts.map(({ artifact }) => [artifact.name, artifact.runtime?.length])).toEqual([
        ['Box', 5],
        ['Lid', undefined],
      ])
    }
  })

  it('may be a plain ABI, which has the name of its file', () => {
    const { contracts } = readDroppedFile(JSON.stringify(ABI), 'abis/Box.json')
    expect(contracts[0]?.artifact).toMatchObject({ name: 'Box', runtime: undefined })
    expect(contracts[0]?.artifact.functions.map(({ signature }) => signature)).toEqual(['get()'])
  })

  it('are read again from what is kept', () => {
    const json = { contractName: 'Box', abi: ABI, deployedBytecode: `0x${CODE}` }
    const [first] = readDroppedFile(JSON.stringify(json), 'Box.json').contracts
    const again = readContract(JSON.parse(first?.text ?? ''), 'other')
    expect(again?.artifact.name).toBe('Box')
    expect(again?.artifact.runtime?.id).toBe(first?.artifact.runtime?.id)
  })

  it.each([
    ['{', 'It is not valid JSON.'],
    ['5', 'It has no ABI, or one that is too long.'],
    ['[]', 'It has no ABI, or one that is too long.'],
    ['{"abi":7}', 'It has no ABI, or one that is too long.'],
    ['{"abi":[1,2]}', 'It has no ABI, or one that is too long.'],
    ['{"contracts":{"a":5,"b":null,"c":{"d":null}}}', 'It has no ABI, or one that is too long.'],
    [
      JSON.stringify({ abi: [{ type: 'function', name: 'x'.repeat(2 ** 21) }] }),
      'It has no ABI, or one that is too long.',
    ],
  ])('that cannot be used are refused: %.40s', (text, problem) => {
    expect(readDroppedFile(text, 'x.json')).toEqual({ contracts: [], problem })
  })

  it('of many contracts are cut', () => {
    const contracts = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`C${i}`, { abi: ABI }]))
    const read = readDroppedFile(JSON.stringify({ contracts: { a: contracts } }), 'x.json')
    expect(read.contracts).toHaveLength(500)
    expect(read.problem).toBe('100 further contracts are left out.')
  })
})

describe('a file with a chain', () => {
  it('is bytes or their hex', () => {
    expect(dumpParameter(Uint8Array.of(0x1f, 0x8b))).toBe('0x1f8b')
    expect(dumpParameter(new TextEncoder().encode('0x1f8b\n'))).toBe('0x1f8b')
  })
})
