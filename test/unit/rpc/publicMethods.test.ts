/** Every public method of the specification answers: with a result, or with its error. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { specificationPath } from '../../support/recorded/conformance.ts'

const methods = JSON.parse(readFileSync(specificationPath('methods.json'), 'utf8')) as {
  readonly method: string
  readonly document: string
}[]
const NAMES = methods.filter(({ document }) => document === 'public-methods.md').map(({ method }) => method)

let opened: OpenedNode
beforeAll(async () => {
  opened = await openDevNode({ 'rpc-profile': 'besu' })
})
afterAll(() => opened.node.close())

const METHOD_NOT_FOUND = -32601
const METHOD_NOT_ENABLED = -32604

it.each(NAMES)('%s', async (name) => {
  const code = await opened.rpc(name).then(
    () => 0,
    (error: { code: number }) => error.code,
  )
  expect([METHOD_NOT_FOUND, METHOD_NOT_ENABLED]).not.toContain(code)
})
