import fc from 'fast-check'
import { encodeAbiParameters, encodeErrorResult, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { AbiIndex } from '../../../src/abi/abiIndex.ts'
import { AbiLibrary } from '../../../src/abi/abiLibrary.ts'
import { abiTypes, canonicalName } from '../../../src/abi/abiType.ts'
import { abiText, decodeAbi } from '../../../src/abi/abiValue.ts'
import { type Artifact, readArtifact } from '../../../src/abi/artifact.ts'
import { outputReason } from '../../../src/abi/failureReason.ts'
import { MAX_ABI_FILES } from '../../../src/base/limits/limits.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { compileContract } from '../../support/evm/solidity.ts'
import { folderOf, foundryArtifact, hardhatArtifact } from '../../support/nodes/activity.ts'

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

function artifact(text: string, path = 'A.json'): Artifact {
  const outcome = readArtifact(text, path)
  if (outcome.kind !== 'artifact') throw new Error(outcome.kind)
  return outcome.artifact
}

function printed(types: readonly { type: string; components?: { name: string; type: string }[] }[], values: unknown[]) {
  const data = encodeAbiParameters(types as never, values as never)
  return decodeAbi(abiTypes(types) ?? [], hexToBytes(data))?.map(abiText)
}

describe('ABI values', () => {
  it('are printed as in source', () => {
    const tuple = {
      type: 'tuple[]',
      components: [
        { name: 'a', type: 'uint8' },
        { name: 'b', type: 'string' },
      ],
    }
    expect(printed([{ type: 'uint256' }, { type: 'int8' }, { type: 'bool' }], [5n, -3, true])).toEqual([
      '5',
      '-3',
      'true',
    ])
    expect(printed([{ type: 'address' }, { type: 'bytes' }], [ACCOUNT, '0x1234'])).toEqual([ACCOUNT, '0x1234'])
    expect(printed([tuple], [[{ a: 1, b: 'x\x1b' }]])).toEqual(['[(1, "x\\x1b")]'])
    expect(
      printed(
        [{ type: 'uint256[2][]' }],
        [
          [
            [1n, 2n],
            [3n, 4n],
          ],
        ],
      ),
    ).toEqual(['[[1, 2], [3, 4]]'])
    expect(printed([{ type: 'uint256[]' }], [Array.from({ length: 40 }, (_, i) => BigInt(i))])?.[0]).toMatch(
      /… 24 more\]$/,
    )
  })

  it('unknown and excessive types are refused', () => {
    for (const type of ['fixed', 'uint7', 'uint264', 'bytes33', 'uint256[999999][999999]', `uint${'[]'.repeat(20)}`])
      expect(abiTypes([{ type }])).toBeUndefined()
    expect(canonicalName(abiTypes([{ type: 'uint' }])?.[0] as never)).toBe('uint256')
  })

  it('hostile data are refused, never a crash or a long run', () => {
    const types = abiTypes([{ type: 'string[][]' }, { type: 'bytes' }, { type: 'uint256[][][]' }]) ?? []
    const word = fc.oneof(
      fc.constant(`${'0'.repeat(63)}0`),
      fc.constant(`${'0'.repeat(62)}20`),
      fc.constant('f'.repeat(64)),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const text = decodeAbi(types, hexToBytes(`0x${words.join('')}`))
          ?.map(abiText)
          .join()
        expect((text ?? '').length).toBeLessThan(100_000)
      }),
    )
  })
})

describe('contracts', () => {
  const index = new AbiIndex([
    artifact(hardhatArtifact('Vault', 'Vault.sol')),
    artifact(foundryArtifact('Ledger', 'Vault.sol'), 'Vault.sol/Ledger.json'),
  ])

  it('are found by their code with immutable values and other metadata', () => {
    const { deployedBytecode } = compileContract('Vault', 'Vault.sol')
    const filled = deployedBytecode.replaceAll(`7f${'0'.repeat(64)}`, `7f${'0'.repeat(62)}2a`)
    expect(filled).not.toBe(deployedBytecode)
    const metadata = filled.replace(/(?<=64736f6c).{6}0033$/, '0001020033')
    expect(index.contract(hexToBytes(filled))?.name).toBe('Vault')
    expect(index.contract(hexToBytes(metadata))?.name).toBe('Vault')
    expect(index.contract(hexToBytes(compileContract('Ledger', 'Vault.sol').deployedBytecode))?.name).toBe('Ledger')
    expect(index.contract(hexToBytes(compileContract('Token').deployedBytecode))).toBeUndefined()
  })

  it('are found by their creation code with arguments', () => {
    const { bytecode } = compileContract('Vault', 'Vault.sol')
    expect(index.createdBy(hexToBytes(`${bytecode}${'00'.repeat(64)}`))?.name).toBe('Vault')
    expect(index.createdBy(hexToBytes('0x6001'))).toBeUndefined()
  })

  it('with the same code are told apart by their metadata', () => {
    const code = (digit: string): string => `0x6001a1${digit.repeat(20)}000b`
    const named = (contractName: string, digit: string): Artifact =>
      artifact(
        JSON.stringify({
          contractName,
          abi: [],
          bytecode: `0x5f${code(digit).slice(2)}`,
          deployedBytecode: code(digit),
        }),
      )
    const alike = new AbiIndex([named('First', '1'), named('Second', '2')])
    expect(alike.contract(hexToBytes(code('2')))?.name).toBe('Second')
    expect(alike.createdBy(hexToBytes(`0x5f${code('2').slice(2)}ffff`))?.name).toBe('Second')
    expect(alike.contract(hexToBytes(code('3')))?.name).toBe('First')
  })

  it('name calls and custom errors', () => {
    const { abi } = compileContract('Ledger', 'Vault.sol')
    const call = hexToBytes(encodeFunctionData({ abi, functionName: 'debit', args: [ACCOUNT, 5n] }))
    expect(index.call(call, undefined)).toBe(`debit(${ACCOUNT}, 5)`)
    expect(index.call(call.subarray(0, 40), undefined)).toBe('debit(address,uint256)')
    const error = hexToBytes(encodeErrorResult({ abi, errorName: 'Overdrawn', args: [ACCOUNT, 1n, 2n] }) as Hex)
    expect(outputReason(error, index, undefined)).toBe(`Overdrawn(account: ${ACCOUNT}, available: 1, wanted: 2)`)
    expect(outputReason(error, undefined, undefined)).toMatch(
      new RegExp(`^custom error ${bytesToHex(error.slice(0, 4))}`),
    )
  })

  it('names in files cannot control the terminal', () => {
    const text = JSON.stringify({ contractName: 'A\x1b[31m', abi: [{ type: 'error', name: 'B\u202e', inputs: [] }] })
    const { name, errors } = artifact(text)
    expect(name).toBe('A\\x1b[31m')
    expect(errors[0]?.name).toBe('B\\u{202e}')
  })
})

describe('reasons of a revert', () => {
  const reason = (hex: string) => outputReason(hexToBytes(hex), undefined, undefined)
  const errorOf = (text: string) => `0x08c379a0${encodeAbiParameters([{ type: 'string' }], [text]).slice(2)}`

  it.each([
    ['nothing', '0x', 'reverted without a reason'],
    ['Error', errorOf('no'), 'Error("no")'],
    ['a hostile Error', errorOf('\x1b]0;x\x07'), 'Error("\\x1b]0;x\\x07")'],
    ['a long Error', errorOf('z'.repeat(5_000)), `Error("${'z'.repeat(1_000)}… (5000 characters)")`],
    ['Panic', `0x4e487b71${'0'.repeat(62)}11`, 'Panic(0x11): arithmetic underflow or overflow'],
    ['a cut Panic', '0x4e487b71', 'custom error 0x4e487b71'],
    ['a broken Error', `0x08c379a0${'ff'.repeat(32)}`, `reverted with 0x08c379a0${'ff'.repeat(32)}`],
    ['a custom error', '0xdeadbeef', 'custom error 0xdeadbeef'],
    ['two bytes', '0x1234', 'reverted with 0x1234'],
  ])('%s', (_, output, expected) => {
    expect(reason(output)).toBe(expected)
  })
})

describe('folders of --abi', () => {
  const libraryOf = (files: ReadonlyMap<string, string>) =>
    new AbiLibrary({ folders: [folderOf(files)], clock: performance_, yieldToHost: async () => {} })
  let now = 0
  const performance_ = { monotonic: () => now }

  it('broken files are named in one line, and the others are used', async () => {
    const files = new Map([
      ['build-info/1.json', '{"input":{},"output":{}}'],
      ['Cut.json', '{"abi": ['],
      ['List.json', '{"abi": 5}'],
      ['Token.json', hardhatArtifact('Token', 'Token.sol')],
      ['Plain.json', '[{"type":"function","name":"f","inputs":[]}]'],
      ['Null.json', 'null'],
      ['Odd.json', '{"abi":[null, 5, {"type":"error","name":7}, {"type":"function","name":"g","inputs":"no"}]}'],
    ])
    const library = libraryOf(files)
    expect(await library.refresh()).toEqual([
      'out has 2 files that cannot be used: Cut.json: it is not valid JSON, and 1 more',
    ])
    expect(library.index.artifacts.map(({ name }) => name)).toEqual(['Token', 'Plain', 'Odd'])
    expect(await library.refresh()).toEqual([])
  })

  it('of 10,000 files, the first are used, and one line says so', async () => {
    const files = new Map(
      Array.from({ length: 10_000 }, (_, i) => [`C${i}.json`, `{"contractName":"C${i}","abi":[]}`] as const),
    )
    const library = libraryOf(files)
    expect(await library.refresh()).toEqual([`out has more than ${MAX_ABI_FILES} files; the rest is ignored`])
    expect(library.index.artifacts).toHaveLength(MAX_ABI_FILES)
  })

  it('are read again when files change', async () => {
    const files = new Map([['A.json', '{"abi":[]}']])
    const library = libraryOf(files)
    await library.refresh()
    expect(library.isDue(true)).toBe(false)
    now += 300
    expect([library.isDue(true), library.isDue(false)]).toEqual([true, false])
    files.set('B.json', '{"abi":[ ]}')
    files.delete('A.json')
    await library.refresh()
    expect(library.index.artifacts.map(({ name }) => name)).toEqual(['B'])
  })

  it('that cannot be read are named', async () => {
    const folder = { ...folderOf(new Map()), files: () => Promise.reject(new Error('gone')) }
    const library = new AbiLibrary({ folders: [folder], clock: performance_, yieldToHost: async () => {} })
    expect(await library.refresh()).toEqual(['the ABI folder out cannot be read'])
  })
})
