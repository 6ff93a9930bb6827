// slow: repeats all recorded traces
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptEngine } from '../../../../adapters/server/scriptEngine.ts'
import { openDevNode } from '../../../support/nodes/devNodeInMemory.ts'

interface Case {
  readonly name: string
  readonly tracer: string
  readonly call: Readonly<Record<string, string>>
  /** Names of codes by address. */
  readonly accounts: Readonly<Record<string, string>>
  readonly result?: unknown
  /** Without the position in the tracer's code. */
  readonly error?: string
}

const file = path.resolve(import.meta.dirname, '../../../vectors/jsTracers.json')
const { codes, cases } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly codes: Readonly<Record<string, string>>
  readonly cases: readonly Case[]
}
/** Each account has this balance. */
const BALANCE = '0x64'

describe('tracers in JavaScript answer like go-ethereum 1.17.6', async () => {
  const { rpc } = await openDevNode({}, undefined, { scripts: scriptEngine })

  it.each(cases)('$name', async ({ tracer, call, accounts, result, error }) => {
    const stateOverrides = Object.fromEntries(
      Object.entries(accounts).map(([address, name]) => [address, { code: codes[name], balance: BALANCE }]),
    )
    const traced = rpc('debug_traceCall', call, 'latest', { tracer, stateOverrides })
    if (error === undefined) expect(await traced).toEqual(result)
    else await expect(traced).rejects.toThrow(expect.objectContaining({ message: error }))
  })
})
