import assert from 'node:assert/strict'
import { startNode } from 'isonode'
import { createApp } from './app.mjs'

const ADDRESS = '0x00000000000000000000000000000000000000aa'

const node = await startNode({ listen: false })
const app = createApp(node)
const json = async (path, init) => (await app.request(path, init)).json()

assert.deepEqual(await json(`/balance/${ADDRESS}`), { ether: 0 })
const { hash } = await json(`/faucet/${ADDRESS}`, { method: 'POST' })
assert.match(hash, /^0x[0-9a-f]{64}$/)
assert.deepEqual(await json(`/balance/${ADDRESS}`), { ether: 1 })
await node.close()
console.log('the faucet paid 1 ether')
