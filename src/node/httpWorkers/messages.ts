/**
 * Messages between the process that writes a chain and the processes that answer its clients. Each survives a structured
 * clone.
 * @module
 */
import type { CountedCall } from '../../api/mirrorAccess.ts'
import type { GraphqlInput, GraphqlReply } from '../../graphql/contract.ts'
import type { LoginReply } from '../../http/access/contract.ts'
import type { Claims } from '../../rpc/connection/principal.ts'
import type { Reply } from '../../rpc/reply.ts'
import type { RpcRequest } from '../../rpc/simpleRequest.ts'

/** A JSON-RPC request. Its sender has authorized it. */
export interface CallMessage {
  readonly kind: 'call'
  readonly request: RpcRequest
  readonly claims: Claims | undefined
  /** Number of the connection for notifications. */
  readonly subscriber: number | undefined
}

/** A GraphQL request. */
export interface GraphqlMessage {
  readonly kind: 'graphql'
  readonly input: GraphqlInput
  /** Operations that the caller may execute. */
  readonly permits: { readonly query: boolean; readonly mutation: boolean }
}

/** `POST /login`. */
export interface LoginMessage {
  readonly kind: 'login'
  readonly endpoint: 'http' | 'webSocket'
  readonly body: string
  readonly client: string
}

export type AskMessage = CallMessage | GraphqlMessage | LoginMessage

/** Answers by the kind of their request. */
export interface Answers {
  readonly call: Pick<Reply, 'status' | 'body' | 'error'>
  readonly graphql: GraphqlReply
  readonly login: LoginReply
}

export type LinkMessage =
  | (AskMessage & { readonly id: number })
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answers[keyof Answers] }
  /** The answer is no longer awaited. */
  | { readonly kind: 'abort'; readonly id: number }
  /** A notification of a forwarded subscription. */
  | { readonly kind: 'notify'; readonly subscriber: number; readonly text: string }
  /** Calls that the process has answered since its last report. */
  | { readonly kind: 'called'; readonly calls: readonly CountedCall[] }
  /** A connection with forwarded subscriptions has ended. */
  | { readonly kind: 'gone'; readonly subscriber: number }
