/** Links of the Markdown files: relative ones and their anchors exist, external ones are complete addresses. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { onlyOnNode } from '../support/host/needs.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

const pages = [
  ...readdirSync(ROOT),
  ...['docs', 'examples', 'test'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  ),
].filter((file) => file.endsWith('.md') && !file.includes('node_modules'))

describe('links', onlyOnNode, () => {
  it.each(pages)('of %s', (page) => {
    expect(brokenLinks(page)).toEqual([])
  })
})

function brokenLinks(page: string): string[] {
  return linksOf(prose(page)).filter((link) => {
    if (/^[a-z]+:/.test(link)) return !URL.canParse(link) || /\s/.test(link)
    const [file = '', fragment] = link.split('#')
    const target = file === '' ? page : path.join(path.dirname(page), decodeURI(file))
    const whole = path.join(ROOT, target)
    if (!existsSync(whole)) return true
    return fragment !== undefined && (statSync(whole).isDirectory() || !anchorsOf(target).has(fragment))
  })
}

/** The page without code. */
function prose(page: string): string {
  return readFileSync(path.join(ROOT, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
}

function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string)
}

/** Headings as GitHub names them, and explicit ids. */
function anchorsOf(page: string): Set<string> {
  const text = prose(page)
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
  const ids = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id as string)
  return new Set([...headings, ...ids])
}
