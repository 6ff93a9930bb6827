/** The generated pages of docs/ and the generated interface of options. `npm run docs` writes them; without it, this test compares. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { onlyOnNode } from '../support/host/needs.ts'
import { EXAMPLES } from './examples/index.ts'
import { errorsPage } from './reference/errorsPage.ts'
import { limitsPage } from './reference/limitsPage.ts'
import { DEFINITIONS, methodPages } from './reference/methodPages.ts'
import { nodeFlagsModule } from './reference/nodeFlags.ts'
import { optionPages } from './reference/optionPages.ts'
import { profilePages } from './reference/profilePage.ts'

const DOCS = path.resolve(import.meta.dirname, '../../docs')
const isWriting = process.env['ISONODE_WRITE_DOCS'] === '1'

it('every method has one example', () => {
  const names = DEFINITIONS.map(({ name }) => name)
  expect(Object.keys(EXAMPLES).sort()).toEqual(names.sort())
})

it('the interface of options is up to date (npm run docs)', onlyOnNode, () => {
  const file = path.join(DOCS, '../src/cli/nodeFlags.ts')
  if (isWriting) writeFileSync(file, nodeFlagsModule())
  expect(readFileSync(file, 'utf8')).toBe(nodeFlagsModule())
})

it('the pages are up to date (npm run docs)', { timeout: 300_000, ...onlyOnNode }, async () => {
  const pages = new Map([
    ...(await methodPages()),
    ...optionPages(),
    ...profilePages(),
    ['errors.md', errorsPage()],
    ['limits.md', limitsPage()],
  ])
  if (isWriting) write(pages)
  const outdated = [...pages].filter(([file, text]) => read(file) !== text).map(([file]) => file)
  const surplus = readdirSync(path.join(DOCS, 'methods')).filter((file) => !pages.has(`methods/${file}`))
  expect({ outdated, surplus }).toEqual({ outdated: [], surplus: [] })
})

function write(pages: ReadonlyMap<string, string>): void {
  rmSync(path.join(DOCS, 'methods'), { recursive: true, force: true })
  mkdirSync(path.join(DOCS, 'methods'), { recursive: true })
  for (const [file, text] of pages) writeFileSync(path.join(DOCS, file), text)
}

function read(file: string): string | undefined {
  const whole = path.join(DOCS, file)
  return existsSync(whole) ? readFileSync(whole, 'utf8') : undefined
}
