/** A miner with --miner-dag=full, in ethash's test mode. */
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'
import { RUNTIMES, type RunningNode, runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'

const COINBASE = '0x00000000000000000000000000000000000000c0'
const NAME = 'ethash-r23-epoch-0-32768.dataset'
const GENESIS = JSON.stringify({
  config: { chainId: 4242, londonBlock: 0, ethash: { fixeddifficulty: 500 } },
  difficulty: '0x1f4',
  gasLimit: '0x1c9c380',
  timestamp: '0x65000000',
  alloc: {},
})

const height = async (node: RunningNode): Promise<number> => Number(await node.rpc('eth_blockNumber'))

describe.each(RUNTIMES)('a miner with the dataset on %s', (runtime) => {
  it('stores the dataset, and reads or replaces it after a restart', { timeout: 180_000 }, async () => {
    const folder = temporaryDirectory()
    const genesis = path.join(folder, 'genesis.json')
    writeFileSync(genesis, GENESIS)
    const data = path.join(folder, 'data')
    const file = path.join(data, 'ethash', NAME)
    const args = [
      `--genesis-file=${genesis}`,
      `--data-path=${data}`,
      '--ethash-test-mode',
      '--miner-enabled',
      `--miner-coinbase=${COINBASE}`,
      '--miner-dag=full',
      '--p2p-enabled=false',
    ]
    const live = async (message: string): Promise<RunningNode> => {
      const node = await startNode(args, { runtime })
      await eventually(async () => expect(node.output()).toContain(message))
      const before = await height(node)
      await eventually(async () => expect(await height(node)).toBeGreaterThan(before + 2))
      await eventually(async () => expect(existsSync(file)).toBe(true))
      expect(node.output()).not.toContain('ERROR')
      return node
    }

    const first = await live('finished computing an ethash dataset')
    expect((await first.kill()).code).toBeNull()
    expect(readdirSync(path.dirname(file))).toEqual([NAME])
    const content = readFileSync(file)

    writeFileSync(`${file}.new`, 'left by a kill')
    const second = await live('read an ethash dataset')
    expect(second.output()).not.toContain('computing an ethash dataset')
    expect((await second.stop()).code).toBe(0)
    expect(readdirSync(path.dirname(file))).toEqual([NAME])

    truncateSync(file, 1000)
    const third = await live('finished computing an ethash dataset')
    await eventually(() => expect(third.output()).toContain('is damaged and is replaced'))
    await eventually(async () => expect(readFileSync(file).equals(content)).toBe(true))
    expect((await third.stop()).code).toBe(0)
  })

  it('does not start next to Stratum, which replaces its threads', async () => {
    const options = ['--miner-enabled', `--miner-coinbase=${COINBASE}`, '--miner-stratum-enabled', '--miner-dag=FULL']
    const { code, stdout, stderr } = await runCommand(['--network=dev', ...options], { runtime })
    expect(code).toBe(1)
    expect(stdout + stderr).toContain('--miner-dag=full cannot be combined with --miner-stratum-enabled')
  })
})
