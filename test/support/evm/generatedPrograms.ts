/** Generated programs whose calls, creations and failures are frequent. */
import fc from 'fast-check'
import { concatBytes, hexToBytes, padLeft } from '../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../src/config/forks.ts'
import { MemoryState } from '../chains/memoryState.ts'
import { CONTRACT, SENDER } from './evm.ts'

export const OTHER: Uint8Array = hexToBytes('0x4000000000000000000000000000000000000004')
const THIRD = hexToBytes('0x5000000000000000000000000000000000000005')
const FORKS: readonly ForkName[] = [
  'frontier',
  'tangerineWhistle',
  'byzantium',
  'istanbul',
  'london',
  'prague',
  'osaka',
]

type Code = readonly number[]

const push = (bytes: Uint8Array): Code => [0x5f + bytes.length, ...bytes]
const byte = (value: number): Code => [0x60, value]
const small = fc.integer({ min: 0, max: 90 }).map(byte)
const operand = fc.oneof(
  { weight: 3, arbitrary: small },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 32 }).map(push) },
)
const opcode = (...bytes: number[]) => fc.constantFrom(...bytes).map((value): Code => [value])
const sequence = (...parts: fc.Arbitrary<Code>[]) => fc.tuple(...parts).map((codes): Code => codes.flat())
const target = fc
  .constantFrom(CONTRACT, OTHER, THIRD, SENDER, ...[2, 4, 9].map((number) => padLeft(Uint8Array.of(number), 20)))
  .map(push)
const calls = (kinds: Code, ...value: fc.Arbitrary<Code>[]) =>
  sequence(
    small,
    small,
    small,
    small,
    ...value,
    target,
    fc.constantFrom(...[0, 3000, 90_000].map((gas) => push(padLeft(Uint8Array.of(gas >> 16, gas >> 8, gas), 3)))),
    opcode(...kinds),
  )

const part: fc.Arbitrary<Code> = fc.oneof(
  { weight: 6, arbitrary: operand },
  { weight: 3, arbitrary: sequence(operand, operand, opcode(0x01, 0x02, 0x03, 0x04, 0x0a, 0x10, 0x16, 0x19, 0x1b)) },
  { weight: 4, arbitrary: fc.integer({ min: 0x80, max: 0x9f }).map((op): Code => [op]) },
  { weight: 3, arbitrary: sequence(operand, small, opcode(0x52, 0x53, 0x20, 0xf3, 0xfd)) },
  { weight: 2, arbitrary: sequence(small, small, small, opcode(0x37, 0x39, 0x3e, 0x5e)) },
  { weight: 1, arbitrary: sequence(small, small, small, target, opcode(0x3c)) },
  { weight: 3, arbitrary: sequence(small, small, opcode(0x55)) },
  { weight: 2, arbitrary: sequence(fc.integer({ min: 0, max: 3 }).map(byte), opcode(0x54, 0x51, 0x5c)) },
  { weight: 2, arbitrary: calls([0xf1, 0xf2], fc.constantFrom(byte(0), byte(1))) },
  { weight: 2, arbitrary: calls([0xf4, 0xfa]) },
  { weight: 1, arbitrary: sequence(small, small, small, opcode(0xf0)) },
  { weight: 1, arbitrary: sequence(small, small, small, small, opcode(0xf5)) },
  { weight: 2, arbitrary: opcode(0x30, 0x33, 0x36, 0x3d, 0x47, 0x50, 0x58, 0x59, 0x5a, 0x5b) },
  { weight: 1, arbitrary: opcode(0x00, 0x0c, 0xfe, 0xff, 0x56, 0x57, 0xa1) },
)
const program = fc.array(part, { maxLength: 25 }).map((parts) => Uint8Array.from(parts.flat()))

/** A message to three contracts that call each other; `creates`: the first one's code is run as a creation. */
export interface GeneratedMessage {
  readonly codes: readonly [Uint8Array, Uint8Array, Uint8Array]
  readonly fork: ForkName
  readonly gas: bigint
  readonly creates: boolean
}

export const generatedMessage: fc.Arbitrary<GeneratedMessage> = fc.record({
  codes: fc.tuple(program, program, program),
  fork: fc.constantFrom(...FORKS),
  gas: fc.constantFrom(200n, 60_000n, 400_000n),
  creates: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
})

/** The state that holds the contracts of a generated message. */
export function stateOf(codes: readonly Uint8Array[]): MemoryState {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 20n)
  state.setNonce(SENDER, 1n)
  for (const [index, address] of [CONTRACT, OTHER, THIRD].entries()) {
    state.setBalance(address, 100n)
    state.setCode(address, concatBytes(codes[index] as Uint8Array))
  }
  return state
}
