import { startNode } from 'isonode'

const node = await startNode()
const { promise: mined, resolve } = Promise.withResolvers<string>()
node.on('newHeads', ({ number }) => resolve(number as string))

const [from, to] = (await node.request('eth_accounts')) as string[]
await node.request('eth_sendTransaction', [{ from, to, value: '0xde0b6b3a7640000' }])
console.log(`block ${Number(await mined)} on ${node.url}`)
await node.close()
