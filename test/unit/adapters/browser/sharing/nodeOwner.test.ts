import { describe, expect, it } from 'vitest'
import { holdLock } from '../../../../../adapters/browser/sharing/locks.ts'
import { nodeLock } from '../../../../../adapters/browser/sharing/names.ts'
import { ownNode } from '../../../../../adapters/browser/sharing/nodeOwner.ts'
import type { Port } from '../../../../../adapters/browser/sharing/port.ts'
import { VERSION } from '../../../../../src/node/version.ts'
import { FakeLocks } from '../../../../support/host/fakeLocks.ts'

/** A channel within the test: what one end posts, all others receive. */
class FakeChannel {
  readonly #ends = new Set<(data: unknown) => void>()

  open(): Port {
    let receive = (_data: unknown): void => {}
    const end = (data: unknown): void => receive(data)
    this.#ends.add(end)
    return {
      post: (message) => {
        for (const other of this.#ends) if (other !== end) queueMicrotask(() => other(message))
      },
      onMessage: (listener) => {
        receive = listener
      },
      close: () => void this.#ends.delete(end),
    }
  }
}

/** A worker that asks for the right to open a node, and the one that has it. */
function openWorkers() {
  const locks = new FakeLocks()
  const node = 'node'
  const common = new FakeChannel()
  const openChannel = (): Port => common.open()
  const hold = async (onOpening: (channel: Port, release: () => void) => void): Promise<void> => {
    const right = await holdLock(locks, nodeLock(node))
    const channel = openChannel()
    channel.onMessage(() => onOpening(channel, () => right?.release()))
  }
  return { hold, ask: () => ownNode({ locks, node, host: 'new', openChannel }) }
}

describe('the right to open a node', () => {
  it('belongs to one worker', async () => {
    const { ask, hold } = openWorkers()
    const right = await ask()
    right?.release()
    await hold((channel) => channel.post({ isonode: 'open', version: VERSION }))
    expect(await ask()).toBeUndefined()
  })

  it('is given up by a service worker', async () => {
    const { ask, hold } = openWorkers()
    await hold((_, release) => release())
    expect(await ask()).toBeDefined()
  })

  it.each([
    ['0.0.1', 'reload the tabs with 0.0.1'],
    ['99.0.0', 'reload this tab'],
  ])('is refused while a worker with version %s has it', async (version, advice) => {
    const { ask, hold } = openWorkers()
    await hold((channel) => channel.post({ isonode: 'open', version }))
    await expect(ask()).rejects.toMatchObject({ code: 'SHARED_VERSION', message: expect.stringContaining(advice) })
  })
})
