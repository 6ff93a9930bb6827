/** The generated pages of docs/. `npm run docs` writes them; without it, this test compares. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { methodPages } from './reference/methodPages.ts'
import { optionPages } from './reference/optionPages.ts'

const DOCS = path.resolve(import.meta.dirname, '../../docs')
const isWriting = process.env['ISONODE_WRITE_DOCS'] === '1'
const isNode = !('Deno' in globalThis) && !('Bun' in globalThis)

it.skipIf(!isNode)('the reference is up to date (npm run docs)', { timeout: 120_000 }, async () => {
  const pages = new Map([...(await methodPages()), ...optionPages()])
  if (isWriting) write(pages)
  expect([...pages.keys()]).toContain('methods/eth.md')
})

function write(pages: ReadonlyMap<string, string>): void {
  rmSync(path.join(DOCS, 'methods'), { recursive: true, force: true })
  mkdirSync(path.join(DOCS, 'methods'), { recursive: true })
  for (const [file, text] of pages) writeFileSync(path.join(DOCS, file), text)
}
