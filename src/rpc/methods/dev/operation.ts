/**
 * One operation under the names of several tools.
 *
 * anvil answers null, and its Rust clients accept nothing else; hardhat and ganache answer true. So an operation
 * becomes up to two methods, one per answer.
 * @module
 */

import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { nextBaseFeeOf } from '../../../chain/nextBlock.ts'
import type { DevChain } from '../../../dev/contract.ts'
import {
  defineMethod,
  type MethodDefinition,
  type Param,
  type ParamValues,
  type RequestContext,
  result,
} from '../../method.ts'
import { done, nothing } from './codecs.ts'

/** `dev` is defined whenever these methods are served. */
export interface DevBackend {
  readonly dev: DevChain | undefined
}

/** @throws {NodeError} METHOD_NOT_ENABLED on any other chain */
export function devChain({ dev }: DevBackend): DevChain {
  if (dev === undefined)
    throw new NodeError({ code: 'METHOD_NOT_ENABLED' }, 'this method is only available on the dev chain')
  return dev
}

/** Base fee of the next block in wei, including one that was set by a request. */
export function nextBaseFee(backend: DevBackend & { readonly chain: ChainReader }): bigint {
  const { config, head } = backend.chain
  return backend.dev?.block.baseFee ?? nextBaseFeeOf(config, head.header) ?? 0n
}

interface Operation<P extends readonly unknown[]> {
  /** Names that answer null. */
  readonly answersNull?: readonly string[]
  /** Names that answer true. */
  readonly answersTrue?: readonly string[]
  readonly summary: string
  readonly params: P
  readonly errors?: readonly string[]
  run(dev: DevChain, params: ParamValues<P>, context: RequestContext): void | Promise<void>
}

export function operation<const P extends readonly Param<never>[] | readonly Param[]>(
  definition: Operation<P>,
): MethodDefinition<DevBackend>[] {
  const { answersNull = [], answersTrue = [], summary, params, errors = [] } = definition
  return [
    { names: answersNull, codec: nothing },
    { names: answersTrue, codec: done },
  ].flatMap(({ names: [name, ...aliases], codec }) => {
    if (name === undefined) return []
    return defineMethod({
      name,
      aliases,
      group: 'DEV',
      summary,
      params,
      result: result('done', codec),
      errors,
      handler: (backend: DevBackend, values: ParamValues<P>, context) =>
        definition.run(devChain(backend), values, context),
    })
  })
}
