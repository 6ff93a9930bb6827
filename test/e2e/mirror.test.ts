/** A node that publishes, and the commands for mirrors, as a user runs them. */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/base/primitives/bytes.ts'
import { expectQuiet, expectRefusal, newPath } from '../support/host/commandChecks.ts'
import { eventually } from '../support/host/eventually.ts'
import { type Ended, type RunningNode, runCommand, startNode } from '../support/nodes/program.ts'

const [ALICE, BOB] = ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0x70997970c51812dc3a010c7d01b50e0d17dc79c8']

interface Info {
  readonly manifest: number
  readonly head: number
  readonly hash: string
  readonly epoch: number
}

describe('a mirror', () => {
  const data = newPath()
  const folder = newPath()
  const url = pathToFileURL(folder).href
  const backup = newPath()

  const mirror = (...args: string[]): Promise<Ended> => runCommand([`--data-path=${data}`, 'mirror', ...args])
  const info = async (): Promise<Info> => JSON.parse((await mirror('info', url, '--json')).stdout).fields as Info
  const publish = (directory = data): Promise<RunningNode> =>
    startNode([`--data-path=${directory}`, `--mirror-to=${url}`, '--mirror-interval=50'])
  const transfer = (node: RunningNode): Promise<unknown> =>
    node.rpc('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }])
  const transfers = async (node: RunningNode, count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await transfer(node)
  }
  const expectVerified = async (): Promise<void> => {
    const verified = await mirror('verify', url, '--deep')
    expect(verified.stdout).toMatch(/^no problems; /)
    expectQuiet(verified)
  }

  beforeAll(async () => {
    const node = await publish()
    await transfers(node, 20)
    await eventually(async () => expect(await info()).toMatchObject({ head: 20 }))
    await transfers(node, 5)
    await node.kill()
  }, 60_000)

  it('is whole when its publisher is killed, and goes on with the next start', async () => {
    expect((await mirror('verify', url)).stdout).toMatch(/^no problems; /)
    const before = await info()
    const node = await publish()
    await eventually(() => expect(node.output()).toContain('the mirror is published'))
    await transfers(node, 5)
    await eventually(async () =>
      expect(await node.rpc('isonode_mirrorStatus')).toMatchObject({
        role: 'publisher',
        blockNumber: '0x1e',
        isPublishing: true,
        failures: 0,
        lastFailure: null,
      }),
    )
    await node.stop()
    expect(await info()).toMatchObject({ head: 30, hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    expect((await info()).epoch).toBeGreaterThan(before.epoch)
    expect((await info()).manifest - before.manifest).toBeLessThan(10)
    await expectVerified()
    cpSync(data, backup, { recursive: true })
  })

  it('has neither the keys of the node nor paths of the machine', () => {
    const key = (name: string): Buffer => Buffer.from(hexToBytes(readFileSync(path.join(data, name), 'utf8').trim()))
    const secrets = [key('key'), key('mirror.key'), Buffer.from(data), Buffer.from(folder)]
    expect(statSync(path.join(data, 'mirror.key')).mode & 0o777).toBe(0o600)
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    expect(files.length).toBeGreaterThan(3)
    for (const { parentPath, name } of files) {
      const content = readFileSync(path.join(parentPath, name))
      for (const secret of secrets) expect(content.includes(secret)).toBe(false)
    }
  })

  it('refuses a database from a backup, until it is taken back', async () => {
    const node = await publish()
    await transfers(node, 5)
    await node.stop()
    expect(await info()).toMatchObject({ head: 35 })
    rmSync(data, { recursive: true })
    cpSync(backup, data, { recursive: true })
    const restored = await publish()
    await eventually(() =>
      expect(restored.output()).toMatch(
        /the mirror is no longer published: the database is behind its mirror: it ends at block 30 0x.*at block 35 0x/,
      ),
    )
    await transfers(restored, 2)
    await restored.stop()
    const refused = await mirror('push', `--to=${url}`)
    expectRefusal(refused, 'the database is behind its mirror: it ends at block 32 ')
    const rewound = await mirror('push', `--to=${url}`, '--rewind')
    expectQuiet(rewound)
    expect(rewound.stdout).toContain('published up to block 32 ')
  })

  it('is refused for another chain and for another key', async () => {
    const other = newPath()
    const node = await startNode([`--data-path=${other}`, '--chain-id=5', `--mirror-to=${url}`])
    await eventually(() => expect(node.output()).toContain('the mirror is of another chain: it has chain id 31337'))
    await node.stop()
    rmSync(path.join(data, 'mirror.key'))
    expectRefusal(await mirror('push', `--to=${url}`), 'it names the publisher')
    cpSync(path.join(backup, 'mirror.key'), path.join(data, 'mirror.key'))
  })

  it('becomes one run, and loses what nobody needs', async () => {
    expect((await mirror('compact', url)).stdout).toContain('the mirror is one run of segments')
    const pruned = await mirror('prune', url, '--mirror-grace=1')
    expect(pruned.stdout).toMatch(/^deleted \d+ manifests, and \d+ segments and lists/)
    await expectVerified()
  })

  it('keeps less of the history, which it says to its readers, until it is pushed as a whole', async () => {
    const body = async (number: number): Promise<unknown> => {
      const replica = await startNode([`--mirror-from=${url}`, '--mirror-publisher=any'])
      try {
        return await replica.rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
      } finally {
        await replica.stop()
      }
    }
    expectQuiet(await mirror('push', `--to=${url}`, '--from=20'))
    await expectVerified()
    expectQuiet(await mirror('push', `--to=${url}`, '--mirror-history=5'))
    await expectVerified()
    await expect(body(27)).rejects.toMatchObject({
      code: 4444,
      data: 'the database has no body of block 27: it has those from block 28 on',
    })
    expect(await body(28)).toMatchObject({ number: '0x1c', transactions: { length: 1 } })
    expectQuiet(await mirror('push', `--to=${url}`))
    expect(await body(1)).toMatchObject({ number: '0x1', transactions: { length: 1 } })
    await expectVerified()
  })

  it('says which object is damaged', async () => {
    const [name = ''] = readdirSync(path.join(folder, 'segments'))
    const file = path.join(folder, 'segments', name)
    const bytes = readFileSync(file)
    bytes[10] = (bytes[10] as number) ^ 1
    writeFileSync(file, bytes)
    const verified = await mirror('verify', url)
    expect(verified.code).toBe(1)
    expect(verified.stdout).toContain(`segments/${name}`)
    expect(verified.stdout).toContain('1 problems')
  })

  it('refuses what cannot be published, before the node starts', async () => {
    expectRefusal(await runCommand(['--ephemeral', `--mirror-to=${url}`]), '--mirror-to needs a database on disk')
    expectRefusal(await runCommand(['--mirror-interval=5']), 'mirror-interval')
    expectRefusal(await runCommand(['--mirror-interval=500']), '--mirror-interval needs --mirror-to')
    expectRefusal(
      await runCommand([`--data-path=${newPath()}`, '--mirror-to=ftp://host/']),
      'a mirror cannot be at ftp:',
    )
    expectRefusal(await mirror('verify'), 'Missing required argument: URL')
    expectRefusal(await mirror('push'), "Missing required option: '--to'")
  })
})
