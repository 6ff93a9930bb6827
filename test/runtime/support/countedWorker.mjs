/** The Worker, which also tells how often its objects were started. */
import handler, { LiveChain as Served } from '../../../adapters/workers/worker.ts'

let starts = 0

export class LiveChain extends Served {
  constructor(state, env) {
    super(state, env)
    starts++
  }
}

export default {
  fetch(request, env, context) {
    if (new URL(request.url).pathname === '/starts') return Response.json(starts)
    return handler.fetch(request, env, context)
  },
}
