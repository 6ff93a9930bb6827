/** Every public method of the specification answers: with a result, or with its error. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { conformancePath } from '../../support/recorded/conformance.ts'

const vectors = path.resolve(import.meta.dirname, '../../vectors/spec/public-methods.json')
const NAMES = JSON.parse(readFileSync(vectors, 'utf8')) as readonly string[]

let opened: OpenedNode
beforeAll(async () => {
  opened = await openDevNode({ 'rpc-profile': 'besu' })
})
afterAll(() => opened.node.close())

const METHOD_NOT_FOUND = -32601
const METHOD_NOT_ENABLED = -32604

it('the list is that of the specification', () => {
  const folder = conformancePath('..', 'spec')
  if (folder === undefined) return
  const text = readFileSync(path.join(folder, 'methods.json'), 'utf8')
  const listed = JSON.parse(text) as { method: string; document: string }[]
  const names = listed.filter(({ document }) => document === 'public-methods.md').map(({ method }) => method)
  expect(NAMES).toEqual(names)
})

it.each(NAMES)('%s', async (name) => {
  const code = await opened.rpc(name).then(
    () => 0,
    (error: { code: number }) => error.code,
  )
  expect([METHOD_NOT_FOUND, METHOD_NOT_ENABLED]).not.toContain(code)
})
