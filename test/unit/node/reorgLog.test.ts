import { expect, it, vi } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { Emitter } from '../../../src/base/primitives/events.ts'
import type { ChainEvents, ChainHeader } from '../../../src/chain/contract.ts'
import { ReorgLog } from '../../../src/node/reorgLog.ts'

it('warns of reorganisations that remove more blocks than the threshold', () => {
  const events = new Emitter<ChainEvents>()
  const warn = vi.fn()
  const log = new ReorgLog({ events } as never, { ...silentLogger, warn }, { reorgLoggingThreshold: 2, isDev: false })
  log.start()
  const block = { header: { number: 7n }, hash: new Uint8Array(32) } as unknown as ChainHeader
  const blocks = (count: number): ChainHeader[] => Array.from({ length: count }, () => block)
  events.emit('reorg', { commonAncestor: block, removed: blocks(2), added: blocks(3) })
  expect(warn).not.toHaveBeenCalled()
  events.emit('reorg', { commonAncestor: block, removed: blocks(3), added: blocks(4) })
  expect(warn).toHaveBeenCalledWith('a reorganisation replaced blocks', {
    removed: 3,
    added: 4,
    ancestor: 7n,
    hash: `0x${'00'.repeat(32)}`,
  })
  log.stop()
  events.emit('reorg', { commonAncestor: block, removed: blocks(3), added: blocks(4) })
  expect(warn).toHaveBeenCalledTimes(1)
})

it('does not warn when a dev chain goes back, as a client asked', () => {
  const events = new Emitter<ChainEvents>()
  const warn = vi.fn()
  const log = new ReorgLog({ events } as never, { ...silentLogger, warn }, { reorgLoggingThreshold: 0, isDev: true })
  log.start()
  const block = { header: { number: 7n }, hash: new Uint8Array(32) } as unknown as ChainHeader
  events.emit('reorg', { commonAncestor: block, removed: [block, block], added: [] })
  expect(warn).not.toHaveBeenCalled()
  events.emit('reorg', { commonAncestor: block, removed: [block, block], added: [block] })
  expect(warn).toHaveBeenCalledTimes(1)
})
