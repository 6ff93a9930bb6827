import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openObjectReader, openObjectStore } from '../../../../adapters/server/objects/openObjects.ts'
import { ObjectServer } from '../../../support/mirror/objectServer.ts'
import { pattern } from './contract.ts'

describe('the URL of a mirror', () => {
  it('opens a folder', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'isonode mirror-'))
    const store = await openObjectStore(pathToFileURL(folder).href, {})
    expect(await store.create('mirror.json', pattern(5))).toBe('created')
    const reader = await openObjectReader(pathToFileURL(folder).href, {})
    expect(await reader.get('mirror.json')).toEqual(pattern(5))
    expect(store.label).not.toContain(path.basename(folder))
    rmSync(folder, { recursive: true })
  })

  it('opens a folder of a web server to read, with a token of the environment', async () => {
    const server = await ObjectServer.start()
    server.objects.set('chain/mirror.json', pattern(5))
    const reader = await openObjectReader(`${server.origin}/chain`, { ISONODE_MIRROR_TOKEN: 'word' })
    expect(await reader.get('mirror.json')).toEqual(pattern(5))
    expect(server.requests[0]?.headers.authorization).toBe('Bearer word')
    await server.stop()
  })

  it.each([
    ['nonsense', 'the address of a mirror is not a URL'],
    ['ftp://secret@host/', 'a mirror cannot be at ftp:'],
    ['https://secret@host/', 'the publish address of a Worker needs a token'],
    ['file://secret/folder', 'the address of a folder begins with file:///'],
  ])('is refused without being repeated: %s', async (url, reason) => {
    const failure = await openObjectStore(url, {}).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(reason) })
    expect(String(failure)).not.toContain('secret')
  })
})
