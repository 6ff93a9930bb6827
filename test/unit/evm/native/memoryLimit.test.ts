import { beforeAll, describe, expect, it } from 'vitest'
import {
  MAX_EXECUTION_MEMORY_BYTES,
  MAX_PAUSED_CALLS,
  MAX_WAITING_CALLS,
  MIN_CALL_MEMORY_BYTES,
} from '../../../../src/base/limits/limits.ts'
import type { MissRequest, Residency } from '../../../../src/base/ports/keyValueStore.ts'
import { bigIntToBytesPadded, bytesToBigInt } from '../../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../../src/base/primitives/errors.ts'
import { type RunOptions, runMessage } from '../../../../src/evm/driver.ts'
import type { Evm, MessageResult } from '../../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../../src/evm/loadReferenceEvm.ts'
import type { NativeEvm } from '../../../../src/evm/native/evm.ts'
import { ExecutionScheduler } from '../../../../src/evm/scheduler.ts'
import { lossy, MemoryState } from '../../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER, testClock } from '../../../support/evm/evm.ts'
import { evmCode } from '../../../support/evm/evmCode.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { eventually } from '../../../support/host/eventually.ts'
import { testYield } from '../../../support/host/testYield.ts'

const MUCH_GAS = 2n ** 63n - 1n
const OUT_OF_MEMORY = { details: { code: 'EXECUTION_OUT_OF_MEMORY' } }
/** Beyond 4 GiB together with the frame. */
const TOO_FAR = 0xfffe_0000

let evm: Evm
beforeAll(async () => {
  evm = await loadTestNativeEvm(testClock)
})

/** Writes one byte at an offset. */
const writeAt = (offset: number): Uint8Array => evmCode(`1 ${offset} MSTORE8 STOP`)

function stateWith(code: Uint8Array, state = new MemoryState()): MemoryState {
  state.setBalance(SENDER, 1000n)
  state.setCode(CONTRACT, code)
  state.beginTransaction()
  return state
}

async function run(state: MemoryState, options: RunOptions = {}, message = {}): Promise<MessageResult> {
  return runMessage(evm, messageTo(CONTRACT, { gas: MUCH_GAS, ...message }), environmentOf(), state, options)
}

describe('the memory of the native EVM', () => {
  it('limits every call to 256 MiB, regardless of its gas', async () => {
    for (let round = 0; round < 2; round++) {
      expect(await run(stateWith(writeAt(0x400_0000)))).toMatchObject({ outcome: 'success' })
      await expect(run(stateWith(writeAt(0xfff_ffff)))).rejects.toMatchObject(OUT_OF_MEMORY)
    }
  })

  it('does not limit a transaction of a block to the memory of a call', async () => {
    expect(await run(stateWith(writeAt(0x1400_0000)), { isBlock: true })).toMatchObject({ outcome: 'success' })
    await expect(run(stateWith(writeAt(0x1400_0000)))).rejects.toMatchObject(OUT_OF_MEMORY)
  })

  it('undoes a message that ran out of memory', async () => {
    const state = stateWith(evmCode(`1 1 SSTORE 1 ${TOO_FAR} MSTORE8`))
    await expect(run(state, { isBlock: true }, { value: 5n })).rejects.toMatchObject(OUT_OF_MEMORY)
    expect(state.getAccount(SENDER)?.balance).toBe(1000n)
    expect(state.getAccount(CONTRACT)?.balance).toBe(0n)
    expect(() => state.endSection()).toThrow()
  })

  it('runs a message of a block again on the last resort, and a call not', async () => {
    const reference = await loadReferenceEvm(testClock)
    const lastResort: Evm = {
      name: 'reference',
      start: (message, environment, state, options) => {
        expect(state.getAccount(SENDER)?.balance).toBe(1000n)
        // A host without this much memory: it writes elsewhere.
        if (state instanceof MemoryState) state.setCode(CONTRACT, writeAt(0))
        return reference.start(message, environment, state, options)
      },
    }
    const withLastResort: Evm = { name: 'native', lastResort, start: (...input) => evm.start(...input) }
    const start = (options: RunOptions) => {
      const state = stateWith(writeAt(TOO_FAR))
      const message = messageTo(CONTRACT, { gas: MUCH_GAS, value: 5n })
      return (async () => runMessage(withLastResort, message, environmentOf(), state, options))()
    }
    expect(await start({ isBlock: true })).toMatchObject({ outcome: 'success' })
    await expect(start({})).rejects.toMatchObject(OUT_OF_MEMORY)
  })

  it('releases code that no frame runs', async () => {
    const CODE_BYTES = 1 << 20
    const COUNT = 260
    /** Account n, for 0x10000 + n, has 1 MiB of code that jumps and returns n. */
    class GiantCodes extends MemoryState {
      override getCode(address: Uint8Array): Uint8Array {
        const n = bytesToBigInt(address) - 0x10000n
        if (n < 0n || n >= BigInt(COUNT)) return super.getCode(address)
        const code = new Uint8Array(CODE_BYTES)
        const start = evmCode(`${n} 0 MSTORE 32 0 RETURN`)
        code.set(evmCode('64 JUMP'))
        code[64] = 0x5b
        code.set(start, 65)
        return code
      }
    }
    // mem[32] counts down from twice the number; mem[64] is the sum of what the accounts 0x10000 + n % COUNT return.
    const loop = [
      `${2 * COUNT} 32 MSTORE`,
      'JUMPDEST',
      `32 0 0 0 ${COUNT} 32 MLOAD MOD 65536 ADD GAS STATICCALL POP`,
      '0 MLOAD 64 MLOAD ADD 64 MSTORE',
      '1 32 MLOAD SUB DUP1 32 MSTORE',
    ].join(' ')
    const code = evmCode(`${loop} ${evmCode(`${2 * COUNT} 32 MSTORE`).length} JUMPI 32 64 RETURN`)
    const result = await run(stateWith(code, new GiantCodes()))
    expect(result).toMatchObject({ outcome: 'success' })
    // Each n from 0 to COUNT - 1 twice.
    expect(bytesToBigInt(result.output)).toBe(BigInt(COUNT * (COUNT - 1)))
  })
})

describe('the gas of the native EVM', () => {
  it('is exact up to 2^63 - 1', async () => {
    const { output } = await run(stateWith(evmCode('GAS 0 MSTORE 32 0 RETURN')))
    expect(output).toEqual(bigIntToBytesPadded(MUCH_GAS - 2n, 32))
    // The child returns its gas: all but one 64th.
    const self = evmCode('CALLER ADDRESS EQ 31 JUMPI 32 0 0 0 ADDRESS GAS STATICCALL POP 32 0 RETURN')
    expect(self.length).toBeLessThan(31)
    const padded = new Uint8Array(31).fill(0x5b)
    padded.set(self)
    const state = stateWith(new Uint8Array([...padded, 0x5b, ...evmCode('GAS 0 MSTORE 32 0 RETURN')]))
    const child = bytesToBigInt((await run(state)).output)
    // Before the call: 8 opcodes of 2 or 3 gas, a jump not taken, memory of a word, and a warm account.
    expect(MUCH_GAS - child).toBeGreaterThan(MUCH_GAS / 64n)
    expect(MUCH_GAS - child).toBeLessThan(MUCH_GAS / 64n + 500n)
  })
})

/** As {@link lossy} names what is missing. */
function isOfSlotSeven(request: MissRequest): boolean {
  const name = request.kind === 'keys' ? new TextDecoder().decode(request.keys[0]) : ''
  return name.startsWith('getStorage') && name.endsWith('07')
}

describe('many calls with memory', () => {
  it('share a bounded amount, and it is returned at their end', async () => {
    const native = evm as NativeEvm
    const scheduler = new ExecutionScheduler({ clock: testClock, yieldToHost: testYield })
    const loops = evmCode(`1 ${20 << 20} MSTORE8 JUMPDEST 8 JUMP`)
    let most = 0
    const watch = async (): Promise<void> => {
      while (scheduler.running > 0) {
        most = Math.max(most, native.memoryInUse)
        await testYield()
      }
    }
    const ends = Array.from({ length: 256 }, async () => {
      try {
        await run(stateWith(loops), { scheduler, deadlineMs: 1000 })
        return 'done'
      } catch (error) {
        return isNodeError(error) ? error.code : String(error)
      }
    })
    const watching = watch()
    const codes = new Set(await Promise.all(ends))
    await watching
    expect([...codes].toSorted()).toEqual(['EXECUTION_OUT_OF_MEMORY', 'EXECUTION_TIMEOUT'])
    expect(most).toBeGreaterThan(MAX_EXECUTION_MEMORY_BYTES / 2)
    expect(most).toBeLessThanOrEqual(MAX_EXECUTION_MEMORY_BYTES + MAX_PAUSED_CALLS * MIN_CALL_MEMORY_BYTES)
    expect(native.memoryInUse).toBe(0)
  })

  it('does not keep blocks or short calls from running', async () => {
    const scheduler = new ExecutionScheduler({ clock: testClock, yieldToHost: testYield })
    let ended = 0
    const signal = { aborted: false, reason: undefined }
    const endless = Array.from({ length: MAX_PAUSED_CALLS + 10 }, () =>
      run(stateWith(evmCode('JUMPDEST 0 JUMP')), { scheduler, signal })
        .catch((error) => error.code)
        .finally(() => ended++),
    )
    while (!scheduler.isCrowded) await testYield()
    expect(await run(stateWith(writeAt(0x100)), { scheduler })).toMatchObject({ outcome: 'success' })
    const long = evmCode('20000 JUMPDEST 1 SWAP1 SUB DUP1 3 JUMPI STOP')
    expect(await run(stateWith(long), { scheduler, isBlock: true })).toMatchObject({ outcome: 'success' })
    expect(ended).toBe(0)
    signal.aborted = true
    expect(new Set(await Promise.all(endless))).toEqual(new Set(['EXECUTION_ABORTED']))
    expect(scheduler.isCrowded).toBe(false)
  })

  it('is bounded while they wait for data, and they begin again with it', async () => {
    const native = evm as NativeEvm
    const scheduler = new ExecutionScheduler({ clock: testClock, yieldToHost: testYield })
    const COUNT = MAX_WAITING_CALLS + 50
    let waiting = 0
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    // It counts in storage, so a second start on a changed state would give 2.
    const code = evmCode(`0 SLOAD 1 ADD 0 SSTORE 1 ${1 << 20} MSTORE8 7 SLOAD 0 SLOAD ADD 0 MSTORE 32 0 RETURN`)
    const ends = Array.from({ length: COUNT }, () => {
      const { state, residency } = lossy(stateWith(code))
      const slow: Residency = {
        load: async (request) => {
          if (isOfSlotSeven(request)) {
            waiting++
            await released
          }
          await residency.load(request)
        },
      }
      return run(state as MemoryState, { scheduler, residency: slow })
    })
    await eventually(() => expect(waiting).toBe(COUNT))
    const each = native.memoryInUse / MAX_WAITING_CALLS
    expect(each).toBeGreaterThan(1 << 20)
    expect(each).toBeLessThan(2 << 20)
    release()
    for (const end of ends) expect(bytesToBigInt((await end).output)).toBe(1n)
    expect(native.memoryInUse).toBe(0)
  })

  it('waits for a place after its first slice, and begins again on the state before it', async () => {
    const scheduler = new ExecutionScheduler({ clock: testClock, yieldToHost: testYield })
    while (scheduler.takePlace());
    // It counts in storage, so a second start on a changed state would give 2.
    const state = stateWith(
      evmCode('0 SLOAD 1 ADD DUP1 0 SSTORE 3000000 JUMPDEST 1 SWAP1 SUB DUP1 14 JUMPI 0 SLOAD 0 MSTORE 32 0 RETURN'),
    )
    const running = run(state, { scheduler }, { value: 5n })
    for (let i = 0; i < 100 && scheduler.running === 1; i++) await testYield()
    expect(scheduler.running).toBe(1)
    expect((evm as NativeEvm).memoryInUse).toBe(0)
    scheduler.leavePlace()
    expect(bytesToBigInt((await running).output)).toBe(1n)
    expect(state.getAccount(CONTRACT)?.balance).toBe(5n)
  })
})
