// slow: threads that start and fail
import { Worker } from 'node:worker_threads'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { installNodeCrypto } from '../../../../../adapters/server/crypto/crypto.ts'
import { RecoveryPool } from '../../../../../adapters/server/threads/recoveryPool.ts'
import type { RecoveryTask } from '../../../../../src/base/ports/host.ts'
import { InlineRecovery } from '../../../../../src/base/ports/inlineRecovery.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { publicKeyOf, publicKeyToAddress, signHash } from '../../../../../src/base/primitives/secp256k1.ts'
import { bundledWorker } from '../../../../support/host/bundledWorker.ts'
import { onlyOnNode } from '../../../../support/host/needs.ts'

/** Other runtimes implement threads differently. */
const worker = bundledWorker('adapters/server/threads/recoveryWorker.ts')

/** Five signed tasks, repeated; every seventh has an invalid signature. */
function tasksAndAddresses(count: number): { tasks: RecoveryTask[]; expected: (Uint8Array | undefined)[] } {
  const known = [1, 2, 3, 4, 5].map((i) => {
    const key = keccak256(Uint8Array.of(i))
    const hash = keccak256(Uint8Array.of(i, i))
    return { hash, ...signHash(hash, key), address: publicKeyToAddress(publicKeyOf(key)) }
  })
  const tasks: RecoveryTask[] = []
  const expected: (Uint8Array | undefined)[] = []
  for (let i = 0; i < count; i++) {
    const { hash, signature, yParity, address } = known[i % known.length] as (typeof known)[number]
    const isBroken = i % 7 === 6
    tasks.push({ hash, signature: isBroken ? new Uint8Array(64) : signature, yParity })
    expected.push(isBroken ? undefined : address)
  }
  return { tasks, expected }
}

const refusesToWork = {
  recover: () => Promise.reject(new Error('not expected on the calling thread')),
  close: () => {},
}

beforeAll(installNodeCrypto)

describe('inline recovery', () => {
  it('recovers in task order and yields after each slice', async () => {
    let now = 0
    let turns = 0
    const recovery = new InlineRecovery({
      clock: { monotonic: () => now++ },
      yieldToHost: async () => {
        turns++
      },
    })
    const { tasks, expected } = tasksAndAddresses(20)
    expect(await recovery.recover(tasks)).toEqual(expected)
    expect(turns).toBeGreaterThan(2)
  })
})

describe('recovery pool', () => {
  it('recovers on worker threads once they are ready', async () => {
    const pool = new RecoveryPool({ workers: 2, workerUrl: worker.url })
    const { tasks, expected } = tasksAndAddresses(1000)
    expect(await pool.recover(tasks)).toEqual(expected)
    const [first, second] = await Promise.all([pool.recover(tasks), pool.recover(tasks.slice(0, 70))])
    expect(first).toEqual(expected)
    expect(second).toEqual(expected.slice(0, 70))
    await pool.close()
    expect(await pool.recover(tasks.slice(0, 70))).toEqual(expected.slice(0, 70))
  })

  it('starts no thread for a small batch', async () => {
    const pool = new RecoveryPool({ workerUrl: new URL('file:///absent.mjs') })
    const { tasks, expected } = tasksAndAddresses(10)
    expect(await pool.recover(tasks)).toEqual(expected)
    await pool.close()
  })

  it('repeats the work of a dead worker on the calling thread', async () => {
    const dying = worker.moduleOf(
      'dying.mjs',
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', () => process.exit(3))
       parentPort.postMessage({ kind: 'ready' })`,
    )
    const pool = new RecoveryPool({ workers: 1, workerUrl: dying })
    const { tasks, expected } = tasksAndAddresses(300)
    for (let round = 0; round < 5; round++) expect(await pool.recover(tasks)).toEqual(expected)
    await pool.close()
  })

  it('works without the worker file', async () => {
    const pool = new RecoveryPool({ workers: 2, workerUrl: new URL('absent.mjs', worker.url) })
    const { tasks, expected } = tasksAndAddresses(300)
    for (let round = 0; round < 3; round++) expect(await pool.recover(tasks)).toEqual(expected)
    await pool.close()
  })

  it('finishes pending work when it is closed', async () => {
    const pool = new RecoveryPool({ workers: 1, workerUrl: worker.url })
    const { tasks, expected } = tasksAndAddresses(400)
    const pending = pool.recover(tasks)
    await pool.close()
    expect(await pending).toEqual(expected)
  })

  it('waits for the end of a thread that has just become ready', onlyOnNode, async () => {
    const terminate = vi.spyOn(Worker.prototype, 'terminate')
    const unref = vi.spyOn(Worker.prototype, 'unref')
    const pool = new RecoveryPool({ workers: 1, workerUrl: worker.url })
    const pending = pool.recover(tasksAndAddresses(100).tasks)
    const closed = pool.close()
    ;(terminate.mock.contexts[0] as Worker).emit('message', { kind: 'ready' })
    await Promise.all([pending, closed])
    expect(unref).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it('rejects a task of an invalid length', async () => {
    const pool = new RecoveryPool({ workers: 1, workerUrl: worker.url })
    const { tasks } = tasksAndAddresses(100)
    const wrong = { hash: new Uint8Array(31), signature: new Uint8Array(64), yParity: 0 } as const
    await expect(pool.recover([...tasks, wrong])).rejects.toThrow('hash: 32 bytes expected, 31 given')
    await pool.close()
  })

  it('uses the given inline recovery for small batches only', async () => {
    const pool = new RecoveryPool({ workers: 1, workerUrl: worker.url, inline: refusesToWork })
    await expect(pool.recover(tasksAndAddresses(3).tasks)).rejects.toThrow('not expected')
    await pool.close()
  })
})
