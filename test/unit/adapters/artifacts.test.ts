// slow: compiled contracts
/** Compiled contracts that a program gives to its node: `abi` and `artifacts`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type BrowserNodeOptions, createBrowserNode } from '../../../adapters/browser/browser.ts'
import { startNode } from '../../../adapters/server/startNode.ts'
import {
  compileFailures,
  deployFailures,
  failingSources,
  foundryFiles,
  hardhat2Files,
  markedLines,
  SENDER,
} from '../../support/nodes/failures.ts'

const project = compileFailures()
const { fails } = markedLines(failingSources())
const place = expect.stringContaining(`at Target.divide (${fails.get('externalDivision')}:`)

interface TestedNode {
  request(method: string, params?: readonly unknown[]): Promise<unknown>
  close(): Promise<void>
}

const opened: TestedNode[] = []
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close()
})

async function failureOn(node: TestedNode) {
  opened.push(node)
  const calls = await deployFailures(
    (async (method: string, ...params: readonly unknown[]) => node.request(method, params)) as never,
    project,
  )
  const call = { from: SENDER, ...calls.get('externalDivision') }
  return node.request('eth_call', [call, 'latest']).catch((error: unknown) => error)
}

const parsed = (files: ReadonlyMap<string, string>) =>
  Object.fromEntries([...files].map(([file, text]) => [file, JSON.parse(text) as object]))

describe('a node in a page', () => {
  const open = (options: BrowserNodeOptions) => createBrowserNode({ storage: 'memory', ...options })

  it('uses artifacts as objects and as texts, with the sources of a Foundry project', async () => {
    expect(await failureOn(await open({ artifacts: parsed(hardhat2Files(project)) }))).toMatchObject({
      data: expect.stringMatching(/^0x4e487b71/),
      stackTrace: [place, expect.stringContaining('at Failures.externalDivision (')],
    })
    const files = { ...Object.fromEntries(foundryFiles(project)), ...failingSources() }
    expect(await failureOn(await open({ artifacts: files }))).toMatchObject({ stackTrace: [place, expect.anything()] })
  })

  it('refuses what is no object', async () => {
    await expect(open({ artifacts: ['a'] as never })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: "Invalid value for option 'artifacts': an array is not an object with contents by path",
    })
  })
})

describe('startNode', () => {
  it('uses the folders of abi, with a log and without', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'isonode-artifacts-'))
    try {
      for (const [file, text] of hardhat2Files(project)) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
        writeFileSync(path.join(folder, file), text)
      }
      const entries: string[] = []
      for (const log of [undefined, (entry: string) => entries.push(entry)]) {
        const node = await startNode({ listen: false, abi: [folder], ...(log === undefined ? {} : { log }) })
        expect(await failureOn(node)).toMatchObject({ stackTrace: [place, expect.anything()] })
        await opened.pop()?.close()
      }
      expect(entries.join('\n')).toMatch(/ {4}at Target\.divide\(5, 0\) \(contracts\/Failures\.sol:/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
