import { beforeAll, describe, expect, it } from 'vitest'
import type { Residency } from '../../../src/base/ports/keyValueStore.ts'
import { concatBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { runMessage } from '../../../src/evm/driver.ts'
import type { Evm, MessageResult } from '../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { ExecutionScheduler } from '../../../src/evm/scheduler.ts'
import { lossy, MemoryState } from '../../support/chains/memoryState.ts'
import { CONTRACT, environmentOf, messageTo, SENDER, testClock } from '../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../support/evm/testEvm.ts'
import { cpuTimeMs } from '../../support/host/cpuTime.ts'
import { testYield } from '../../support/host/testYield.ts'

/** JUMPDEST PUSH1 0 JUMP */
const ENDLESS_LOOP = hexToBytes('0x5b600056')
/** Calls itself with all gas, and no JUMPDEST anywhere. */
/** Calls itself twice, down to the deepest frame: practically endless. */
const ENDLESS_RECURSION = hexToBytes(`0x${'60006000600060006000305af150'.repeat(2)}`)
/** SSTORE(0, SLOAD(1) + 1), returns SLOAD(0) */
const STORES = hexToBytes('0x6001546001016000556000546000526020600060'.replace(/60$/, 'f3'))
const MUCH_GAS = 2n ** 60n

function stateWith(code: Uint8Array): MemoryState {
  const state = new MemoryState()
  state.setBalance(SENDER, 10n ** 18n)
  state.setCode(CONTRACT, code)
  state.setStorage(CONTRACT, word(1), word(41))
  state.beginTransaction()
  return state
}

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(32)
  bytes[31] = value
  return bytes
}

async function codeOf(run: () => MessageResult | Promise<MessageResult>): Promise<string> {
  try {
    await run()
    return 'finished'
  } catch (error) {
    return isNodeError(error) ? error.code : String(error)
  }
}

describe.each([
  ['reference', loadReferenceEvm],
  ['native', loadTestNativeEvm],
] as const)('with the %s EVM', (_name, loadEvm) => {
  let evm: Evm
  beforeAll(async () => {
    evm = await loadEvm(testClock)
  })

  describe('the driver', () => {
    it.each([
      ['a loop', ENDLESS_LOOP],
      ['a recursion', ENDLESS_RECURSION],
    ])('ends %s at its deadline', async (_, code) => {
      const scheduler = new ExecutionScheduler({ clock: testClock, yieldToHost: testYield })
      const started = performance.now()
      const run = () =>
        runMessage(evm, messageTo(CONTRACT, { gas: MUCH_GAS }), environmentOf(), stateWith(code), {
          scheduler,
          deadlineMs: 100,
        })
      expect(await codeOf(run)).toBe('EXECUTION_TIMEOUT')
      expect(performance.now() - started).toBeGreaterThanOrEqual(99)
      // Without it, the message would take hours.
      expect(performance.now() - started).toBeLessThan(20_000)
      expect(scheduler.running).toBe(0)
    })

    it('yields to other work while eight messages loop endlessly', async () => {
      const clock = { ...testClock, monotonic: cpuTimeMs }
      const scheduler = new ExecutionScheduler({ clock, yieldToHost: testYield })
      const delays: number[] = []
      let over = false
      const heartbeat = async (): Promise<void> => {
        while (!over) {
          const started = cpuTimeMs()
          await new Promise((resolve) => setTimeout(resolve, 1))
          delays.push(cpuTimeMs() - started)
        }
      }
      const beats = heartbeat()
      const runs = Array.from({ length: 8 }, () =>
        codeOf(() =>
          runMessage(evm, messageTo(CONTRACT, { gas: MUCH_GAS }), environmentOf(), stateWith(ENDLESS_LOOP), {
            scheduler,
            deadlineMs: 500,
          }),
        ),
      )
      expect(new Set(await Promise.all(runs))).toEqual(new Set(['EXECUTION_TIMEOUT']))
      over = true
      await beats
      delays.sort((a, b) => a - b)
      expect(delays.length).toBeGreaterThan(10)
      expect(delays[Math.floor(delays.length * 0.9)]).toBeLessThan(100)
      expect(delays[Math.floor(delays.length / 2)]).toBeLessThan(50)
    })

    it('stops when its caller aborts', async () => {
      const scheduler = new ExecutionScheduler({ clock: testClock, yieldToHost: testYield })
      const controller = new AbortController()
      setTimeout(() => controller.abort(new Error('gone')), 20)
      const run = () =>
        runMessage(evm, messageTo(CONTRACT, { gas: MUCH_GAS }), environmentOf(), stateWith(ENDLESS_LOOP), {
          scheduler,
          signal: controller.signal,
        })
      expect(await codeOf(run)).toBe('EXECUTION_ABORTED')
      expect(await codeOf(run)).toBe('EXECUTION_ABORTED')
    })

    it('stops after a wait during which its caller aborted', async () => {
      const scheduler = new ExecutionScheduler({ clock: testClock, yieldToHost: testYield })
      const controller = new AbortController()
      const { state, residency } = lossy(stateWith(STORES))
      const load: Residency['load'] = async (request) => {
        await residency.load(request)
        controller.abort(new Error('gone'))
      }
      const { signal } = controller
      const run = () =>
        runMessage(evm, messageTo(CONTRACT), environmentOf(), state, { scheduler, signal, residency: { load } })
      expect(await codeOf(run)).toBe('EXECUTION_ABORTED')
      expect(scheduler.running).toBe(0)
    })

    it('loads missing data and returns the same result', async () => {
      const code = concatBytes(STORES)
      const message = messageTo(CONTRACT, { value: 5n })
      const plain = await runMessage(evm, message, environmentOf(), stateWith(code))
      expect(plain).toMatchObject({ outcome: 'success', output: word(42), storageWritten: true })

      const { state, residency, misses } = lossy(stateWith(code))
      expect(await runMessage(evm, message, environmentOf(), state, { residency })).toEqual(plain)
      expect(misses()).toBeGreaterThan(4)
      expect(state.getAccount(CONTRACT)?.balance).toBe(5n)
    })

    it('throws StoreMiss without a residency', async () => {
      const { state } = lossy(stateWith(STORES))
      await expect((async () => runMessage(evm, messageTo(CONTRACT), environmentOf(), state))()).rejects.toThrow(
        'not in memory',
      )
    })
  })

  describe('an EVM', () => {
    const run = async (code: string, changes = {}, fork: Parameters<typeof environmentOf>[0] = 'prague') =>
      runMessage(evm, messageTo(CONTRACT, changes), environmentOf(fork), stateWith(hexToBytes(code)))

    it.each([
      ['INVALID_OPERATION', '0xfe'],
      ['INSUFFICIENT_STACK_ITEMS', '0x01'],
      ['INVALID_JUMP_DESTINATION', '0x600456'],
      ['INVALID_RETURN_DATA_BUFFER_ACCESS', '0x6001600060003e'],
      ['INSUFFICIENT_GAS', '0x5b600056'],
      ['TOO_MANY_STACK_ITEMS', '0x5b6001600056'],
    ])('names the halt %s', async (halt, code) => {
      expect(await run(code)).toMatchObject({ outcome: 'halt', halt, gasLeft: 0n, gasRefund: 0n })
    })

    it('returns revert data and unused gas', async () => {
      const result = await run('0x602a60005260206000fd')
      expect(result).toMatchObject({ outcome: 'revert', output: word(42) })
      expect(result.gasLeft).toBe(1_000_000n - 18n)
    })

    it('measures the depth of frames without precompiles', async () => {
      expect((await run('0x60006000600060006000600261fffff1')).maxDepth).toBe(0)
      expect((await run(`0x60006000600060006000730${'9'.repeat(39)}61fffff1`)).maxDepth).toBe(1)
    })

    it("halts a message whose value exceeds the caller's balance", async () => {
      expect(await run('0x00', { value: 10n ** 19n })).toMatchObject({ outcome: 'halt', halt: 'INSUFFICIENT_BALANCE' })
    })

    it('moves precompiles to other addresses', async () => {
      const moved = `0x${'0'.repeat(36)}1234`
      const environment = { ...environmentOf(), movedPrecompiles: new Map([[moved, `0x${'0'.repeat(39)}4`]]) }
      const message = messageTo(hexToBytes(moved), { data: word(7) })
      expect(await runMessage(evm, message, environment, stateWith(STORES))).toMatchObject({ output: word(7) })
      const original = { ...message, to: hexToBytes(`0x${'0'.repeat(39)}4`) }
      expect(await runMessage(evm, original, environment, stateWith(STORES))).toMatchObject({
        output: new Uint8Array(0),
      })
    })

    it('collects accessed addresses and slots', async () => {
      const result = await runMessage(evm, messageTo(CONTRACT), environmentOf(), stateWith(STORES), {
        collectAccessed: true,
      })
      expect(result.accessed).toEqual([{ address: CONTRACT, storageKeys: [word(0), word(1)] }])
    })

    it('uses the contract size limit of the chain', async () => {
      // Deploys 24,577 zero bytes.
      const data = hexToBytes('0x6160016000f3')
      const environment = environmentOf()
      const message = messageTo(undefined, { data, gas: 10_000_000n })
      const withNonce = () => {
        const state = stateWith(STORES)
        state.setNonce(SENDER, 1n)
        return state
      }
      expect(await runMessage(evm, message, environment, withNonce())).toMatchObject({ halt: 'CODE_TOO_LARGE' })
      const lifted = { ...environment, contractSizeLimit: 30_000 }
      expect(await runMessage(evm, message, lifted, withNonce())).toMatchObject({ outcome: 'success' })
    })

    it.each(['dieHard', 'phoenix', 'mystique', 'frontier', 'osaka', 'bpo5'] as const)('runs %s', async (fork) => {
      expect(await run('0x600260020a600055', {}, fork)).toMatchObject({ outcome: 'success' })
    })

    it("charges the fork's cost of EXP", async () => {
      const used = async (fork: 'ecip1015' | 'dieHard'): Promise<bigint> =>
        1_000_000n - (await run('0x600260020a', {}, fork)).gasLeft
      expect((await used('dieHard')) - (await used('ecip1015'))).toBe(40n)
    })
  })
})
