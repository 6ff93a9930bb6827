/** A run of empty blocks in the built program: stored, killed, copied, opened again, traced by a worker thread. */
import path from 'node:path'
import { expect, it } from 'vitest'
import { runCommand, startNode, temporaryDirectory } from '../../support/nodes/program.ts'

interface BlockJson {
  readonly hash: string
  readonly parentHash: string
  readonly number: string
}

const LONG = 10_000_000
const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935'
const hex = (value: number): string => `0x${value.toString(16)}`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

it('keeps a run of empty blocks when it is killed, and in a backup', { timeout: 120_000 }, async () => {
  const folder = temporaryDirectory()
  const place = `--data-path=${path.join(folder, 'data')}`
  const first = await startNode(['--dev', place])
  await first.rpc('hardhat_mine', [hex(LONG), hex(12)])
  const blockAt = (node: typeof first, number: number) =>
    node.rpc<BlockJson>('eth_getBlockByNumber', [hex(number), false])
  const blocks = await Promise.all([1, 2, 3, 4_321_000, LONG - 1, LONG].map((number) => blockAt(first, number)))
  // A transaction is stored after everything that was read before.
  await first.rpc('evm_mine')
  await first.kill()

  const again = await startNode(['--dev', place])
  expect(await again.rpc('eth_blockNumber')).toBe(hex(LONG + 1))
  for (const block of blocks) {
    expect(await blockAt(again, Number(block.number))).toEqual(block)
    expect(await again.rpc('eth_getBlockByHash', [block.hash, false])).toEqual(block)
    const parent = await again.rpc<BlockJson | null>('eth_getBlockByHash', [block.parentHash, false])
    expect(parent?.number).toBe(hex(Number(block.number) - 1))
    // A tracer in JavaScript runs in a worker thread.
    const tracer = '{ result: function () { return 1 }, fault: function () {} }'
    expect(await again.rpc('debug_traceBlockByHash', [block.hash, { tracer }])).toEqual([])
  }
  const call = { to: HISTORY, data: word(4_320_000) }
  const traced = await again.rpc<{ returnValue: string }>('debug_traceCall', [call, hex(4_321_000), {}])
  expect(traced.returnValue.replace(/^(0x)?/, '0x')).toBe((await blockAt(again, 4_320_000)).hash)
  await again.rpc('anvil_rollback', [1_000_000])
  await again.rpc('evm_mine')
  const head = await blockAt(again, LONG + 2 - 1_000_000)
  await again.stop()

  const exported = await runCommand(['--dev', place, 'blocks', 'export', `--to=${path.join(folder, 'blocks.rlp')}`])
  expect(exported.code).not.toBe(0)
  expect(exported.stderr + exported.stdout).toContain('are derived, not executed')
  const copy = path.join(folder, 'copy')
  expect(await runCommand([place, 'db', 'backup', `--to=${copy}`])).toMatchObject({ code: 0 })
  const restoredPlace = `--data-path=${path.join(folder, 'restored')}`
  expect(await runCommand([restoredPlace, 'db', 'restore', `--from=${copy}`])).toMatchObject({ code: 0 })
  const restored = await startNode(['--dev', restoredPlace])
  expect(await blockAt(restored, Number(head.number))).toEqual(head)
  expect(await restored.rpc('eth_getBlockByHash', [blocks[3]?.hash, false])).toEqual(blocks[3])
  await restored.stop()
})
