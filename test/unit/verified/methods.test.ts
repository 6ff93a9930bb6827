import { describe, expect, it } from 'vitest'
import { blockReads } from '../../../src/verified/blockReads.ts'
import { loadFurtherCalls } from '../../../src/verified/furtherCalls.ts'
import { provenMethod } from '../../../src/verified/methods.ts'

describe('proven methods', () => {
  it('are found by their names, also those that are loaded later', async () => {
    const later = [...blockReads, ...(await loadFurtherCalls('eth_simulateV1'))]
    for (const definition of later) expect((await provenMethod(definition.name))?.definition).toBe(definition)
    for (const name of ['eth_call', 'eth_getBalance']) expect((await provenMethod(name))?.definition.name).toBe(name)
    expect(await provenMethod('eth_gasPrice')).toBeUndefined()
  })
})
