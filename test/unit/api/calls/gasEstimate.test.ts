import { afterEach, describe, expect, it } from 'vitest'
import { type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'

const CONTRACT = '0x00000000000000000000000000000000000000c1'
/** Sends 1 wei to the caller. The stipend of that call is returned, so more gas is needed than is used. */
const PAYS_CALLER = '0x60006000600060006001336000f15000'

let opened: OpenedNode
afterEach(() => opened.node.close())

describe.each(['besu', 'geth'] as const)('estimateGas in the %s profile', (profile) => {
  it('suffices for a call that gets its stipend back', async () => {
    opened = await openDevNode({ 'rpc-profile': profile })
    const [from] = await opened.rpc<string[]>('eth_accounts')
    await opened.rpc('anvil_setCode', CONTRACT, PAYS_CALLER)
    await opened.rpc('anvil_setBalance', CONTRACT, '0x64')
    const gas = await opened.rpc<string>('eth_estimateGas', { from, to: CONTRACT })
    expect(await opened.rpc('eth_call', { from, to: CONTRACT, gas }, 'latest')).toBe('0x')
    const less = `0x${(BigInt(gas) - 1n).toString(16)}`
    await expect(opened.rpc('eth_call', { from, to: CONTRACT, gas: less }, 'latest')).rejects.toThrow()
  })
})
