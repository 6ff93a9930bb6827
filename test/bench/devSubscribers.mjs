/** WebSocket connections that each subscribe to newHeads and to the contract's logs. */
import { WebSocket } from 'ws'

const NUMBER = { newHeads: (head) => head.number, logs: (log) => log.blockNumber }

/**
 * `next(after)` resolves to the times at which every connection has received all notifications of a block above
 * `after`.
 */
export async function openSubscribers(target, count, watch) {
  const state = { after: Number.POSITIVE_INFINITY, missing: 0, resolve: () => {}, at: undefined }
  const gaveUp = new Promise((_, reject) => {
    watch.onGiveUp(() => reject(new Error('given up')))
  })
  gaveUp.catch(() => {})
  const arrived = (waiting, kind, result) => {
    if (Number(NUMBER[kind](result)) <= state.after || !waiting.delete(kind)) return
    state.at[kind].push(performance.now())
    if (--state.missing === 0) state.resolve(state.at)
  }
  const subscribers = await Promise.race([
    Promise.all(Array.from({ length: count }, () => openSubscriber(target, arrived))),
    gaveUp,
  ])
  return {
    next(after) {
      for (const { waiting } of subscribers) for (const kind of Object.keys(NUMBER)) waiting.add(kind)
      state.after = after
      state.missing = 2 * count
      state.at = { newHeads: [], logs: [] }
      const complete = new Promise((resolve) => {
        state.resolve = resolve
      })
      return Promise.race([complete, gaveUp])
    },
    close() {
      for (const { socket } of subscribers) socket.terminate()
    },
  }
}

function openSubscriber({ ws, contract }, arrived) {
  const socket = new WebSocket(ws, { perMessageDeflate: false })
  const waiting = new Set()
  const kinds = new Map()
  const requests = [
    ['newHeads', ['newHeads']],
    ['logs', ['logs', { address: contract }]],
  ]
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the WebSocket was closed')))
    socket.once('open', () => {
      for (const [id, [, params]] of requests.entries())
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
    })
    socket.on('message', (text) => {
      const { id, result, error, params } = JSON.parse(text)
      if (error !== undefined) reject(new Error(`eth_subscribe: ${error.message}`))
      else if (params !== undefined) arrived(waiting, kinds.get(params.subscription), params.result)
      else {
        kinds.set(result, requests[id][0])
        if (kinds.size === requests.length) resolve({ socket, waiting })
      }
    })
  })
}
