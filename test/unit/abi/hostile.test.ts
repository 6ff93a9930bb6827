/** ABIs, data and code of someone who wants the node to hang, to crash or to mislead. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AbiIndex } from '../../../src/abi/abiIndex.ts'
import { abiItems } from '../../../src/abi/abiItem.ts'
import { type AbiParameter, abiTypes } from '../../../src/abi/abiType.ts'
import { type Artifact, readArtifact } from '../../../src/abi/artifact.ts'
import { compilerInCode, selectorsIn } from '../../../src/abi/codeSelectors.ts'
import { decodedText } from '../../../src/abi/decodedText.ts'
import { Decoder } from '../../../src/abi/decoder.ts'
import { MAX_CODE_SELECTORS } from '../../../src/base/limits/limits.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'

const CALL = 'a9059cbb'
const WORD_MAX = 'f'.repeat(64)

function artifact(abi: unknown, name = 'A'): Artifact {
  const outcome = readArtifact(
    JSON.stringify({ contractName: name, abi, bytecode: '0x', deployedBytecode: '0x' }),
    'A.json',
  )
  if (outcome.kind !== 'artifact') throw new Error(outcome.kind)
  return outcome.artifact
}

function decoderOf(...artifacts: readonly Artifact[]): Decoder {
  const index = new AbiIndex(artifacts)
  return new Decoder(() => index)
}

function call(types: readonly unknown[], words: readonly string[]) {
  const own = artifact([{ type: 'function', name: 'f', inputs: types }])
  const selector = own.functions[0]?.selector ?? CALL
  return decoderOf(own).call(hexToBytes(`0x${selector}${words.join('')}`), [own])
}

const uint = (value: number): string => value.toString(16).padStart(64, '0')

describe('hostile ABIs', () => {
  it('with cycles and without end are left out', () => {
    const cyclic: Record<string, unknown> = { type: 'tuple', name: 'x' }
    cyclic['components'] = [cyclic]
    expect(abiTypes([cyclic as unknown as AbiParameter])).toBeUndefined()
    const wide = { type: 'tuple', components: new Array(65).fill({ type: 'bool' }) }
    expect(abiItems([{ type: 'function', name: 'f', inputs: [wide] }]).functions).toEqual([])
    const nested = (depth: number): unknown =>
      depth === 0 ? { type: 'bool' } : { type: 'tuple', components: new Array(64).fill(nested(depth - 1)) }
    const value = abiItems([{ type: 'function', name: 'f', inputs: [nested(3)] }])
    expect(value.functions.length).toBeLessThan(2)
  })

  it('with names of 1 MB or with marks that reorder text do not reach an answer as they are', () => {
    const long = artifact([{ type: 'function', name: 'x'.repeat(2 ** 20), inputs: [] }], 'y'.repeat(2 ** 20))
    expect(long.functions).toEqual([])
    expect(long.name.length).toBeLessThan(200)
    const odd = artifact([{ type: 'event', name: 'a\u202eb', inputs: [{ name: '\u0007', type: 'bool' }] }], 'N\u202e')
    expect(odd.name).toBe('N\\u{202e}')
    expect(odd.events[0]).toMatchObject({ name: 'a\\u{202e}b', names: ['\\x07'] })
  })

  it('of any form are read without a fault', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom('type', 'name', 'inputs', 'components', 'indexed', '__proto__'), tie('any')),
        fc.constantFrom('function', 'event', 'error', 'constructor', 'tuple', 'uint256[2][]', 'tuple[]'),
      ),
    })).any
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), (abi) => {
        const items = abiItems(abi)
        expect(items.functions.length + items.events.length).toBeLessThanOrEqual(abi.length)
      }),
    )
  })
})

describe('hostile data', () => {
  it('with offsets beyond the data or beyond 2^256 have no values', () => {
    for (const words of [[WORD_MAX], [uint(2 ** 31)], [uint(32)], [uint(32), WORD_MAX]]) {
      expect(call([{ type: 'bytes' }], words)).toBeUndefined()
    }
    expect(call([{ type: 'uint256[]' }], [uint(32), uint(2 ** 32)])).toBeUndefined()
  })

  it('that use the same bytes many times are refused', () => {
    const tail = [uint(2 ** 19), ...new Array<string>(2 ** 14).fill(WORD_MAX)]
    const count = 2_000
    const heads = new Array<string>(count).fill(uint(32 * count))
    const value = call([{ type: 'bytes[]' }], [uint(32), uint(count), ...heads, ...tail])
    expect(value).toBeUndefined()
  })

  it('of 10 MB are decoded within a limit', () => {
    const items = 300_000
    const words = [uint(32), uint(items), ...new Array<string>(items).fill(uint(1))]
    const value = call([{ type: 'uint256[]' }], words)
    // More items than the limit: the values that were read are given.
    expect(Array.isArray(value?.args[0]?.value) ? value.args[0].value.length : 0).toBeLessThanOrEqual(4096)
  })

  it('of standard functions are decoded whatever follows', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const data = new Uint8Array([...hexToBytes(`0x${CALL}`), ...bytes])
        const decoded = new Decoder(() => undefined).call(data)
        if (decoded !== undefined) expect(decodedText(decoded).length).toBeLessThan(1_100)
      }),
    )
  })

  it('of logs fit the topics or are not decoded', () => {
    const topic = hexToBytes('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
    const decoder = new Decoder(() => undefined)
    const word = new Uint8Array(32)
    expect(decoder.event([topic, word, word], word)?.args.map(({ name }) => name)).toEqual(['from', 'to', 'value'])
    expect(decoder.event([topic, word, word, word], new Uint8Array(0))?.args[2]?.name).toBe('tokenId')
    expect(decoder.event([topic, word], word)).toBeUndefined()
    expect(decoder.event([topic, word, word], new Uint8Array(31))).toBeUndefined()
    expect(decoder.event([], word)).toBeUndefined()
  })
})

describe('hostile code', () => {
  it('has a bounded number of selectors', () => {
    const one = [0x63, 0, 0, 0, 0, 0x14, 0x61, 0, 0, 0x57]
    const code = new Uint8Array(one.length * 5_000)
    for (let i = 0; i < 5_000; i++) code.set([0x63, 0, 0, i >> 8, i & 0xff, ...one.slice(5)], i * one.length)
    expect(selectorsIn(code)).toHaveLength(MAX_CODE_SELECTORS)
  })

  it('of any bytes is read to its end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (code) => {
        expect(selectorsIn(code).every((selector) => selector.length === 8)).toBe(true)
        compilerInCode(code)
      }),
    )
  })
})
