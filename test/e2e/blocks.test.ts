/** `blocks import` and `blocks export` on recorded chains: good files, bad files, interruptions, a full disk. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ImportedChain, importChain, recordedChain } from '../support/chains/importedChain.ts'
import { expectQuiet, expectRefusal, fileWith, home, newPath } from '../support/host/commandChecks.ts'
import { needsHost } from '../support/host/needs.ts'
import { type Ended, runCommand, startCommand, startNode } from '../support/nodes/program.ts'
import { atEndOfFile } from '../support/rpc/endOfFile.ts'

/** Verifying seals would cost a second per run, to generate the ethash cache. */
const UNSEALED = '--skip-pow-validation-enabled'

const recorded = recordedChain('besu/trace')
const slow = recordedChain('besu/snap')
const other = recordedChain('besu/osaka')

describe('blocks import and export', () => {
  const chain = recorded as ImportedChain
  const genesis = `--genesis-file=${chain?.genesisFile}`
  const LAST = 33

  beforeAll(() => importChain(chain))

  const importTo = (directory: string, file: string, ...more: string[]): Promise<Ended> =>
    runCommand([genesis, `--data-path=${directory}`, 'blocks', 'import', `--from=${file}`, ...more, UNSEALED])
  const exportFrom = async (directory: string, ...more: string[]): Promise<Uint8Array> => {
    const to = newPath()
    const ended = await runCommand([genesis, `--data-path=${directory}`, 'blocks', 'export', `--to=${to}`, ...more])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    return readFileSync(to)
  }

  it('export writes the imported bytes, or a part of them', async () => {
    const all = readFileSync(chain.blocksFile)
    expect(Buffer.compare(await exportFrom(chain.directory), all)).toBe(0)
    const [low, high] = [
      await exportFrom(chain.directory, '--end-block=10'),
      await exportFrom(chain.directory, '--start-block=10'),
    ]
    expect(Buffer.compare(Buffer.concat([low, high]), all)).toBe(0)
    const to = path.join(home(), 'none', 'x')
    const refused = await runCommand([...chain.options, 'blocks', 'export', `--to=${to}`])
    expectRefusal(refused, /^Could not write .*none\/x: /)
    const range = ['--start-block=9', '--end-block=3', `--to=${newPath()}`]
    expectRefusal(
      await runCommand([...chain.options, 'blocks', 'export', ...range]),
      'Parameter --end-block (3) must be',
    )
  })

  it('a second import skips everything and is quiet in a pipe', async () => {
    const again = await importTo(chain.directory, chain.blocksFile)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toMatch(new RegExp(`^.*: 0 blocks imported \\(0 transactions\\), ${LAST + 1} skipped .*\n$`))
    expectQuiet(again)
  })

  it('--start-block and --end-block bound it', async () => {
    const directory = newPath()
    expect((await importTo(directory, chain.blocksFile, '--end-block=10')).stdout).toMatch(/head 9 0x/)
    expect((await importTo(directory, chain.blocksFile, '--start-block=10', '--end-block=20')).stdout).toMatch(
      /10 blocks imported .* head 19 0x/,
    )
    expectRefusal(await importTo(directory, chain.blocksFile, '--start-block=25'), 'Invalid block at block number 25: ')
  })

  it('deletes old states on its way when the node would', async () => {
    const statsOf = async (directory: string) => {
      const { stdout } = await runCommand([genesis, `--data-path=${directory}`, 'db', 'stats', '--json'])
      const { columns, ...rest } = JSON.parse(stdout).fields
      return { ...rest, nodes: columns.find(({ column }: { column: string }) => column === 'trieNode').keys }
    }
    const directory = newPath()
    const pruning = ['--pruning-enabled', '--pruning-blocks-retained=12']
    const args = [genesis, `--data-path=${directory}`, ...pruning, UNSEALED, 'blocks', 'import', chain.blocksFile]
    expect(await runCommand(args)).toMatchObject({ code: 0, stderr: '' })
    const pruned = await statsOf(directory)
    expect(pruned).toMatchObject({ head: LAST, stateFrom: LAST - 12, prunedTo: LAST - 13 })
    expect(pruned.nodes).toBeLessThan((await statsOf(chain.directory)).nodes)
  })

  it('a truncated file: the preceding blocks are kept', async () => {
    const directory = newPath()
    const cut = await importTo(directory, fileWith(readFileSync(chain.blocksFile).subarray(0, 20_000)))
    expectRefusal(cut, /^Invalid block at block number 25: .*ends within a block/)
    expect(cut.stdout).toMatch(/24 blocks imported .* head 24 0x/)
    const rest = await runCommand([genesis, `--data-path=${directory}`, 'blocks', 'import', chain.blocksFile])
    expect(rest.stdout).toMatch(/head 33 0x156fa7f1/)
  })

  it('a corrupt file: the preceding blocks are kept', async () => {
    const bytes = readFileSync(chain.blocksFile)
    bytes[15_000] = (bytes[15_000] as number) ^ 0xff
    const corrupt = await importTo(newPath(), fileWith(bytes))
    expectRefusal(corrupt, /^Invalid block at block number 20: .+/)
    expect(corrupt.stdout).toMatch(/ head 19 0x/)
    const stray = await importTo(newPath(), fileWith(Buffer.concat([readFileSync(chain.blocksFile), Buffer.of(0)])))
    expectRefusal(stray, new RegExp(`^Invalid block at block number ${LAST + 1}: .+`))
    expect(stray.stdout).toMatch(/: stopped at an invalid block, .* head 33 0x/)
    const garbage = await importTo(newPath(), fileWith('hello, no blocks here'))
    expectRefusal(garbage, /^Invalid block at block number 0: .+/)
  })

  it('another genesis, of the file or of the directory', async () => {
    const { genesisFile } = other as ImportedChain
    const from = ['blocks', 'import', `--from=${chain.blocksFile}`]
    const [file, directory] = await Promise.all([
      runCommand([`--genesis-file=${genesisFile}`, `--data-path=${newPath()}`, ...from]),
      runCommand([`--genesis-file=${genesisFile}`, `--data-path=${chain.directory}`, ...from]),
    ])
    expectRefusal(file, /^Invalid block at block number 0: genesis block 0x\w+, this chain has 0x\w+/)
    expectRefusal(directory, /genesis block 0x\w+, the configuration has 0x\w+/)
  })

  it('a directory of an imported chain is not a dev chain, for the node and for commands', async () => {
    // One after the other: the directory has a lock.
    const node = await runCommand([`--data-path=${chain.directory}`, '--rpc-http-port=0'])
    const command = await runCommand([`--data-path=${chain.directory}`, 'blocks', 'export', `--to=${newPath()}`])
    const line = `${chain.directory} does not hold the dev chain: start it with --genesis-file, or name another --data-path`
    for (const ended of [node, command]) expectRefusal(ended, line)
  })

  it('Ctrl-C stops it cleanly; imported blocks are kept and the next import continues', async () => {
    const { options, blocksFile, directory } = slow as ImportedChain
    const args = [...options, 'blocks', 'import', `--from=${blocksFile}`, UNSEALED]
    const { child, ended } = startCommand(args)
    await until(() => statSync(path.join(directory, 'database'), { throwIfNoEntry: false })?.isDirectory() === true)
    await delay(250)
    child.kill('SIGINT')
    const stopped = await ended
    const head = Number(/ head (\d+) 0x/.exec(stopped.stdout)?.[1])
    expect(stopped).toMatchObject({ code: head < 500 ? 130 : 0, stderr: '' })
    if (head < 500) expect(stopped.stdout).toMatch(/: stopped, .*; the blocks imported so far are kept; head /)
    const next = await runCommand(args)
    expect(next.code).toBe(0)
    expect(next.stdout).toMatch(new RegExp(`: ${500 - head} blocks imported .* head 500 0x36a166f0`))
  })
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10)
}

const SMALL_DISK = '1m'
const LARGE_DISK = '64m'

/** Mounts a small separate file system; returns false when that is not permitted. */
function mountSmallDisk(directory: string): boolean {
  mkdirSync(directory)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', directory], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const smallDisk = newPath()
const hasSmallDisk = mountSmallDisk(smallDisk)
let isMounted = hasSmallDisk
// Also when no test of this file is selected.
atEndOfFile(() => {
  if (isMounted) execFileSync('umount', [smallDisk])
  isMounted = false
})

describe('a full disk', needsHost(hasSmallDisk, 'mounting a small tmpfs is not permitted'), () => {
  it('is reported in one line; with more space, the import continues', async () => {
    const { genesisFile, blocksFile } = slow as ImportedChain
    const options = [`--genesis-file=${genesisFile}`, `--data-path=${path.join(smallDisk, 'data')}`]
    const from = ['blocks', 'import', `--from=${blocksFile}`, UNSEALED]
    const full = await runCommand([...options, ...from])
    expectRefusal(full, 'no space left for the database in ')
    execFileSync('mount', ['-o', `remount,size=${LARGE_DISK}`, smallDisk], { stdio: 'ignore' })
    const next = await runCommand([...options, ...from])
    expect(next).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('head 500 0x36a166f0') })
  })
})

describe('a node on an imported chain', () => {
  it('has the same head after a stop and after kill -9', async () => {
    const options = (recorded as ImportedChain).options
    for (const end of ['stop', 'kill'] as const) {
      const node = await startNode(options)
      expect(await node.rpc('eth_blockNumber')).toBe('0x21')
      await node[end]()
    }
  })
})
