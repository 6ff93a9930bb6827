import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { encodeRlp, writeBlockchainConfig } from '../../../../../adapters/server/program/commands/operator.ts'
import { Output } from '../../../../../adapters/server/program/output.ts'
import { KeySigner } from '../../../../../src/base/ports/keySigner.ts'
import { bytesToHex, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { parseCommandLine } from '../../../../../src/cli/parse.ts'
import { parseGenesisFile } from '../../../../../src/config/genesisFile.ts'
import { createSchedule } from '../../../../../src/consensus/createSchedule.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'isonode-operator-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(directory, { recursive: true })
})

const ADDRESS = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'

/** Runs a command line; returns its output. */
function run(...argv: string[]): string {
  const line = parseCommandLine({ argv, environment: {}, readText: () => 'must not be read' })
  let text = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  const output = new Output({ environment: {} })
  if (line.kind === 'error') throw new Error(line.message)
  if (line.kind !== 'command') throw new Error(line.kind)
  if (line.command === 'rlp encode') encodeRlp(line.values, output)
  if (line.command === 'operator generate-blockchain-config') writeBlockchainConfig(line.values, output)
  vi.restoreAllMocks()
  return text
}

const file = (name: string, content: string): string => {
  const location = path.join(directory, name)
  writeFileSync(location, content)
  return location
}

describe('operator generate-blockchain-config', () => {
  const config = (nodes: object): string =>
    file(
      'config.json',
      JSON.stringify({
        genesis: { config: { qbft: {} }, gasLimit: '0x1000000', difficulty: '0x1' },
        blockchain: { nodes },
      }),
    )
  const generate = (...options: string[]): string => run('operator', 'generate-blockchain-config', ...options)

  it('writes a genesis file that the node accepts, and keys that fit together', () => {
    const to = path.join(directory, 'new', 'network')
    const text = generate(`--config-file=${config({ generate: true, count: 4 })}`, `--to=${to}`)
    expect(text).toContain('wrote the genesis file and the keys of the nodes')
    expect(readdirSync(to).sort()).toEqual(['genesis.json', 'keys'])
    const folders = readdirSync(path.join(to, 'keys'))
    expect(folders).toHaveLength(4)
    for (const address of folders) {
      const keyFile = path.join(to, 'keys', address, 'key.priv')
      const signer = new KeySigner(hexToBytes(readFileSync(keyFile, 'utf8')))
      expect(bytesToHex(signer.address)).toBe(address)
      expect(readFileSync(path.join(to, 'keys', address, 'key.pub'), 'utf8')).toBe(bytesToHex(signer.publicKey))
      expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    }
    const genesis = parseGenesisFile(readFileSync(path.join(to, 'genesis.json'), 'utf8'))
    expect(createSchedule(genesis.config).claimedBy({ number: 1n, timestamp: 1n, difficulty: 1n }).name).toBe('qbft')
    for (const address of folders)
      expect(readFileSync(path.join(to, 'genesis.json'), 'utf8')).toContain(address.slice(2))
  })

  it('writes given public keys under given names', () => {
    const to = path.join(directory, 'empty')
    mkdirSync(to)
    const signer = new KeySigner(new Uint8Array(32).fill(1))
    const keys = [bytesToHex(signer.publicKey)]
    const names = ['--genesis-file-name=g.json', '--public-key-file-name=public']
    generate(`--config-file=${config({ keys })}`, `--to=${to}`, ...names)
    expect(readdirSync(to).sort()).toEqual(['g.json', 'keys'])
    expect(readdirSync(path.join(to, 'keys', bytesToHex(signer.address)))).toEqual(['public'])
  })

  it('refuses a folder that is not empty, equal names, paths and bad input, without writing', () => {
    const to = path.join(directory, 'to')
    const good = config({ generate: true, count: 1 })
    expect(() => generate(`--config-file=${good}`, `--to=${directory}`)).toThrow('Output directory already exists.')
    expect(() => generate(`--config-file=${good}`, `--to=${good}`)).toThrow('is not a folder')
    expect(() => generate(`--config-file=${good}`)).toThrow("Missing required option: '--to'")
    expect(() => generate(`--to=${to}`)).toThrow("Missing required option: '--config-file'")
    const same = ['--public-key-file-name=a', '--private-key-file-name=a']
    expect(() => generate(`--config-file=${good}`, `--to=${to}`, ...same)).toThrow('Output file paths must be unique.')
    for (const name of ['../x', 'a/b', '..']) {
      expect(() => generate(`--config-file=${good}`, `--to=${to}`, `--genesis-file-name=${name}`)).toThrow(
        'is not a file name',
      )
    }
    expect(() => generate(`--config-file=${directory}/none`, `--to=${to}`)).toThrow(`cannot read ${directory}/none`)
    const bad = file('bad.json', '{}')
    expect(() => generate(`--config-file=${bad}`, `--to=${to}`)).toThrow(`${bad}: blockchain must be an object`)
    expect(readdirSync(directory).sort()).toEqual(['bad.json', 'config.json'])
  })
})

describe('rlp encode', () => {
  const ENCODED = `0xf83aa0${'00'.repeat(32)}d594${ADDRESS.slice(2)}c080c0`

  it('prints a line, or writes without a line end', () => {
    const from = file('list.json', JSON.stringify([ADDRESS]))
    expect(run('rlp', 'encode', `--from=${from}`, '--type=QBFT_EXTRA_DATA')).toBe(`${ENCODED}\n`)
    const to = path.join(directory, 'out')
    expect(run('rlp', 'encode', `--from=${from}`, `--to=${to}`, '--type=qbft_extra_data')).toBe('')
    expect(readFileSync(to, 'utf8')).toBe(ENCODED)
    expect(run('rlp', 'encode', `--from=${from}`)).toBe(
      `${ENCODED.replace('3a', '3e').replace('c080c0', '808400000000c0')}\n`,
    )
  })

  it('names the faults of its input', () => {
    const bad = file('bad.json', '["0x1"]')
    expect(() => run('rlp', 'encode', `--from=${bad}`)).toThrow(`${bad}: "0x1" is not an address`)
    expect(() => run('rlp', 'encode', `--from=${directory}/none`)).toThrow('cannot read')
    expect(() => run('rlp', 'encode', '--type=OTHER')).toThrow("'--type'")
  })
})
