import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Evm } from '../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { execute, prepare } from '../../fuzz/execute.mjs'
import { testClock } from '../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../support/evm/testEvm.ts'
import { fuzzProject } from '../../support/host/fuzzProject.ts'

/** A case of the fuzzer with the expected result; the fields are described in the folder's README.md. */
type Vector = Parameters<typeof prepare>[1] & {
  readonly comment: string
  readonly expected: Readonly<Record<string, unknown>>
  readonly referenceIsWrong?: string
}

const folder = path.resolve(import.meta.dirname, '../../vectors/evm')
const DRIVES = ['plain', 'missing', 'sliced', 'both'] as const

function read(file: string): [name: string, vector: Vector][] {
  const vectors = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Record<string, Vector>
  return Object.entries(vectors)
}

const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const vectors = files.flatMap(read)

let reference: Evm
let native: Evm
beforeAll(async () => {
  reference = await loadReferenceEvm(testClock)
  native = await loadTestNativeEvm(testClock)
})

describe('messages on which EVMs once disagreed', () => {
  it.each(vectors)('native EVM: %s', async (_name, vector) => {
    const prepared = prepare(fuzzProject, vector)
    for (const drive of DRIVES) {
      expect({ drive, ...(await execute(prepared, native, drive)) }).toMatchObject({ drive, ...vector.expected })
    }
  })

  const known = vectors.filter(([, { referenceIsWrong }]) => referenceIsWrong === undefined)
  it.each(known)('reference EVM: %s', async (_name, vector) => {
    expect(await execute(prepare(fuzzProject, vector), reference, 'plain')).toMatchObject(vector.expected)
  })
})
