/** `error.docs` leads to an entry of docs/errors.md, or to the page. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXPLAINED_CODES } from '../../src/base/primitives/errorCodes.ts'
import { ERROR_DOCS, NodeError } from '../../src/base/primitives/errors.ts'
import { ERROR_NUMBERS } from '../../src/rpc/errorNumbers.ts'
import { DISCONNECTED, RequestError } from '../../src/rpc/providerContract.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const page = readFileSync(path.join(ROOT, 'docs/errors.md'), 'utf8')
const anchors = [...page.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string)

/** Each text in the sources that can be the code of an error. */
function codesInSources(): readonly string[] {
  const files = ['src', 'adapters'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && path.basename(file) !== 'errorCodes.ts')
      .map((file) => path.join(ROOT, folder, file)),
  )
  const texts = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/'([A-Z][A-Z0-9_]{2,})'/g)])
  return [...new Set(texts.map(([, code]) => code as string))]
}

const nodeErrorDocs = (code: string): string => new NodeError({ code }, '').docs
const requestErrorDocs = (code: number): string => new RequestError({ code, message: '' }).docs

describe('error.docs', () => {
  it('names an anchor of the page once', () => expect(anchors.length).toBe(new Set(anchors).size))

  it('of a NodeError leads to its entry, or to the page', () => {
    const codes = codesInSources()
    const unused = EXPLAINED_CODES.filter((code) => !codes.includes(code))
    expect(unused).toEqual([])
    const links = codes.map(nodeErrorDocs).filter((link) => link !== ERROR_DOCS)
    expect(links).toHaveLength(EXPLAINED_CODES.length)
    expect(anchors).toEqual(expect.arrayContaining(links.map((link) => link.slice(ERROR_DOCS.length + 1))))
  })

  it('of a RequestError leads to its number, or to the page', () => {
    const links = [...ERROR_NUMBERS, DISCONNECTED].map(requestErrorDocs)
    expect(anchors).toEqual(expect.arrayContaining(links.map((link) => link.slice(ERROR_DOCS.length + 1))))
    expect(requestErrorDocs(-1)).toBe(ERROR_DOCS)
  })
})
