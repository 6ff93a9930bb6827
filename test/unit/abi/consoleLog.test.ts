import fc from 'fast-check'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { ConsoleReader } from '../../../src/abi/consoleLog.ts'
import { consoleLines } from '../../../src/activityLog/callPath.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'

const reader = new ConsoleReader()
const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

function text(types: string, ...args: readonly unknown[]): string {
  const inputs = types.split(',').map((type) => ({ name: '', type }))
  const abi = [{ type: 'function', name: 'log', inputs: types === '' ? [] : inputs, outputs: [] }]
  return reader.text(hexToBytes(encodeFunctionData({ abi, args } as never) as Hex))
}

/** The calls of old versions of console.sol: the signature says `uint` or `int`, the encoding is the same. */
function legacy(selector: string, types: string, ...args: readonly unknown[]): string {
  const inputs = types.split(',').map((type) => ({ name: '', type }))
  const abi = [{ type: 'function', name: 'log', inputs, outputs: [] }]
  const data = encodeFunctionData({ abi, args } as never) as Hex
  return reader.text(hexToBytes(`0x${selector}${data.slice(10)}`))
}

describe('console.log', () => {
  it.each([
    ['', [], ''],
    ['string', ['hello'], 'hello'],
    ['uint256', [42n], '42'],
    ['int256', [-5n], '-5'],
    ['bool', [true], 'true'],
    ['address', [ACCOUNT], ACCOUNT],
    ['bytes', ['0xc0ffee'], '0xc0ffee'],
    ['bytes4', ['0xdeadbeef'], '0xdeadbeef'],
    ['bytes32', [`0x${'ab'.repeat(32)}`], `0x${'ab'.repeat(32)}`],
    ['string,int256', ['delta', -7n], 'delta -7'],
    ['uint256,address,bool,string', [1n, ACCOUNT, false, 'end'], `1 ${ACCOUNT} false end`],
    ['string,string,string,string', ['a', 'b', 'c', 'd'], 'a b c d'],
  ] as const)('of (%s)', (types, args, expected) => {
    expect(text(types, ...args)).toBe(expected)
  })

  it.each([
    ['%s and %d', 'uint256,bool', [7n, true], '7 and 1'],
    ['%x', 'uint256', [255n], '0xff'],
    ['%i%% done', 'uint256', [99n], '99% done'],
    ['%s', 'uint256,string', [1n, 'rest'], '1 rest'],
    ['%s %s', 'uint256', [1n], '1 %s'],
    ['%18e', 'uint256', [1_500_000_000_000_000_000n], '1.5'],
    ['%e', 'uint256', [1_500n], '1.5e3'],
    ['%o', 'address', [ACCOUNT], ACCOUNT],
    ['100% of', 'uint256', [3n], '100% of 3'],
  ] as const)('fills in %s', (format, types, args, expected) => {
    expect(text(`string,${types}`, format, ...args)).toBe(expected)
  })

  it('knows the selectors of old versions', () => {
    expect(legacy('f5b1bba9', 'uint256', 5n)).toBe('5')
    expect(legacy('4e0c1d1d', 'int256', -5n)).toBe('-5')
    expect(legacy('9710a9d0', 'string,uint256', 'n', 5n)).toBe('n 5')
  })

  it('shows unknown and damaged calls in hex, and the beginning of text that was cut off', () => {
    expect(reader.text(hexToBytes('0x12345678'))).toBe('unknown console.log call 0x12345678')
    expect(reader.text(new Uint8Array(0))).toBe('unknown console.log call 0x')
    expect(reader.text(hexToBytes(`0x41304fac${'ff'.repeat(64)}`))).toMatch(/^unknown console.log call 0x41304facff/)
    const long = encodeFunctionData({
      abi: [{ type: 'function', name: 'log', inputs: [{ name: '', type: 'string' }], outputs: [] }],
      args: ['y'.repeat(40_000)],
    } as never) as Hex
    expect(reader.text(hexToBytes(long).slice(0, 16 * 1024))).toMatch(/^y{16000}/)
  })

  it('any bytes give printable lines of bounded length', () => {
    const selector = fc.constantFrom('41304fac', 'f82c50f1', '2ca34eb2'.slice(0, 8), 'a9059cbb')
    fc.assert(
      fc.property(selector, fc.uint8Array({ maxLength: 300 }), (head, tail) => {
        const input = Uint8Array.from([...hexToBytes(`0x${head}`), ...tail])
        for (const line of consoleLines(reader.text(input))) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not occur
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
          expect(line.length).toBeLessThan(5_000)
        }
      }),
      { numRuns: 500 },
    )
    const hostile = text('string', '\x1b[2J\x07evil\u202e\nsecond')
    expect(consoleLines(hostile)).toEqual(['\\x1b[2J\\x07evil\\u{202e}', 'second'])
  })
})
