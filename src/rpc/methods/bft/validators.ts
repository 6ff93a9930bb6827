import { findHeader } from '../../../api/lookup.ts'
import { type SignerMetricsDeps, signerMetrics } from '../../../api/signerMetrics.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { address, hash32 } from '../../codecs/scalars.ts'
import { signerMetric } from '../../codecs/signerMetrics.ts'
import { arrayOf, nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { BLOCK, BLOCK_HASH, METRICS_FROM, METRICS_TO } from '../support/parameterTexts.ts'
import { type BftBackend, type BftMethods, bftOf, isAtHead } from './backend.ts'

type MetricsBackend = BftBackend & Pick<SignerMetricsDeps, 'yieldToHost'>

const LISTED =
  'null when the block is unknown. With a validator contract, the validators that it lists after the block.'

export function validatorMethods(methods: BftMethods): MethodDefinition<MetricsBackend>[] {
  const { prefix, group } = methods
  const isServed = (backend: BftBackend): boolean => isAtHead(backend, methods)
  return [
    defineMethod({
      name: `${prefix}_getValidatorsByBlockNumber`,
      group,
      answeredBy: 'any',
      isServed,
      summary: `Validators of a canonical block; ${LISTED}`,
      params: [param('block', blockNumberOrTag, BLOCK)],
      result: result('validators', nullable(arrayOf(address))),
      errors: ['METHOD_NOT_ENABLED', 'UNKNOWN_BLOCK', 'VALIDATORS_UNKNOWN'],
      handler: (backend: BftBackend, [block]) => {
        const header = findHeader(backend.chain, block)
        return header && bftOf(backend).validators.listedBy(header)
      },
    }),
    defineMethod({
      name: `${prefix}_getValidatorsByBlockHash`,
      group,
      answeredBy: 'any',
      isServed,
      summary: `Validators of the block with this hash; ${LISTED}`,
      params: [param('hash', hash32, BLOCK_HASH)],
      result: result('validators', nullable(arrayOf(address))),
      errors: ['METHOD_NOT_ENABLED', 'VALIDATORS_UNKNOWN'],
      handler: (backend: BftBackend, [hash]) => {
        const header = backend.chain.headerByHash(hash)
        return header && bftOf(backend).validators.listedBy(header)
      },
    }),
    defineMethod({
      name: `${prefix}_getSignerMetrics`,
      group,
      answeredBy: 'any',
      isServed,
      summary:
        'Number of blocks that each validator made from one block (default: 100 below the head) to before another.',
      params: [optional('from', blockNumberOrTag, METRICS_FROM), optional('to', blockNumberOrTag, METRICS_TO)],
      result: result('metrics', arrayOf(signerMetric)),
      errors: ['METHOD_NOT_ENABLED', 'NO_SUCH_BLOCK', 'VALIDATORS_UNKNOWN', 'TIMEOUT'],
      handler: ({ chain, bft, yieldToHost }: MetricsBackend, [from, to], context) => {
        const { validators } = bftOf({ chain, bft })
        const deps: SignerMetricsDeps = {
          chain,
          yieldToHost,
          authorOf: (block) => validators.proposerOf(block),
          signersAfter: (block) => validators.after(block),
        }
        return signerMetrics(deps, from, to, context)
      },
    }),
  ]
}
