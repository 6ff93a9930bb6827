import { createWalletClient, custom, SwitchChainError } from 'viem'
import { foundry, mainnet } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'

async function wallet() {
  const { rpc } = await openDevNode()
  const transport = custom({ request: ({ method, params }) => rpc(method, ...(params ?? [])) })
  return { rpc, client: createWalletClient({ chain: foundry, transport }) }
}

describe("viem's wallet client", () => {
  it('gets the accounts of the node', async () => {
    const { rpc, client } = await wallet()
    expect((await client.requestAddresses()).map((each) => each.toLowerCase())).toEqual(await rpc('eth_accounts'))
  })

  it('switches to the chain of the node, and to no other', async () => {
    const { client } = await wallet()
    await expect(client.switchChain(foundry)).resolves.toBeUndefined()
    const failure = await client.switchChain(mainnet).catch((error) => error)
    expect(failure).toBeInstanceOf(SwitchChainError)
    expect(failure.code).toBe(4902)
  })
})
