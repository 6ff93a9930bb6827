/**
 * Answers to the requests that another process of the node forwards.
 * @module
 */
import { API_GROUPS } from '../../config/apiGroups.ts'
import type { GraphqlAnswers } from '../../graphql/contract.ts'
import type { LoginReply } from '../../http/access/contract.ts'
import { bigJson } from '../../rpc/bigJson.ts'
import { Envelope } from '../../rpc/envelope.ts'
import { RpcRequestContext } from '../../rpc/requestContext.ts'
import type { RpcRequest } from '../../rpc/simpleRequest.ts'
import type { HostAccess } from '../host.ts'
import type { RpcInterface } from '../rpcInterface.ts'
import type { LinkAnswers } from './processLink.ts'

/**
 * All methods are served: the process that forwards a request has checked its endpoint and its caller, and counts it.
 * @param access has the logins
 * @param loadGraphql called for the first GraphQL request
 */
export function localAnswers(
  { registry, envelopes }: Pick<RpcInterface, 'registry' | 'envelopes'>,
  access: HostAccess | undefined,
  loadGraphql: () => Promise<GraphqlAnswers>,
): LinkAnswers {
  const open = () => {
    const served = registry.serve(API_GROUPS, true)
    return new Envelope({ ...envelopes, served, transport: 'local', metrics: undefined, forwarder: undefined })
  }
  let envelope: ReturnType<typeof open> | undefined
  let graphql: Promise<GraphqlAnswers> | undefined
  return {
    call: (request, { claims, subscriber }, signal) => {
      envelope ??= open()
      const { groups } = envelope.served
      const principal = { permits: () => true, claims }
      const context = new RpcRequestContext({ groups, principal, subscriber, streams: false })
      signal.addEventListener('abort', () => context.abort(signal.reason), { once: true })
      return envelope.handle(textOf(request), context)
    },
    graphql: async (input, signal, permits) => {
      graphql ??= loadGraphql()
      return (await graphql).answer(input, signal, permits)
    },
    login: async (endpoint, body, client) => (await access?.[endpoint]?.login?.handle(body, client)) ?? NO_LOGIN,
    called: (calls) => {
      const { backend } = envelopes
      for (const { call, count } of calls) backend.mirror?.noteCall?.(call, backend, count)
    },
  }
}

const NO_LOGIN: LoginReply = { status: 400, body: '' }

function textOf({ id, method, params }: RpcRequest): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${bigJson(params)}}`
}
