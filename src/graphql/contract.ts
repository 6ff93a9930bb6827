/**
 * The service that answers GraphQL requests, as the HTTP interface sees it.
 * @module
 */
import type { AbortSignal } from '../base/ports/webTypes.ts'

/** The parameters of a request. */
export interface GraphqlInput {
  readonly query: string
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>> | undefined
  /** Whether mutations are refused, because any page can cause the request; default: false. */
  readonly isSafe?: boolean
}

export interface GraphqlReply {
  readonly status: number
  /** JSON text. */
  readonly body: string
  /** Message of the first error in the body. */
  readonly problem?: string | undefined
}

/** Whether the caller may execute operations of a kind. */
export type GraphqlPermission = (operation: 'query' | 'mutation') => boolean

export interface GraphqlAnswers {
  /**
   * @param signal ends the execution
   * @param permits default: every operation
   * @returns never rejects; 401 without execution for an operation that is not permitted
   */
  answer(input: GraphqlInput, signal?: AbortSignal, permits?: GraphqlPermission): Promise<GraphqlReply>
}

/** With the number and text of JSON-RPC. */
export const UNAUTHORIZED: GraphqlReply = {
  status: 401,
  body: '{"errors":[{"message":"Unauthorized","extensions":{"errorCode":-40100,"errorMessage":"Unauthorized"}}]}',
  problem: 'Unauthorized',
}
