import { afterEach, describe, expect, it } from 'vitest'
import { Channel, type Handler } from '../../../../adapters/devtools/node/channel.ts'

const open: MessagePort[] = []
afterEach(() => {
  for (const port of open.splice(0)) port.close()
})

/** Two ends; the far one has the handlers. */
function channelWith(handlers: Readonly<Record<string, Handler>>): { channel: Channel; port: MessagePort } {
  const { port1, port2 } = new MessageChannel()
  open.push(port1, port2)
  new Channel(port2, handlers)
  return { channel: new Channel(port1, {}), port: port2 }
}

describe('the channel between the page and its node', () => {
  it('carries calls and their answers, in any order', async () => {
    const waiting: (() => void)[] = []
    const { channel } = channelWith({
      slow: () => new Promise((resolve) => waiting.push(() => resolve('slow'))),
      add: (a: number, b: number) => a + b,
    })
    const slow = channel.call('slow')
    expect(await channel.call('add', 2, 3)).toBe(5)
    waiting[0]?.()
    expect(await slow).toBe('slow')
  })

  it('carries code and data of errors', async () => {
    const { channel } = channelWith({
      revert: () => {
        throw Object.assign(new Error('execution reverted'), { code: 3, data: '0xdeadbeef' })
      },
      text: () => Promise.reject('no object'),
    })
    await expect(channel.call('revert')).rejects.toMatchObject({
      message: 'execution reverted',
      code: 3,
      data: '0xdeadbeef',
    })
    await expect(channel.call('text')).rejects.toMatchObject({ message: 'no object' })
  })

  it('refuses calls that the other side does not offer', async () => {
    const { channel } = channelWith({})
    await expect(channel.call('toString')).rejects.toThrow('there is no call toString')
  })

  it('fails a call whose arguments cannot be sent', async () => {
    const { channel } = channelWith({ echo: (value: unknown) => value })
    await expect(channel.call('echo', () => 1)).rejects.toMatchObject({ name: 'DataCloneError' })
    expect(await channel.call('echo', 1)).toBe(1)
  })

  it('ignores messages that are not its own', async () => {
    const { channel, port } = channelWith({ echo: (value: unknown) => value })
    for (const message of [null, 'text', { answer: 77 }, { answer: 'x' }, { call: 1 }]) port.postMessage(message)
    expect(await channel.call('echo', 1)).toBe(1)
  })

  it('fails all calls when the other side is gone', async () => {
    const { channel } = channelWith({ never: () => new Promise(() => {}) })
    const waiting = channel.call('never')
    channel.fail(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(channel.call('never')).rejects.toThrow('gone')
  })
})
