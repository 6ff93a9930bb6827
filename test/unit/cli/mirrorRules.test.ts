import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/cli/parse.ts'

const PUBLISHER = `0x${'ab'.repeat(20)}`
const FROM = ['--mirror-from=file:///srv/chain', `--mirror-publisher=${PUBLISHER}`]

function parse(...argv: string[]) {
  return parseCommandLine({ argv, environment: {}, readText: () => undefined })
}

function messageOf(...argv: string[]): string {
  const line = parse(...argv)
  return line.kind === 'error' ? line.message : `no error: ${line.kind}`
}

describe('the options of a replica', () => {
  test('are accepted together, and select no dev chain', () => {
    const line = parse(...FROM, '--mirror-poll=500', '--mirror-when-stale=refuse', '--rpc-http-enabled')
    expect(line).toMatchObject({
      kind: 'node',
      options: { 'mirror-poll': 500, 'mirror-when-stale': 'refuse', dev: false },
    })
    expect(parse(FROM[0] ?? '', '--mirror-publisher=any').kind).toBe('node')
  })

  test('need a mirror and a publisher', () => {
    expect(messageOf('--mirror-poll=500')).toContain('--mirror-poll needs --mirror-from.')
    expect(messageOf(`--mirror-publisher=${PUBLISHER}`)).toContain('--mirror-publisher needs --mirror-from.')
    expect(messageOf('--mirror-from=file:///x')).toContain('--mirror-from needs --mirror-publisher')
    expect(messageOf('--mirror-from=file:///x', '--mirror-publisher=me')).toContain(
      "'me' is neither an address nor any",
    )
    expect(messageOf(...FROM, '--mirror-cache=100')).toContain('mirror-cache')
    expect(messageOf(...FROM, '--mirror-when-stale=never')).toContain('mirror-when-stale')
    expect(messageOf(...FROM, '--mirror-verify=all')).toContain('mirror-verify')
  })

  test('need a block as the checkpoint, and a check that begins there', () => {
    const checkpoint = `--mirror-checkpoint=0x${'cd'.repeat(32)}`
    expect(parse(...FROM, '--mirror-verify=seals', checkpoint).kind).toBe('node')
    expect(messageOf(...FROM, checkpoint)).toContain('--mirror-checkpoint needs --mirror-verify=seals.')
    expect(messageOf(...FROM, '--mirror-verify=seals', '--mirror-checkpoint=0x12')).toContain(
      "'0x12' is not the hash of a block",
    )
  })

  test.each([
    '--data-path=x',
    '--network=sepolia',
    '--dev',
    '--chain-id=5',
    '--miner-enabled',
    '--mirror-to=file:///y',
    '--p2p-port=1',
    '--tx-pool-max-size=5',
    '--fork-url=http://x',
    '--privacy-enabled',
    '--permissions-nodes-config-file-enabled',
    '--evm-cross-check',
  ])('cannot be combined with %s, which would have no effect', (option) => {
    expect(messageOf(...FROM, option)).toMatch(/cannot be combined with --mirror-from|coinbase|Enclave|needs/)
  })
})

describe('the history that a mirror keeps', () => {
  const TO = ['--data-path=x', '--mirror-to=file:///srv/chain']

  test('is all of it, a number of blocks, or what begins at a block', () => {
    expect(parse(...TO)).toMatchObject({ options: { 'mirror-history': 'all' } })
    expect(parse(...TO, '--mirror-history=1000')).toMatchObject({ options: { 'mirror-history': '1000' } })
    expect(parse('--data-path=x', 'mirror', 'push', '--to=file:///srv/chain', '--from=7')).toMatchObject({
      values: { from: 7 },
    })
  })

  test.each(['0', '-1', '1.5', 'none', ''])('is not %j', (value) => {
    expect(messageOf(...TO, `--mirror-history=${value}`)).toContain('mirror-history')
  })

  test('needs a publisher', () => {
    expect(messageOf('--mirror-history=5')).toContain('--mirror-history needs --mirror-to.')
  })
})
