/**
 * Status and BlockRangeUpdate.
 * @see EIP-2364, EIP-7642
 * @module
 */
import { bigIntToBytes } from '../../../base/primitives/bytes.ts'
import { type RlpItem, rlpEncode } from '../../../base/primitives/rlp.ts'
import type { WireReader } from '../../../types/wireReader.ts'
import type { ForkId } from '../forkId.ts'
import type { BodyCodec } from './bodyCodec.ts'
import type { BlockRange } from './messages.ts'

const HASH_BYTES = 32
const FORK_HASH_BYTES = 4
const DIFFICULTY_BYTES = 32

/**
 * - up to eth/68: [version, networkId, totalDifficulty, bestHash, genesisHash, forkId since eth/64]
 * - eth/69: [version, networkId, genesisHash, forkId, earliest, latest, latestHash]
 */
export const statusCodec: BodyCodec<'status'> = {
  encode({ version: number, networkId, genesisHash, forkId, best, range }, version) {
    const head = [bigIntToBytes(BigInt(number)), bigIntToBytes(networkId)]
    const fork = version.hasForkId ? [forkIdFields(forkId)] : []
    if (version.hasBlockRange) {
      if (range === undefined) throw new TypeError('range: eth/69 needs it')
      return rlpEncode([...head, genesisHash, ...fork, ...rangeFields(range)])
    }
    if (best === undefined) throw new TypeError('best: versions before eth/69 need it')
    return rlpEncode([...head, bigIntToBytes(best.totalDifficulty), best.hash, genesisHash, ...fork])
  },
  decode(fields, version) {
    const head = { version: Number(fields.scalar('version', 4)), networkId: fields.scalar('networkId', 32) }
    if (version.hasBlockRange) {
      const genesisHash = fields.fixed('genesisHash', HASH_BYTES)
      const forkId = readForkId(fields)
      return { ...head, genesisHash, forkId, best: undefined, range: readRange(fields) }
    }
    const totalDifficulty = fields.scalar('totalDifficulty', DIFFICULTY_BYTES)
    const best = { totalDifficulty, hash: fields.fixed('bestHash', HASH_BYTES) }
    const genesisHash = fields.fixed('genesisHash', HASH_BYTES)
    const forkId = version.hasForkId ? readForkId(fields) : undefined
    return { ...head, genesisHash, forkId, best, range: undefined }
  },
}

export const blockRangeCodec: BodyCodec<'blockRangeUpdate'> = {
  encode: (message) => rlpEncode(rangeFields(message)),
  decode: readRange,
}

function forkIdFields(forkId: ForkId | undefined): RlpItem[] {
  if (forkId === undefined) throw new TypeError('forkId: versions since eth/64 need it')
  return [forkId.hash, bigIntToBytes(forkId.next)]
}

function rangeFields({ earliest, latest, latestHash }: BlockRange): RlpItem[] {
  return [bigIntToBytes(earliest), bigIntToBytes(latest), latestHash]
}

function readRange(fields: WireReader): BlockRange {
  const range = {
    earliest: fields.scalar('earliest'),
    latest: fields.scalar('latest'),
    latestHash: fields.fixed('latestHash', HASH_BYTES),
  }
  if (range.earliest > range.latest) throw fields.invalid('the range of blocks is reversed')
  return range
}

function readForkId(fields: WireReader): ForkId {
  const items = fields.list('forkId')
  const forkId = { hash: items.fixed('forkHash', FORK_HASH_BYTES), next: items.scalar('forkNext') }
  items.end()
  return forkId
}
