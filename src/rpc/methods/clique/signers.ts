import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import { findHeader } from '../../../api/lookup.ts'
import { noSuchBlock, type SignerMetricsDeps, signerMetrics } from '../../../api/signerMetrics.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { ConsensusSchedule } from '../../../chain/engine.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { address, hash32 } from '../../codecs/scalars.ts'
import { signerMetric } from '../../codecs/signerMetrics.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { BLOCK_HASH, METRICS_FROM, METRICS_TO } from '../support/parameterTexts.ts'
import { type CliqueBackend, cliqueOf } from './backend.ts'

interface Backend extends CliqueBackend {
  readonly chain: ChainReader
}

type MetricsBackend = Backend & Pick<SignerMetricsDeps, 'yieldToHost'> & { readonly consensus: ConsensusSchedule }

export const getSigners: MethodDefinition<Backend> = defineMethod({
  name: 'clique_getSigners',
  group: 'CLIQUE',
  answeredBy: 'any',
  summary: 'Accounts that may sign the block after a canonical one, in ascending order.',
  params: [
    optional('block', blockNumberOrTag, 'Block number or tag: the signers of the block after it. Absent: the head.'),
  ],
  result: result('signers', arrayOf(address)),
  errors: ['NO_SUCH_BLOCK'],
  handler: (backend: Backend, [block]) => {
    const header = block === undefined ? backend.chain.head : headerOf(backend.chain, block)
    if (header === undefined) throw noSuchBlock('the block')
    return cliqueOf(backend).signersAfter(header)
  },
})

export const getSignersAtHash: MethodDefinition<Backend> = defineMethod({
  name: 'clique_getSignersAtHash',
  group: 'CLIQUE',
  answeredBy: 'any',
  summary: 'Accounts that may sign the block after the one with this hash, in ascending order.',
  params: [param('hash', hash32, BLOCK_HASH)],
  result: result('signers', arrayOf(address)),
  errors: ['NO_SUCH_BLOCK'],
  handler: (backend: Backend, [hash]) => {
    const header = backend.chain.headerByHash(hash)
    if (header === undefined) throw noSuchBlock('the block')
    return cliqueOf(backend).signersAfter(header)
  },
})

export const getSignerMetrics: MethodDefinition<MetricsBackend> = defineMethod({
  name: 'clique_getSignerMetrics',
  group: 'CLIQUE',
  answeredBy: 'any',
  summary: 'Number of blocks that each signer made from one block (default: 100 below the head) to before another.',
  params: [optional('from', blockNumberOrTag, METRICS_FROM), optional('to', blockNumberOrTag, METRICS_TO)],
  result: result('metrics', arrayOf(signerMetric)),
  errors: ['NO_SUCH_BLOCK', 'TIMEOUT'],
  handler: (backend: MetricsBackend, [from, to], context) => {
    const { signersAfter } = cliqueOf(backend)
    const { chain, consensus, yieldToHost } = backend
    const authorOf = ({ header }: ChainHeader): Uint8Array => consensus.claimedBy(header).author(header)
    return signerMetrics({ chain, yieldToHost, authorOf, signersAfter }, from, to, context)
  },
})

/** Every block of Clique may be replaced, so `safe` and `finalized` name the head until fork choice has set them. */
function headerOf(chain: ChainReader, block: BlockNumberOrTag): ChainHeader | undefined {
  if (block.kind === 'tag' && (block.tag === 'safe' || block.tag === 'finalized'))
    return (block.tag === 'safe' ? chain.safe : chain.finalized) ?? chain.head
  return findHeader(chain, block)
}
