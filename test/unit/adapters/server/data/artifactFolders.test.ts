/** Folders of --abi on a disk. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArtifacts } from '../../../../../adapters/server/data/artifactFolders.ts'
import { AbiLibrary } from '../../../../../src/abi/abiLibrary.ts'
import type { ArtifactFolder } from '../../../../../src/base/ports/artifactFolder.ts'

let root = ''

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'artifacts-'))
  mkdirSync(path.join(root, 'out/build-info'), { recursive: true })
  writeFileSync(path.join(root, 'A.sol'), 'contract A {}')
})

afterEach(() => rmSync(root, { recursive: true }))

async function folder(): Promise<ArtifactFolder> {
  const [opened] = await openArtifacts([path.join(root, 'out')])
  if (opened === undefined) throw new Error('no folder')
  return opened
}

describe('a folder of artifacts', () => {
  it('gives parts of a file', async () => {
    writeFileSync(path.join(root, 'out/a.json'), '0123456789')
    const { slice } = await folder()
    const text = async (start: number, end: number): Promise<string> =>
      new TextDecoder().decode(await slice('a.json', start, end))
    expect(await text(0, 4)).toBe('0123')
    expect(await text(8, 100)).toBe('89')
    expect(await text(20, 30)).toBe('')
    expect(await slice('b.json', 0, 4)).toBeUndefined()
  })

  it('has the contracts of build information', async () => {
    const output = { contracts: { 'A.sol': { A: { abi: [], evm: { deployedBytecode: { object: '6001' } } } } } }
    writeFileSync(path.join(root, 'out/build-info/b.json'), JSON.stringify({ input: {}, output }))
    const library = new AbiLibrary({
      folders: [await folder()],
      clock: { monotonic: () => 0 },
      yieldToHost: async () => {},
    })
    expect(await library.refresh()).toEqual([])
    expect(library.index.contract(Uint8Array.of(0x60, 1))).toMatchObject({ name: 'A', sourceName: 'A.sol' })
  })

  it('gives sources of its project, and nothing outside it', async () => {
    const { source } = await folder()
    expect(new TextDecoder().decode(await source('A.sol', 100))).toBe('contract A {}')
    for (const name of ['../A.sol', '/etc/hostname', 'out/../../A.sol']) expect(await source(name, 100)).toBeUndefined()
    expect(await source('A.sol', 3)).toBeUndefined()
  })
})
