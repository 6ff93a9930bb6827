import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashOfInputs, inputsFile, isBuilt } from '../../../../../adapters/server/build/inputs.mjs'

let root: string
const write = (file: string, text = ''): void => writeFileSync(path.join(root, file), text)

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'inputs-'))
  for (const folder of ['src/base', 'adapters', 'dist']) mkdirSync(path.join(root, folder), { recursive: true })
  for (const file of ['mod.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json']) write(file)
  write('src/base/hex.ts', 'one')
})
afterEach(() => rmSync(root, { recursive: true }))

it('a build is up to date until a file that it was made from changes, appears or disappears', () => {
  const dist = path.join(root, 'dist')
  expect(isBuilt(root, dist)).toBe(false)
  writeFileSync(inputsFile(dist), hashOfInputs(root))
  expect(isBuilt(root, dist)).toBe(true)
  write('src/base/hex.ts', 'two')
  expect(isBuilt(root, dist)).toBe(false)
  write('src/base/hex.ts', 'one')
  expect(isBuilt(root, dist)).toBe(true)
  write('adapters/new.ts')
  expect(isBuilt(root, dist)).toBe(false)
  rmSync(path.join(root, 'adapters/new.ts'))
  write('package-lock.json', '{}')
  expect(isBuilt(root, dist)).toBe(false)
})
