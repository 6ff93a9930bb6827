import { serve } from '@hono/node-server'
import { startNode } from 'isonode'
import { createApp } from './app.mjs'

const node = await startNode({ listen: false })
const server = serve({ fetch: createApp(node).fetch, port: 3000 })
process.once('SIGINT', () => {
  server.close()
  void node.close()
})
