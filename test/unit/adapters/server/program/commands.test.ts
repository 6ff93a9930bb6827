import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { compareSync } from 'bcryptjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadNodeKey } from '../../../../../adapters/server/data/nodeKey.ts'
import {
  exportHex,
  hashPassword,
  readText,
  validateConfig,
} from '../../../../../adapters/server/program/commands/small.ts'
import { Output } from '../../../../../adapters/server/program/output.ts'
import { KeySigner } from '../../../../../src/base/ports/keySigner.ts'
import { bytesToHex, hexToBytes } from '../../../../../src/base/primitives/bytes.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'isonode-commands-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(directory, { recursive: true })
})

const KEY = '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63'

const output = new Output({ environment: {} })

/** Returns the output of a command. */
async function printed(run: () => void | Promise<void>): Promise<string> {
  let text = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  await run()
  write.mockRestore()
  return text.trimEnd()
}

describe('node key', () => {
  it('is generated when missing and then kept', () => {
    const data = path.join(directory, 'data')
    const key = loadNodeKey(data, undefined)
    const file = path.join(data, 'key')
    expect(readFileSync(file, 'utf8')).toBe(`${bytesToHex(key)}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(loadNodeKey(data, undefined)).toEqual(key)
  })

  it('may be in another file, with or without 0x and a line end', () => {
    const file = path.join(directory, 'named')
    for (const text of [KEY, `${KEY}\n`, `${KEY.slice(2)}\r\n`]) {
      writeFileSync(file, text)
      expect(bytesToHex(loadNodeKey(directory, file))).toBe(KEY)
    }
  })

  it('must be a private key', () => {
    const file = path.join(directory, 'bad')
    for (const text of ['', '0x12', `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, 'zz'.repeat(32)]) {
      writeFileSync(file, text)
      expect(() => loadNodeKey(directory, file)).toThrow('not a private key of 64 hex digits')
    }
    expect(() => loadNodeKey(directory, directory)).toThrow('cannot use the node key')
  })
})

describe('public-key', () => {
  it('prints key and address', async () => {
    expect(await printed(() => exportHex(new KeySigner(hexToBytes(KEY)).address, undefined, output))).toBe(
      '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
    )
    expect(await printed(() => exportHex(new KeySigner(hexToBytes(KEY)).publicKey, undefined, output))).toMatch(
      /^0x[0-9a-f]{128}$/,
    )
  })

  it('writes to a file', () => {
    const to = path.join(directory, 'out')
    exportHex(new KeySigner(hexToBytes(KEY)).address, to, output)
    expect(readFileSync(to, 'utf8')).toBe('0xfe3b557e8fb62b89f4916b721be55ceb828dbd73')
  })
})

describe('password hash', () => {
  it('is bcrypt with cost 10 in the 2a form', async () => {
    const hash = await printed(() => hashPassword('secret', output))
    expect(hash).toMatch(/^\$2a\$10\$[./0-9A-Za-z]{53}$/)
    expect(compareSync('secret', hash)).toBe(true)
    expect(compareSync('other', hash)).toBe(false)
  })

  it('refuses a password that bcrypt would truncate', async () => {
    await expect(hashPassword('x'.repeat(73), output)).rejects.toThrow('longer than 72 bytes')
  })
})

describe('validate-config', () => {
  const check = (text: string): Promise<string> => {
    const file = path.join(directory, 'config.toml')
    writeFileSync(file, text)
    return printed(() => validateConfig(file, output))
  }

  it('accepts a valid file', async () => {
    expect(await check('rpc-http-port = 1\nrpc-http-enabled = true')).toMatch(
      /^TOML config file is valid on basic inspection\./,
    )
  })

  it('reports faults', async () => {
    await expect(check('nonsense = 1')).rejects.toThrow('Unknown option in TOML configuration file: nonsense')
    await expect(check('rpc-http-port = "x"')).rejects.toThrow("'x' is not an integer")
    expect(() => validateConfig(path.join(directory, 'absent'), output)).toThrow('file not found')
    expect(readText(directory)).toBeUndefined()
  })
})
