import type { SignerMetric } from '../../api/signerMetrics.ts'
import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import type { Codec } from '../method.ts'
import { ADDRESS, UINT } from './schemas.ts'
import { answerCodec } from './support.ts'

export const signerMetric: Codec<SignerMetric> = answerCodec(
  {
    title: 'SignerMetric',
    type: 'object',
    required: ['address', 'proposedBlockCount', 'lastProposedBlockNumber'],
    properties: { address: ADDRESS, proposedBlockCount: UINT, lastProposedBlockNumber: UINT },
  },
  ({ address, proposedBlockCount, lastProposedBlockNumber }) => ({
    address: bytesToHex(address),
    proposedBlockCount: quantity(proposedBlockCount),
    lastProposedBlockNumber: quantity(lastProposedBlockNumber),
  }),
)
