import { mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DirectoryObjects } from '../../../../adapters/server/objects/directoryObjects.ts'
import { PARTIAL_OBJECT_MS } from '../../../../src/base/limits/limits.ts'
import { objectStoreContract, pattern } from './contract.ts'

const home = mkdtempSync(path.join(tmpdir(), 'isonode-objects-'))
let folders = 0
const freshFolder = (): string => path.join(home, `mirror ${folders++}`)

afterAll(() => rmSync(home, { recursive: true, force: true }))

objectStoreContract('a folder', async () => {
  const folder = freshFolder()
  return [new DirectoryObjects(folder), new DirectoryObjects(folder)]
})

describe('DirectoryObjects', () => {
  it('leaves no incomplete files, and ignores those of others until they are old', async () => {
    const folder = freshFolder()
    const store = new DirectoryObjects(folder)
    await store.create('manifests/1', pattern(100))
    await store.create('manifests/1', pattern(100))
    await store.put('latest', pattern(10))
    expect(readdirSync(folder).sort()).toEqual(['latest', 'manifests'])

    for (const name of ['_old', '_new']) writeFileSync(path.join(folder, name), 'partial')
    const age = (Date.now() - PARTIAL_OBJECT_MS) / 1000 - 1
    utimesSync(path.join(folder, '_old'), age, age)
    const next = new DirectoryObjects(folder)
    await next.create('manifests/2', pattern(1))
    expect(readdirSync(folder).sort()).toEqual(['_new', 'latest', 'manifests'])
    const names: string[] = []
    for await (const name of next.list('')) names.push(name)
    expect(names).toEqual(['latest', 'manifests/1', 'manifests/2'])
  })

  it('names the object and not the folder when the file system fails', async () => {
    const file = path.join(home, 'file')
    writeFileSync(file, '')
    const store = new DirectoryObjects(path.join(file, 'inside'))
    const failure = await store.create('manifests/1', pattern(1)).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'MIRROR_UNAVAILABLE',
      details: { object: 'manifests/1' },
      message: expect.stringMatching(/^manifests\/1 of the mirror is not available: the file system answers E\w+$/),
    })

    const folder = freshFolder()
    await new DirectoryObjects(folder).create('mirror.json', pattern(1))
    symlinkSync('loop', path.join(folder, 'loop'))
    await expect(new DirectoryObjects(folder).get('loop')).rejects.toMatchObject({ code: 'MIRROR_UNAVAILABLE' })
  })
})
