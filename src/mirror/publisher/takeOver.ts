/**
 * The state of the store that a publisher finds at its start.
 * @module
 */
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { mirrorBehind, mirrorDamaged, mirrorOfOtherChain, mirrorUnsigned } from '../errors.ts'
import { encodeIdentity } from '../format/identity.ts'
import type { SignedManifest } from '../format/manifest.ts'
import { IDENTITY_NAME, manifestName } from '../format/names.ts'
import { type KnownIdentity, MirrorObjects } from '../mirrorObjects.ts'
import { blockText, hasBlock, readChainFacts, readChainIdentity } from './chainFacts.ts'
import type { DatabaseState, PublisherParts } from './contract.ts'
import type { PublishedPosition } from './journal.ts'
import { type MirrorContent, readContent } from './mirrorContent.ts'

type Place = Pick<PublisherParts, 'objects' | 'signer'>

/** The newest manifest that is known, with what it leads to. */
export interface Tip {
  readonly manifest: SignedManifest
  readonly content: MirrorContent
}

/** A creation of another publisher came first. */
export class LostRace extends Error {}

/**
 * Begins a mirror, or checks that it is of this chain and this key.
 * @throws {NodeError} MIRROR_OF_OTHER_CHAIN, MIRROR_UNSIGNED, MIRROR_FORMAT, MIRROR_DAMAGED, MIRROR_UNAVAILABLE
 */
export async function openIdentity({ objects, signer }: Place, state: DatabaseState): Promise<KnownIdentity> {
  const identity = { ...readChainIdentity(state), publisher: signer.address }
  const isNew = (await objects.get(IDENTITY_NAME, 0, 1)) === undefined
  if (isNew) await objects.create(IDENTITY_NAME, encodeIdentity(identity))
  const found = await new MirrorObjects(objects).identity(undefined)
  const { chainId, genesisHash, publisher } = found
  if (chainId !== identity.chainId || !equalBytes(genesisHash, identity.genesisHash)) {
    throw mirrorOfOtherChain(
      `it has chain id ${chainId} and genesis block ${bytesToHex(genesisHash)}, ` +
        `the database chain id ${identity.chainId} and genesis block ${bytesToHex(identity.genesisHash)}`,
    )
  }
  if (!equalBytes(publisher, signer.address)) {
    throw mirrorUnsigned(
      IDENTITY_NAME,
      `it names the publisher ${bytesToHex(publisher)}, the mirror key is of ${bytesToHex(signer.address)}`,
    )
  }
  return found
}

/** @throws {NodeError} MIRROR_UNSIGNED, MIRROR_FORMAT, MIRROR_DAMAGED, MIRROR_UNAVAILABLE */
export async function readTip(mirror: MirrorObjects, identity: KnownIdentity): Promise<Tip | undefined> {
  const number = await mirror.lastListed()
  if (number === undefined) return undefined
  const manifest = await mirror.manifest(number, identity)
  if (manifest === undefined) throw new LostRace()
  return { manifest, content: await readContent(mirror, manifest) }
}

/** Whether everything in the mirror is from this database. */
export function isContinuation(
  position: PublishedPosition | undefined,
  { number, hash, epoch }: SignedManifest,
): boolean {
  if (position === undefined || number < position.manifest) return false
  if (number === position.manifest) return equalBytes(hash, position.hash)
  return epoch === position.epoch || epoch === position.claim
}

/** @throws {NodeError} MIRROR_BEHIND, MIRROR_DAMAGED */
export function requireNotBehind(
  state: DatabaseState,
  position: PublishedPosition | undefined,
  manifest: SignedManifest | undefined,
  continues: boolean,
): void {
  if (manifest === undefined || (continues && manifest.number === position?.manifest)) return
  const own = readChainFacts(state)
  const isOlder = continues && own.stateVersion < manifest.stateVersion
  if (isOlder || !hasBlock(state, manifest.head)) {
    throw mirrorBehind(
      `the database is behind its mirror: it ends at ${blockText(own.head)}, manifest ${manifest.number} at ` +
        `${blockText(manifest.head)}. "isonode mirror push --rewind" takes the mirror back`,
    )
  }
  if (position !== undefined && manifest.number < position.manifest) {
    throw mirrorDamaged(
      manifestName(position.manifest),
      'it was published, but the mirror ends before it. "isonode mirror push --rewind" publishes everything again',
    )
  }
}
