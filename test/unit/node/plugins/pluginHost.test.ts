// slow: threads that start and fail
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { loadPlugins } from '../../../../adapters/server/data/loadPlugins.ts'
import { createLogger } from '../../../../adapters/shared/logging.ts'
import type { LogRecord } from '../../../../adapters/shared/logRecord.ts'
import type { Plugin, PluginContext } from '../../../../src/api/plugins.ts'
import { PLUGIN_METHOD_MS, PLUGIN_START_MS } from '../../../../src/base/limits/limits.ts'
import { MemoryMetrics } from '../../../../src/base/ports/memoryMetrics.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { eventually } from '../../../support/host/eventually.ts'
import { closedAfterEach, type OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'

const openNode = closedAfterEach()

interface Opened extends OpenedNode {
  readonly log: readonly LogRecord[]
  readonly metrics: MemoryMetrics
  readonly lines: () => string[]
}

async function open(...plugins: readonly Plugin[]): Promise<Opened> {
  const log: LogRecord[] = []
  const metrics = new MemoryMetrics()
  const logger = createLogger({ level: 'INFO' }, (record) => log.push(record))
  const node = await openNode({}, new MemoryStore(), { plugins, metrics, logger })
  const lines = (): string[] =>
    log
      .filter(({ category }) => category.startsWith('plugins'))
      .map(({ category, level, message, fields }) =>
        [category, level, message, (fields['error'] as Error | undefined)?.message].filter(Boolean).join(': '),
      )
  return { ...node, log, metrics, lines }
}

afterEach(() => vi.useRealTimers())

describe('a plugin', () => {
  it('has methods, metrics, a logger, requests to the node and events', async () => {
    const events: unknown[] = []
    let context: PluginContext | undefined
    const { rpc, metrics, lines } = await open({
      name: 'sample',
      methods: [
        { name: 'sample_echo', summary: 'Returns its parameters.', handler: (params) => params },
        { name: 'sample_nothing', summary: 'Returns nothing.', handler: () => {} },
      ],
      start: async (given) => {
        context = given
        given.logger.info('started', { head: await given.request('eth_blockNumber') })
        given.metrics.counter('starts_total', 'Starts.').add()
        given.on('head', ({ head, added }) => void events.push(['head', head.number, added.length]))
        given.on('reorg', ({ removed }) => void events.push(['reorg', removed.length]))
        given.on('transaction', ({ hash, isLocal }) => void events.push([hash, isLocal]))
      },
    })
    expect(await rpc('sample_echo', 1, { a: null })).toEqual([1, { a: null }])
    expect(await rpc('sample_nothing')).toBeNull()
    expect(context?.chainId).toBe(31_337n)
    expect(lines()).toEqual(['plugins.sample: info: started'])
    expect(metrics.series).toContainEqual(
      expect.objectContaining({ category: 'PLUGINS', name: 'sample_starts_total', value: 1 }),
    )
    const [from] = await rpc<string[]>('eth_accounts')
    const snapshot = await rpc('evm_snapshot')
    const hash = await rpc('eth_sendTransaction', { from, to: from })
    await rpc('evm_mine')
    await rpc('evm_revert', snapshot)
    await eventually(() =>
      expect(events).toEqual([
        [hash, true],
        ['head', 1n, 1],
        ['head', 2n, 1],
        ['reorg', 2],
        ['head', 0n, 0],
      ]),
    )
  })

  it('that throws is named in the error and in the log, and the node continues', async () => {
    const { rpc, lines } = await open({
      name: 'bad',
      methods: [
        {
          name: 'bad_throw',
          summary: '',
          handler: () => {
            throw new Error('no luck')
          },
        },
        { name: 'bad_value', summary: '', handler: () => 1n },
      ],
      start: ({ on }) =>
        on('head', async () => {
          throw new Error('in a listener')
        }),
      reload: () => {
        throw new Error('no file')
      },
      stop: () => {
        throw new Error('in stop')
      },
    })
    await expect(rpc('bad_throw')).rejects.toMatchObject({ code: -32603, message: 'Plugin internal error' })
    await expect(rpc('bad_value')).rejects.toMatchObject({ code: -32603, message: 'Plugin internal error' })
    await rpc('evm_mine')
    await rpc('evm_mine')
    await eventually(() => expect(lines()).toHaveLength(1))
    expect(await rpc('plugins_reloadPluginConfig', 'bad')).toBe('Success')
    await eventually(() => expect(lines()).toHaveLength(2))
    expect(await rpc('eth_blockNumber')).toBe('0x2')
    expect(lines()).toEqual([
      'plugins.bad: error: a listener of the plugin threw; repeated failures are not logged: plugin bad: in a listener',
      'plugins.bad: error: the plugin failed to reload its configuration: plugin bad: no file',
    ])
  })

  it('whose start fails answers no requests; the node starts without it', async () => {
    const stop = vi.fn()
    const { rpc, lines, node } = await open(
      {
        name: 'first',
        methods: [{ name: 'first_x', summary: '', handler: () => 1 }],
        start: async () => {
          throw new Error('no disk')
        },
        stop,
      },
      { name: 'second', methods: [{ name: 'second_x', summary: '', handler: () => 2 }] },
    )
    await expect(rpc('first_x')).rejects.toMatchObject({ code: -32603 })
    expect(await rpc('second_x')).toBe(2)
    expect(lines()).toEqual(['plugins.first: error: the plugin failed to start: plugin first: no disk'])
    await node.close()
    expect(stop).not.toHaveBeenCalled()
  })

  it('that hangs is abandoned: at the start, in a request, at the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const hang = (): Promise<never> => new Promise(() => {})
    const methods = (name: string) => [{ name: `${name}_x`, summary: '', handler: hang }]
    const opening = open({ name: 'slow', start: hang }, { name: 'late', methods: methods('late'), stop: hang })
    await vi.advanceTimersByTimeAsync(PLUGIN_START_MS)
    const { rpc, lines, node } = await opening
    const asked = expect(rpc('late_x')).rejects.toMatchObject({ code: -32002 })
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    await vi.advanceTimersByTimeAsync(PLUGIN_METHOD_MS)
    await asked
    const closing = node.close()
    await vi.advanceTimersByTimeAsync(10_000)
    await closing
    expect(lines()).toEqual([
      'plugins.slow: error: the plugin failed to start: the plugin slow did not start within 30 s',
      'plugins.late: error: the plugin failed to stop: the plugin late did not stop within 5 s',
    ])
  })

  it('that is slow loses events beyond a bound', async () => {
    let count = 0
    let release: (() => void) | undefined
    const { rpc, lines } = await open({
      name: 'slow',
      start: ({ on }) =>
        on('head', () => {
          count++
          return count === 1 ? new Promise<void>((resolve) => (release = resolve)) : undefined
        }),
    })
    await rpc('evm_mine')
    await eventually(() => expect(count).toBe(1))
    for (let i = 0; i < 1100; i++) await rpc('evm_mine')
    release?.()
    await eventually(() => expect(lines()).toHaveLength(2))
    expect(count).toBe(1025)
    expect(lines()).toEqual([
      'plugins.slow: warn: events are dropped: the plugin is too slow',
      'plugins.slow: warn: events were dropped',
    ])
  })

  it.each([
    [{ name: 'Bad' }, "plugin name 'Bad' must be lower-case letters and digits"],
    [{ name: 'eth' }, "the plugin 'eth' has the name of an API group"],
    [
      { name: 'x', methods: [{ name: 'eth_call', summary: '', handler: () => 1 }] },
      "the method 'eth_call' of the plugin 'x' is not named x_<method>",
    ],
  ])('with other names is refused: %j', async (plugin, message) => {
    await expect(open(plugin)).rejects.toMatchObject({ code: 'INVALID_PLUGIN', message })
  })
})

describe('the example in docs/', () => {
  const file = path.resolve(import.meta.dirname, '../../../../docs/plugins/heads.mjs')

  it('counts blocks', async () => {
    const { rpc, metrics, lines } = await open(...(await loadPlugins([file])))
    expect(await rpc('heads_seen')).toEqual({ count: '0x0', last: null })
    await rpc('anvil_mine', '0x64')
    const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    await eventually(async () => expect(await rpc('heads_seen')).toEqual({ count: '0x64', last: hash }))
    expect(await rpc('plugins_reloadPluginConfig', 'heads')).toBe('Success')
    await eventually(() => expect(lines()).toHaveLength(3))
    expect(lines()).toEqual([
      'plugins.heads: info: counting blocks',
      'plugins.heads: info: head',
      'plugins.heads: info: the configuration was reloaded',
    ])
    expect(metrics.series).toContainEqual(expect.objectContaining({ name: 'heads_blocks_total', value: 100 }))
  })
})

describe('loading plugins', () => {
  it.each([
    ['./no/such/plugin.mjs', /^--plugins: cannot load \.\/no\/such\/plugin\.mjs: the file does not exist$/],
    ['no-such-package', /^--plugins: cannot load no-such-package: Cannot find module/],
  ])('names what is wrong: %s', async (module, message) => {
    await expect(loadPlugins([module])).rejects.toMatchObject({
      code: 'INVALID_PLUGIN',
      message: expect.stringMatching(message),
    })
  })
})
