/** Restarts of a dev chain that the program stores on disk. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/host/eventually.ts'
import { DEV_HOSTS } from '../../support/nodes/devNode.ts'
import { type ProgramRuntime, runCommand, startNode, temporaryDirectory } from '../../support/nodes/program.ts'

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const TARGET = '0x00000000000000000000000000000000000c0de0'

const RUNTIMES = DEV_HOSTS.filter((host): host is ProgramRuntime => host !== 'anvil')

describe.each(RUNTIMES)('a dev chain on %s', (runtime) => {
  it('is unchanged after a restart: head, receipts, history, state; snapshots are deleted', async () => {
    const options = [`--data-path=${temporaryDirectory()}`, '--rpc-ws-port=0']
    const first = await startNode(options, { runtime })
    await eventually(() =>
      expect(first.output()).toContain('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'),
    )
    const hashes: string[] = []
    for (let i = 1; i <= 3; i++) {
      hashes.push(await first.rpc('eth_sendTransaction', [{ from: FROM, to: TO, value: `0x${i}` }]))
    }
    await first.rpc('anvil_setBalance', [TARGET, '0x2a'])
    const snapshot = await first.rpc('evm_snapshot')
    const read = async (node: typeof first): Promise<unknown> => ({
      head: await node.rpc('eth_getBlockByNumber', ['latest', true]),
      receipts: await Promise.all(hashes.map((hash) => node.rpc('eth_getTransactionReceipt', [hash]))),
      balances: await Promise.all(['0x0', '0x1', 'latest'].map((block) => node.rpc('eth_getBalance', [TO, block]))),
      target: await node.rpc('eth_getBalance', [TARGET, 'latest']),
    })
    const before = await read(first)
    expect(await first.stop()).toMatchObject({ code: 0 })

    const second = await startNode(options, { runtime })
    expect(await read(second)).toEqual(before)
    expect(await second.rpc('evm_revert', [snapshot])).toBe(false)
    expect(await read(second)).toEqual(before)
    await second.rpc('eth_sendTransaction', [{ from: FROM, to: TARGET, value: '0x1' }])
    expect(await second.rpc('eth_getBalance', [TARGET, 'latest'])).toBe('0x2b')
    expect(await second.stop()).toMatchObject({ code: 0 })

    const exported = await runCommand([options[0] as string, 'blocks', 'export', '--to=nowhere.bin'], { runtime })
    expect(exported.code).toBe(1)
    expect(exported.stderr).toContain('block 3 of this dev chain deviates from the protocol')
  })

  it('says that an earlier chain goes on, in a folder that git ignores', async () => {
    const cwd = temporaryDirectory()
    const continues = /^Continues at block (\d+) from an earlier start; --ephemeral starts a new chain$/m
    const first = await startNode(['--rpc-ws-port=0'], { runtime, cwd })
    expect(first.output()).not.toMatch(continues)
    expect(readFileSync(path.join(cwd, '.isonode/.gitignore'), 'utf8')).toBe('*\n')
    await first.stop()
    writeFileSync(path.join(cwd, '.isonode/.gitignore'), 'mine\n')
    const second = await startNode(['--rpc-ws-port=0'], { runtime, cwd })
    expect(second.output()).not.toMatch(continues)
    await second.rpc('hardhat_mine', ['0x5'])
    const genesis = await second.rpc('eth_getBlockByNumber', ['0x0', false])
    await second.stop()
    const third = await startNode(['--rpc-ws-port=0'], { runtime, cwd })
    expect(continues.exec(third.output())?.[1]).toBe('5')
    expect(await third.rpc('eth_getBlockByNumber', ['0x0', false])).toEqual(genesis)
    await third.stop()
    expect(readFileSync(path.join(cwd, '.isonode/.gitignore'), 'utf8')).toBe('mine\n')
  })

  it('keeps the fork that it was created with', async () => {
    const options = [`--data-path=${temporaryDirectory()}`, '--rpc-ws-port=0']
    const first = await startNode([...options, '--dev-fork=shanghai'], { runtime })
    const { hash } = await first.rpc<{ hash: string }>('eth_getBlockByNumber', ['0x0', false])
    await first.stop()
    const second = await startNode(options, { runtime })
    expect(await second.rpc('eth_getBlockByNumber', ['0x0', false])).toMatchObject({ hash })
    await second.rpc('evm_mine')
    expect(await second.rpc('eth_getBlockByNumber', ['0x1', false])).not.toHaveProperty('blobGasUsed')
    await second.stop()
    const other = await runCommand([...options, '--dev-fork=cancun'], { runtime })
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was created with --dev-fork=SHANGHAI, not CANCUN'),
    })
  })
})
