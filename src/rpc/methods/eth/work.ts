import { NodeError } from '../../../base/primitives/errors.ts'
import type { RemoteSealing, SealingWork } from '../../../sealing/contract.ts'
import { parseHashrate, parseShare } from '../../../sealing/minerInput.ts'
import { boolean, hash32, string, uint } from '../../codecs/scalars.ts'
import { answerCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'

interface Backend {
  readonly remote: RemoteSealing | undefined
}

const work: Codec<SealingWork> = answerCodec(
  {
    title: 'Work',
    type: 'array',
    description: 'Hash of the header without its seal, seed of the epoch, target, block number.',
    minItems: 4,
    maxItems: 4,
    items: { oneOf: [hash32.schema, uint.schema] },
  },
  ({ powHash, seedHash, target, number }) => [
    ...[powHash, seedHash, target].map(hash32.serialize),
    uint.serialize(number),
  ],
)

function requireRemote({ remote }: Backend): RemoteSealing {
  if (remote !== undefined) return remote
  throw new NodeError({ code: 'NO_MINING_WORK_FOUND' }, 'the chain does not use proof of work')
}

/** Recorded answer to malformed hex. */
function malformed(what: string): NodeError {
  return new NodeError({ code: 'MALFORMED_MINER_INPUT' }, `malformed ${what}`)
}

export const getWork: MethodDefinition<Backend> = defineMethod({
  name: 'eth_getWork',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'The block that is mined at the moment, for miners outside the node (proof of work).',
  params: [],
  result: result('work', work),
  errors: ['NO_MINING_WORK_FOUND'],
  handler: (backend: Backend) => requireRemote(backend).work(),
})

export const submitWork: MethodDefinition<Backend> = defineMethod({
  name: 'eth_submitWork',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Submits a nonce for work of eth_getWork; true when it seals a block, which is then stored.',
  params: [
    param('nonce', string, '8 bytes in hex.'),
    param('powHash', string, 'First item of the work.'),
    param('digest', string, 'Mix hash, 32 bytes. It is computed again and not compared.'),
  ],
  result: result('success', boolean),
  errors: ['NO_MINING_WORK_FOUND', 'MALFORMED_MINER_INPUT'],
  handler: (backend: Backend, [nonce, powHash, digest]) => {
    const share = parseShare(nonce, powHash)
    if (share === undefined || parseShare(nonce, digest) === undefined) throw malformed('nonce, pow hash or digest')
    return requireRemote(backend).submit(share.powHash, share.nonce) === 'accepted'
  },
})

export const submitHashrate: MethodDefinition<Backend> = defineMethod({
  name: 'eth_submitHashrate',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Reports the hash rate of a miner outside the node; false for a rate of 0, which is not stored.',
  params: [
    param('hashrate', string, 'Hashes per second, in hex with an even number of digits.'),
    param('id', string, 'Identifies the miner, up to 32 bytes.'),
  ],
  result: result('success', boolean),
  errors: ['MALFORMED_MINER_INPUT'],
  handler: ({ remote }: Backend, [rate, id]) => {
    const report = parseHashrate(rate, id)
    if (report === undefined) throw malformed('hash rate or id')
    return remote?.reportHashrate(report.id, report.rate) ?? false
  },
})
