/**
 * The service that answers GraphQL requests, as the HTTP interface sees it.
 * @module
 */
import type { AbortSignal } from '../ports/webTypes.ts'

/** The parameters of a request. */
export interface GraphqlInput {
  readonly query: string
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>> | undefined
}

export interface GraphqlReply {
  readonly status: number
  /** JSON text. */
  readonly body: string
}

export interface GraphqlAnswers {
  /**
   * @param signal ends the execution
   * @returns never rejects
   */
  answer(input: GraphqlInput, signal?: AbortSignal): Promise<GraphqlReply>
}
