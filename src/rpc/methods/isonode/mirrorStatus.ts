import type { MirrorBackend, MirrorStatus } from '../../../api/mirrorAccess.ts'
import { bytesToHex, quantity } from '../../../base/primitives/bytes.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, result } from '../../method.ts'

const MS_PER_SECOND = 1000

const COUNTS = ['segments', 'failures'] as const
const READER_COUNTS = ['reads', 'readBytes', 'hits', 'misses'] as const
const PUBLISHER_COUNTS = ['writes', 'writtenBytes', 'merges'] as const

const mirrorState = nullable(
  answerCodec<MirrorStatus>(
    {
      title: 'MirrorStatus',
      type: 'object',
      required: ['role', 'manifest', 'epoch', 'publisher', 'blockNumber', 'blockHash', 'publishedAt', 'lag', ...COUNTS],
    },
    (status) => ({
      role: status.role,
      manifest: status.manifest,
      epoch: status.epoch,
      publisher: bytesToHex(status.publisher),
      blockNumber: quantity(status.head.number),
      blockHash: bytesToHex(status.head.hash),
      publishedAt: status.publishedAtMs / MS_PER_SECOND,
      lag: status.lagMs / MS_PER_SECOND,
      ...(status.role === 'reader'
        ? { isStale: status.isStale, ...picked(status, READER_COUNTS) }
        : { isPublishing: status.isPublishing, ...picked(status, PUBLISHER_COUNTS) }),
      ...picked(status, COUNTS),
      lastFailure: status.lastFailure ?? null,
    }),
  ),
)

function picked<T, K extends keyof T>(status: T, names: readonly K[]): Record<string, T[K]> {
  return Object.fromEntries(names.map((name) => [name, status[name]]))
}

export const mirrorStatus: MethodDefinition<MirrorBackend> = defineMethod({
  name: 'isonode_mirrorStatus',
  group: 'ISONODE',
  summary:
    'The mirror that the node answers from, or that it publishes: number of the manifest that new requests use or that was ' +
    'published last, its publisher, epoch, head and time (seconds since 1970), its age in seconds, its segments, and why the last ' +
    'look for a newer manifest or the last publication failed. A reader (`role`) also counts reads of the store and of its caches, ' +
    'a publisher what it wrote and merged. null without a mirror, and before the first publication.',
  params: [],
  result: result('status', mirrorState),
  handler: ({ mirror }: MirrorBackend) => mirror?.status,
})
