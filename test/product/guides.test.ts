/** The commands of README.md and of the guides, and what they print. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf, neededTools, readPage, runGuide, unmarkedBlocks } from '../support/host/guide.ts'

const GUIDES = path.resolve(import.meta.dirname, '../../docs/guides')
const PAGE_TIMEOUT_MS = 480_000

const pages = ['README.md', ...readdirSync(GUIDES).map((file) => `docs/guides/${file}`)]
const isRun = (page: string): boolean => blocksOf(readPage(page)).some(({ mark }) => mark === 'run')

it.each(pages)('%s: every block is run, or says why not', (page) => {
  expect(unmarkedBlocks(readPage(page))).toEqual([])
})

// Each page has its own folder, ports and programs, and mostly waits for them.
describe.concurrent.each(pages.filter(isRun))('%s', (page) => {
  it('works as written', { timeout: PAGE_TIMEOUT_MS, ...neededTools(readPage(page)) }, () => runGuide(readPage(page)))
})
