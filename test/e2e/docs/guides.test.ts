/** The commands of README.md and of the guides, and what they print. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { blocksOf, neededTools, readPage, runGuide } from '../../support/host/guide.ts'

const GUIDES = path.resolve(import.meta.dirname, '../../../docs/guides')
const PAGE_TIMEOUT_MS = 120_000

const pages = ['README.md', ...readdirSync(GUIDES).map((file) => `docs/guides/${file}`)].filter((page) =>
  blocksOf(readPage(page)).some(({ role }) => role === 'run'),
)

describe.each(pages)('%s', (page) => {
  it('works as written', { timeout: PAGE_TIMEOUT_MS, ...neededTools(readPage(page)) }, () => runGuide(readPage(page)))
})
