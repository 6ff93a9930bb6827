/** The client of tevm, which mines each transaction. */
import { createMemoryClient } from 'tevm'
import { begin } from './load.mjs'
import { provided } from './provided.mjs'

/** The first account of the dev mnemonic, which has ether. */
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

begin(async () => {
  const client = createMemoryClient({ miningConfig: { type: 'auto' } })
  const request = (method, params = []) => client.request({ method, params })
  return provided({ request }, SENDER)
})
