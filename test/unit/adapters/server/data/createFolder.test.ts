import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../../../../adapters/server/data/createFolder.ts'
import { needsHost } from '../../../../support/host/needs.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'isonode-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a folder', () => {
  it('is created with those above it, or left as it is', () => {
    const folder = path.join(temporaryFolder(), 'a', 'b')
    createFolder(folder, 0o700)
    expect(statSync(folder).isDirectory()).toBe(true)
    if (process.platform !== 'win32') expect(statSync(path.dirname(folder)).mode & 0o777).toBe(0o700)
    createFolder(folder)
    createFolder(path.parse(folder).root)
  })

  it('is not created below a file', () => {
    const file = path.join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(() => createFolder(path.join(file, 'a', 'b'))).toThrow(/ENOTDIR|EEXIST|ENOENT/)
    expect(() => createFolder(file)).toThrow('EEXIST')
  })

  it('fails where no folder can be created', needsHost(existsSync('/proc/self'), 'no /proc'), () => {
    expect(() => createFolder('/proc/isonode')).toThrow('ENOENT')
    expect(() => createFolder('/proc/isonode/data')).toThrow('ENOENT')
  })
})
