import { Hono } from 'hono'

const ONE_ETHER = 10n ** 18n

/** A faucet. @param node as `startNode` returns it */
export function createApp(node) {
  const app = new Hono()

  app.get('/balance/:address', async (context) => {
    const balance = await node.request('eth_getBalance', [context.req.param('address'), 'latest'])
    return context.json({ ether: Number(BigInt(balance)) / Number(ONE_ETHER) })
  })

  app.post('/faucet/:address', async (context) => {
    const [from] = await node.request('eth_accounts')
    const transaction = { from, to: context.req.param('address'), value: `0x${ONE_ETHER.toString(16)}` }
    return context.json({ hash: await node.request('eth_sendTransaction', [transaction]) })
  })

  return app
}
