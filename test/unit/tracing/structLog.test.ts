import { describe, expect, it } from 'vitest'
import { bytesToHexUnprefixed, hexToBytes, padLeft } from '../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../src/config/forks.ts'
import type { StructLogOptions } from '../../../src/tracing/structLog/options.ts'
import { structLogTracer } from '../../../src/tracing/structLog/structLogTracer.ts'
import { MemoryState } from '../../support/chains/memoryState.ts'
import { CONTRACT, SENDER } from '../../support/evm/evm.ts'
import { type MessageToTrace, traceMessage } from '../../support/evm/tracedMessage.ts'

const OTHER = hexToBytes('0x4000000000000000000000000000000000000004')
const NOBODY = hexToBytes('0x5000000000000000000000000000000000000005')
const IDENTITY = padLeft(Uint8Array.of(4), 20)

interface Entry {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly stack: string[] | null
  readonly memory: string[] | null
  readonly storage: Record<string, string> | null
  readonly reason?: string | null
  readonly error?: unknown
  readonly refund?: number
  readonly returnData?: string
}

interface Trace {
  readonly structLogs: Entry[]
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: string
}

const word = (value: number | string): string =>
  (typeof value === 'number' ? value.toString(16) : value).padStart(64, '0')

interface Setup extends Omit<MessageToTrace, 'to'> {
  /** In hex. */
  readonly code?: string
  readonly other?: string
  readonly to?: Uint8Array | undefined
  readonly options?: StructLogOptions
  readonly profile?: 'besu' | 'geth'
  readonly markerTarget?: Uint8Array
}

async function trace(setup: Setup): Promise<Trace> {
  const { code = '', other = '', options = {}, profile = 'besu', markerTarget, ...message } = setup
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 20n)
  state.setNonce(SENDER, 1n)
  state.setBalance(CONTRACT, 1000n)
  state.setCode(CONTRACT, hexToBytes(code))
  state.setCode(OTHER, hexToBytes(other))
  const tracer = structLogTracer(options, { profile, markerTarget })
  const [text] = await traceMessage(state, { to: CONTRACT, ...message }, tracer)
  return JSON.parse(text as string)
}

/** @param kind CALL, CALLCODE, DELEGATECALL or STATICCALL, with 200,000 gas */
function call(kind: number, to: Uint8Array, value = 0): string {
  const amount = kind < 0xf4 ? `60${value.toString(16).padStart(2, '0')}` : ''
  return `60006000600060006${amount.slice(1)}73${bytesToHexUnprefixed(to)}62030d40${kind.toString(16)}`.replace(
    '60006000600060006',
    kind < 0xf4 ? '60006000600060006' : '6000600060006000',
  )
}

const steps = ({ structLogs }: Trace): string[] => structLogs.map(({ op, depth }) => `${depth} ${op}`)

describe('struct logs of Besu', () => {
  it('show a privacy marker as a precompile and a STOP, and a call of its target from code as a STOP', async () => {
    const entry = { pc: 0, gas: 50_000, gasCost: 0, depth: 1, reason: null }
    const { structLogs } = await trace({ to: OTHER, markerTarget: OTHER, gas: 50_000n })
    expect(structLogs).toEqual([
      { ...entry, op: '', stack: null, memory: null, storage: null },
      { ...entry, op: 'STOP', stack: [], memory: [], storage: {} },
    ])
    const nested = await trace({ code: call(0xf1, OTHER), markerTarget: OTHER })
    expect(steps(nested).slice(-3)).toEqual(['1 CALL', '2 STOP', '1 STOP'])
  })

  it('show the stack before, memory and storage after an opcode, and the implicit STOP', async () => {
    const result = await trace({ code: '602a6001526007600955', gas: 50_000n })
    const nothing = { storage: {}, reason: null }
    const memory = [`${'00'.repeat(32)}`, `2a${'00'.repeat(31)}`]
    const storage = { [word(9)]: word(7) }
    expect(result).toEqual({
      structLogs: [
        { pc: 0, op: 'PUSH1', gas: 50_000, gasCost: 3, depth: 1, stack: [], memory: [], ...nothing },
        { pc: 2, op: 'PUSH1', gas: 49_997, gasCost: 3, depth: 1, stack: [word(0x2a)], memory: [], ...nothing },
        {
          pc: 4,
          op: 'MSTORE',
          gas: 49_994,
          gasCost: 9,
          depth: 1,
          stack: [word(0x2a), word(1)],
          memory,
          ...nothing,
        },
        { pc: 5, op: 'PUSH1', gas: 49_985, gasCost: 3, depth: 1, stack: [], memory, ...nothing },
        { pc: 7, op: 'PUSH1', gas: 49_982, gasCost: 3, depth: 1, stack: [word(7)], memory, ...nothing },
        {
          pc: 9,
          op: 'SSTORE',
          gas: 49_979,
          gasCost: 22_100,
          depth: 1,
          stack: [word(7), word(9)],
          memory,
          storage,
          reason: null,
        },
        { pc: 10, op: 'STOP', gas: 27_879, gasCost: 0, depth: 1, stack: [], memory, storage, reason: null },
      ],
      gas: 22_121,
      failed: false,
      returnValue: '',
    })
  })

  it("write members in Besu's order, and null for those not requested", async () => {
    const full = await trace({ code: '00' })
    expect(Object.keys(full.structLogs[0] as Entry)).toEqual([
      'pc',
      'op',
      'gas',
      'gasCost',
      'depth',
      'stack',
      'memory',
      'storage',
      'reason',
    ])
    for (const key of ['stack', 'memory', 'storage'] as const) {
      const option = `disable${key[0]?.toUpperCase()}${key.slice(1)}`
      const { structLogs } = await trace({ code: '600160025500', options: { [option]: true } })
      expect(structLogs).toHaveLength(4)
      for (const entry of structLogs) {
        expect(entry[key]).toBeNull()
        for (const other of ['stack', 'memory', 'storage'] as const)
          if (other !== key) expect(entry[other]).not.toBeNull()
      }
    }
  })

  it('show the revert data as a number, and no return value', async () => {
    const reverted = await trace({ code: '61abcd60005260206000fd' })
    expect(reverted).toMatchObject({ failed: true, returnValue: '' })
    expect(reverted.structLogs.at(-1)).toMatchObject({ op: 'REVERT', reason: '0xabcd' })
    expect(reverted.structLogs.at(-1)).not.toHaveProperty('error')
    expect((await trace({ code: '60006000fd' })).structLogs.at(-1)).toMatchObject({ reason: '0x' })
    expect((await trace({ code: '60206000fd' })).structLogs.at(-1)).toMatchObject({ reason: '0x' })
    const inner = await trace({ code: `${call(0xf1, OTHER)}00`, other: '60ff60005360016000fd' })
    expect(inner.structLogs.find(({ op }) => op === 'REVERT')).toMatchObject({ depth: 2, reason: '0xff' })
    expect(inner.structLogs.at(-1)).toMatchObject({ op: 'STOP', reason: null, stack: [word(0)] })
  })

  it.each([
    ['0c', 'INVALID', 'INVALID_OPERATION', 'prague'],
    ['fe', 'INVALID', 'INVALID_OPERATION', 'prague'],
    ['5f', 'INVALID', 'INVALID_OPERATION', 'london'],
    ['01', 'ADD', 'INSUFFICIENT_STACK_ITEMS', 'prague'],
    ['600556', 'JUMP', 'INVALID_JUMP_DESTINATION', 'prague'],
    ['6001600060003e', 'RETURNDATACOPY', 'INVALID_RETURN_DATA_BUFFER_ACCESS', 'prague'],
  ] satisfies [string, string, string, ForkName][])('of %s end with %s and %s', async (code, op, halt, fork) => {
    const result = await trace({ code, fork })
    expect(result).toMatchObject({ failed: true, returnValue: '' })
    expect(result.structLogs.at(-1)).toMatchObject({ op, error: [halt], reason: null })
    expect(result.structLogs.filter((entry) => entry.error !== undefined)).toHaveLength(1)
  })

  it('show the cost of an opcode that ran out of gas', async () => {
    const { structLogs } = await trace({ code: '600162010000', gas: 5n })
    expect(structLogs.at(-1)).toMatchObject({ op: 'PUSH3', gas: 2, gasCost: 3, error: ['INSUFFICIENT_GAS'] })
    const memory = await trace({ code: '6001620100005200', gas: 100n })
    expect(memory.structLogs.at(-1)).toMatchObject({ op: 'MSTORE', gasCost: 14_350, error: ['INSUFFICIENT_GAS'] })
  })

  it('name opcodes by fork', async () => {
    const named = async (code: string, fork: ForkName) => (await trace({ code, fork })).structLogs[0]?.op
    expect(await named('44', 'london')).toBe('DIFFICULTY')
    expect(await named('44', 'paris')).toBe('PREVRANDAO')
    expect(await named('48', 'london')).toBe('BASEFEE')
    expect(await named('48', 'berlin')).toBe('INVALID')
    expect(await named('5f', 'shanghai')).toBe('PUSH0')
    expect(await named('6000600020', 'prague')).toBe('PUSH1')
    expect((await trace({ code: '6000600020' })).structLogs[2]?.op).toBe('KECCAK256')
    expect((await trace({ code: `73${'11'.repeat(20)}ff` })).structLogs[1]?.op).toBe('SELFDESTRUCT')
  })

  it('have one STOP for a plain transfer, and one entry without opcode for a precompile', async () => {
    const transfer = await trace({ to: NOBODY, value: 5n, gas: 79_000n })
    const rest = { depth: 1, reason: null }
    expect(transfer).toEqual({
      structLogs: [{ pc: 0, op: 'STOP', gas: 79_000, gasCost: 0, stack: [], memory: [], storage: {}, ...rest }],
      gas: 0,
      failed: false,
      returnValue: '',
    })
    const precompile = await trace({ to: IDENTITY, data: Uint8Array.of(1, 2), gas: 79_000n })
    expect(precompile).toEqual({
      structLogs: [{ pc: 0, op: '', gas: 79_000, gasCost: 0, stack: null, memory: null, storage: null, ...rest }],
      gas: 18,
      failed: false,
      returnValue: '0102',
    })
  })

  it('list children inline and accounts without code with a STOP, and omit precompiles', async () => {
    const code = `${call(0xf1, OTHER)}${call(0xf1, NOBODY)}${call(0xf1, IDENTITY)}`
    const calls = steps(await trace({ code, other: '600050' })).filter((step) => !step.includes('1 PUSH'))
    expect(calls).toEqual(['1 CALL', '2 PUSH1', '2 POP', '2 STOP', '1 CALL', '2 STOP', '1 CALL', '1 STOP'])
  })

  it('exclude the gas of a child from the cost of a call, except before EIP-150', async () => {
    const cost = async (fork: ForkName) =>
      (await trace({ code: `${call(0xf1, OTHER)}00`, other: '00', fork })).structLogs.find(({ op }) => op === 'CALL')
        ?.gasCost
    expect(await cost('prague')).toBe(2600)
    expect(await cost('tangerineWhistle')).toBe(700)
    expect(await cost('homestead')).toBe(200_040)
  })

  describe('and storage', () => {
    const seen = async (setup: Setup): Promise<string[]> =>
      (await trace({ gas: 1_000_000n, ...setup })).structLogs
        .filter(({ op }) => ['SSTORE', 'SLOAD', 'STOP', 'POP', 'REVERT'].includes(op))
        .map(({ depth, op, storage }) => {
          const slots = Object.entries(storage ?? {}).map(
            ([slot, value]) => `${Number(`0x${slot}`)}=${Number(`0x${value}`)}`,
          )
          return `${depth} ${op} ${slots.join(' ')}`.trim()
        })

    it('has written slots, but not those only read, by ascending key', async () => {
      expect(await seen({ code: '60016009556002600355600754506009546009556003600955' })).toEqual([
        '1 SSTORE 9=1',
        '1 SSTORE 3=2 9=1',
        '1 SLOAD 3=2 9=1',
        '1 POP 3=2 9=1',
        '1 SLOAD 3=2 9=1',
        '1 SSTORE 3=2 9=1',
        '1 SSTORE 3=2 9=3',
        '1 STOP 3=2 9=3',
      ])
    })

    it("is initially empty in a child, which works on its caller's account or its own", async () => {
      const own = await seen({ code: `6001600155${call(0xf1, OTHER)}50`, other: '600260025500' })
      expect(own).toEqual(['1 SSTORE 1=1', '2 SSTORE 2=2', '2 STOP 2=2', '1 POP 1=1', '1 STOP 1=1'])
      for (const kind of [0xf2, 0xf4]) {
        const shared = await seen({ code: `6001600155${call(kind, OTHER)}50`, other: '600260025500' })
        expect(shared).toEqual(['1 SSTORE 1=1', '2 SSTORE 2=2', '2 STOP 2=2', '1 POP 1=1 2=2', '1 STOP 1=1 2=2'])
      }
    })

    it('discards the writes of a failed child', async () => {
      const other = '600260025560006000fd'
      const result = await seen({ code: `6001600155${call(0xf4, OTHER)}50`, other })
      expect(result).toEqual(['1 SSTORE 1=1', '2 SSTORE 2=2', '2 REVERT 2=2', '1 POP 1=1', '1 STOP 1=1'])
    })

    it("includes the account's own writes from deeper frames", async () => {
      // The contract calls another one, which calls it back with data.
      const code = `36601e57${call(0xf1, OTHER)}5000`
      const jump = (code.length / 2).toString(16).padStart(2, '0')
      const again = `${code.replace('36601e57', `3660${jump}57`)}5b600560065500`
      const other = `60006000600160006000${'73'}${bytesToHexUnprefixed(CONTRACT)}620186a0f15000`
      const result = await seen({ code: again, other })
      expect(result).toEqual(['3 SSTORE 6=5', '3 STOP 6=5', '2 POP', '2 STOP', '1 POP 6=5', '1 STOP 6=5'])
    })
  })

  it('put the failure of a creation on its last entry', async () => {
    // Init code that returns 0xef.
    const invalid = await trace({ to: undefined, data: hexToBytes('60ef60005360016000f3') })
    expect(invalid.structLogs.at(-1)).toMatchObject({ op: 'RETURN', error: ['INVALID_CODE'] })
    expect(invalid.failed).toBe(true)
    const empty = await trace({ to: undefined, data: new Uint8Array(0) })
    expect(steps(empty)).toEqual(['1 STOP'])
  })

  it('return the deployed code', async () => {
    const deployed = await trace({ to: undefined, data: hexToBytes('60016000f3') })
    expect(deployed).toMatchObject({ failed: false, returnValue: '00' })
  })
})

describe('struct logs of go-ethereum', () => {
  const geth = (setup: Setup): Promise<Trace> => trace({ profile: 'geth', ...setup })

  it('are short: no memory, and storage only for reads and writes', async () => {
    const { structLogs } = await geth({ code: '602a6001526007600955600854', gas: 50_000n })
    expect(structLogs).toEqual([
      { pc: 0, op: 'PUSH1', gas: 50_000, gasCost: 3, depth: 1, stack: [] },
      { pc: 2, op: 'PUSH1', gas: 49_997, gasCost: 3, depth: 1, stack: ['0x2a'] },
      { pc: 4, op: 'MSTORE', gas: 49_994, gasCost: 9, depth: 1, stack: ['0x2a', '0x1'] },
      { pc: 5, op: 'PUSH1', gas: 49_985, gasCost: 3, depth: 1, stack: [] },
      { pc: 7, op: 'PUSH1', gas: 49_982, gasCost: 3, depth: 1, stack: ['0x7'] },
      {
        pc: 9,
        op: 'SSTORE',
        gas: 49_979,
        gasCost: 22_100,
        depth: 1,
        stack: ['0x7', '0x9'],
        storage: { [`0x${word(9)}`]: `0x${word(7)}` },
      },
      { pc: 10, op: 'PUSH1', gas: 27_879, gasCost: 3, depth: 1, stack: [] },
      {
        pc: 12,
        op: 'SLOAD',
        gas: 27_876,
        gasCost: 2100,
        depth: 1,
        stack: ['0x8'],
        storage: { [`0x${word(8)}`]: `0x${word(0)}`, [`0x${word(9)}`]: `0x${word(7)}` },
      },
      { pc: 13, op: 'STOP', gas: 25_776, gasCost: 0, depth: 1, stack: ['0x0'] },
    ])
  })

  it('have no entries without running code', async () => {
    expect(await geth({ to: NOBODY })).toEqual({ structLogs: [], gas: 0, failed: false, returnValue: '0x' })
    expect((await geth({ to: IDENTITY, data: Uint8Array.of(7) })).returnValue).toBe('0x07')
    const created = await geth({ code: '600060006000f000' })
    expect(steps(created)).toEqual(['1 PUSH1', '1 PUSH1', '1 PUSH1', '1 CREATE', '1 STOP'])
  })

  it('include forwarded gas, and show memory and return data before the opcode, and refunds', async () => {
    const other = '60aa60005360016000f3'
    const code = `${call(0xf1, OTHER)}6001600155600060015500`
    const { structLogs } = await geth({ code, other, options: { enableMemory: true, enableReturnData: true } })
    expect(structLogs.find(({ op }) => op === 'CALL')).toMatchObject({ gasCost: 202_600 })
    expect(structLogs.find(({ op }) => op === 'MSTORE8')).not.toHaveProperty('memory')
    expect(structLogs.find(({ op }) => op === 'RETURN')).toMatchObject({ memory: [`0xaa${'00'.repeat(31)}`] })
    expect(structLogs.find(({ depth }) => depth === 2)).not.toHaveProperty('returnData')
    expect(structLogs.at(-1)).toMatchObject({ op: 'STOP', returnData: '0xaa', refund: 19_900 })
  })

  it('have errors only for opcodes that could not begin', async () => {
    const last = async (code: string, gas = 100_000n) => (await geth({ code, gas })).structLogs.at(-1)
    expect(await last('01')).toMatchObject({ op: 'ADD', gasCost: 3, error: 'stack underflow (0 <=> 2)' })
    expect(await last('31')).toMatchObject({ op: 'BALANCE', gasCost: 100, error: 'stack underflow (0 <=> 1)' })
    expect(await last('a2')).toMatchObject({ op: 'LOG2', gasCost: 0, error: 'stack underflow (0 <=> 4)' })
    expect(await last('6001', 2n)).toMatchObject({ op: 'PUSH1', gasCost: 3, error: 'out of gas' })
    expect(await last('6001600255', 2306n)).toMatchObject({
      op: 'SSTORE',
      gasCost: 0,
      error: 'out of gas: not enough gas for reentrancy sentry',
    })
    expect(await last('6001600255', 2307n)).toMatchObject({ op: 'SSTORE', gasCost: 22_100, error: 'out of gas' })
    expect(await last('600061040060006000f5', 31_000n)).toMatchObject({ op: 'CREATE2', gasCost: 32_000 })
    expect(await last('6201000060006000f0')).toMatchObject({
      op: 'CREATE',
      gasCost: 32_000,
      error: 'out of gas: max initcode size exceeded: size 65536',
    })
    expect(await last(`5b${'6001'.repeat(10)}600056`, 50_000n)).toMatchObject({
      op: 'PUSH1',
      gasCost: 3,
      error: 'stack limit reached 1024 (1023)',
    })
    expect(await last('0c')).toMatchObject({ op: 'opcode 0xc not defined', gasCost: 0 })
    for (const code of ['0c', 'fe', '600556', '60006000fd']) expect(await last(code)).not.toHaveProperty('error')
  })

  it('return the revert data', async () => {
    const reverted = await geth({ code: '61abcd60005260206000fd' })
    expect(reverted).toMatchObject({ failed: true, returnValue: `0x${word('abcd')}` })
    expect(await geth({ code: 'fe' })).toMatchObject({ failed: true, returnValue: '0x' })
  })

  it('end at the size limit', async () => {
    const whole = await geth({ code: '60016002600360046005' })
    const cut = await geth({ code: '60016002600360046005', options: { limit: 100 } })
    expect(whole.structLogs).toHaveLength(6)
    expect(cut).toEqual({ ...whole, structLogs: whole.structLogs.slice(0, 2) })
  })
})
