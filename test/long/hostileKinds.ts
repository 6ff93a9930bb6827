/** The kinds of hostile peers, each as one session that is repeated. */
import { setTimeout as delay } from 'node:timers/promises'
import { concatBytes, EMPTY_BYTES } from '../../src/base/primitives/bytes.ts'
import { rlpEncode, rlpListOfEncoded, rlpSpan } from '../../src/base/primitives/rlp.ts'
import { decodeExtraData, encodeExtraData } from '../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../src/consensus/bft/flavour.ts'
import { signCliqueHeader } from '../../src/consensus/clique/seal.ts'
import { BFT_CAPABILITIES } from '../../src/net/protocols/bftWire.ts'
import { decodeEthMessage, encodeEthMessage } from '../../src/net/protocols/eth/codec.ts'
import type { EthMessage } from '../../src/net/protocols/eth/messages.ts'
import { type EthVersion, ethVersion } from '../../src/net/protocols/eth/versions.ts'
import { encodeSnapMessage } from '../../src/net/protocols/snap/codec.ts'
import type { Header } from '../../src/types/block.ts'
import { encodeHeader } from '../../src/types/headerCodec.ts'
import { openSocket, type SocketPeer } from '../support/peers/socketPeer.ts'
import { byzantine, claimEverything, forgeVotes } from './hostileAgreement.ts'
import type { Crowd } from './hostileCrowd.ts'

export interface HostileKind {
  readonly name: string
  suits(crowd: Crowd): boolean
  run(crowd: Crowd): Promise<void>
}

const ETH68 = ethVersion(68) as EthVersion
const [HEADERS, BODIES] = [4, 6]
const SEAL_BYTES = 65
const MANY_SEALS = 150_000
const EMPTY_LIST = Uint8Array.of(0xc0)
const TEN_MIB = 10 * 1_048_576

const always = (): boolean => true
export const isBft = ({ options: { consensus } }: Crowd): boolean => consensus === 'ibft2' || consensus === 'qbft'

function say(peer: SocketPeer, message: EthMessage): boolean {
  const { code, payload } = encodeEthMessage(ETH68, message)
  return peer.send('eth', code, payload)
}

/** One session of a peer that is admitted. */
function session(
  name: string,
  run: (crowd: Crowd, peer: SocketPeer) => Promise<void> | void,
  lingerMs = 1000,
): HostileKind {
  return {
    name,
    suits: always,
    async run(crowd) {
      const peer = await crowd.connect()
      if (peer === undefined) return
      await run(crowd, peer)
      await crowd.linger(peer, lingerMs)
      peer.close()
    },
  }
}

/** Sends until the node ends the connection, a message in each interval. */
async function keepSending(crowd: Crowd, peer: SocketPeer, everyMs: number, send: () => void): Promise<void> {
  for (let i = 0; i < 200 && !peer.isClosed && !crowd.isOver; i++) {
    send()
    await delay(everyMs)
  }
}

const bombs = (capability: string): HostileKind => ({
  ...session(`bomb of ${capability}`, (crowd, peer) => {
    const own = crowd.bombs.filter((bomb) => bomb.capability === capability)
    const bomb = own[crowd.random.below(own.length)]
    if (bomb !== undefined) peer.sendCompressed(capability, bomb.code, bomb.payload)
  }),
  suits: ({ bombs: all }) => all.some((bomb) => bomb.capability === capability),
})

/** A message of the crowd's chain with other content. */
function changedHead({ head }: Crowd, change: (header: Header) => Header, rest?: Uint8Array): EthMessage | undefined {
  if (head === undefined) return undefined
  const header = change(head.header.header)
  const encoding = encodeHeader(header)
  const body = rest ?? head.block.subarray(rlpSpan(head.block, rlpSpan(head.block, 0).payload).end)
  const block = rlpListOfEncoded([encoding, body])
  return { kind: 'newBlock', block, header: { header, encoding }, totalDifficulty: head.totalDifficulty + 10n }
}

function manySeals(crowd: Crowd): EthMessage | undefined {
  return changedHead(crowd, (header) => {
    const number = header.number + 1n
    if (!isBft(crowd))
      return { ...header, number, extraData: concatBytes(header.extraData, new Uint8Array(TEN_MIB / 2)) }
    const flavour = crowd.options.consensus === 'ibft2' ? IBFT2 : QBFT
    const seals = new Array(MANY_SEALS).fill(crowd.random.bytes(SEAL_BYTES))
    const extra = { ...decodeExtraData(header.extraData, flavour), seals }
    return { ...header, number, extraData: encodeExtraData(extra, flavour) }
  })
}

const BODIES_OF_LIARS: readonly ((crowd: Crowd) => Uint8Array)[] = [
  () => concatBytes(EMPTY_LIST, EMPTY_LIST),
  ({ head }) => concatBytes(EMPTY_LIST, rlpListOfEncoded([head?.header.encoding ?? EMPTY_LIST])),
  () => concatBytes(rlpEncode(new Array(100_000).fill(Uint8Array.of(1))), EMPTY_LIST),
  () => concatBytes(rlpEncode(new Array(1000).fill(new Uint8Array(5000))), EMPTY_LIST),
]

/** A seal of the hostile signer, if it is one; otherwise any bytes. */
function resealed(crowd: Crowd, header: Header): Header {
  const { signer, options } = crowd
  if (options.consensus === 'pow') return { ...header, nonce: crowd.random.bytes(8), mixHash: crowd.random.bytes(32) }
  if (signer === undefined || options.consensus !== 'clique') return header
  const unsealed = header.extraData.subarray(0, header.extraData.length - SEAL_BYTES)
  const draft = { ...header, extraData: concatBytes(unsealed, new Uint8Array(SEAL_BYTES)) }
  return { ...draft, extraData: concatBytes(unsealed, signCliqueHeader(draft, signer)) }
}

/** Blocks that no honest node would have sealed, on the head and beside it. */
function falseBlock(crowd: Crowd): EthMessage | undefined {
  const { random } = crowd
  const changes: readonly ((header: Header) => Partial<Header>)[] = [
    () => ({ stateRoot: random.bytes(32) }),
    ({ number }) => ({ number: number + 1n, parentHash: random.bytes(32) }),
    ({ number, timestamp }) => ({ number: number + 1n, timestamp: timestamp + 1n, parentHash: crowd.headHash() }),
    ({ difficulty }) => ({ difficulty: difficulty === 1n ? 2n : difficulty + 1n }),
    ({ timestamp }) => ({ timestamp: timestamp + 100_000n }),
    ({ gasLimit }) => ({ gasLimit: gasLimit * 2n }),
  ]
  const change = changes[random.below(changes.length)] as (typeof changes)[number]
  return changedHead(crowd, (header) => resealed(crowd, { ...header, ...change(header) }))
}

const block = (name: string, make: (crowd: Crowd) => EthMessage | undefined, everyMs: number): HostileKind =>
  session(name, (crowd, peer) =>
    keepSending(crowd, peer, everyMs, () => {
      const message = make(crowd)
      if (message !== undefined) say(peer, message)
    }),
  )

/** Claims a far head, and gives the next real header only when it exists. */
const drip = session('drip', async (crowd, peer) => {
  crowd.listen(peer, (capability, code, payload) => {
    if (capability !== 'eth' || code !== 3) return
    const request = decodeEthMessage(ETH68, { code, payload })
    if (request.kind !== 'getBlockHeaders') return
    const start = typeof request.start === 'bigint' ? Number(request.start) : crowd.height
    const answer = async (): Promise<void> => {
      for (let i = 0; i < 200 && !crowd.headers.has(start) && start <= crowd.height + 10; i++) await delay(20)
      const encoded = crowd.headers.get(start)
      const headers = encoded === undefined ? EMPTY_LIST : rlpListOfEncoded([encoded])
      peer.send('eth', HEADERS as number, rlpListOfEncoded([rlpEncode(idOf(request.requestId)), headers]))
    }
    void answer()
  })
  await keepSending(crowd, peer, 500, () => {
    const number = BigInt(crowd.height + 100 + crowd.random.below(50))
    say(peer, { kind: 'newBlockHashes', blocks: [{ hash: crowd.random.bytes(32), number }] })
  })
})

function idOf(id: bigint | undefined): Uint8Array {
  const hex = (id ?? 0n).toString(16)
  return id === 0n ? EMPTY_BYTES : new Uint8Array(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'))
}

/** Answers each question with something else. */
const liar = session('liar', async (crowd, peer) => {
  crowd.listen(peer, (capability, code, payload) => {
    if (capability !== 'eth' || (code !== 3 && code !== 5)) return
    const request = decodeEthMessage(ETH68, { code, payload }) as { readonly requestId: bigint | undefined }
    const known = [...crowd.headers.values()]
    const items =
      code === 3 ? known.slice(-crowd.random.below(20)) : [concatBytes(Uint8Array.of(0xc2), EMPTY_LIST, EMPTY_LIST)]
    const answer = rlpListOfEncoded([rlpEncode(idOf(request.requestId)), rlpListOfEncoded(items)])
    peer.send('eth', (code === 3 ? HEADERS : BODIES) as number, answer)
  })
  await keepSending(crowd, peer, 300, () => {
    const number = BigInt(crowd.height + 1 + crowd.random.below(3))
    say(peer, { kind: 'newBlockHashes', blocks: [{ hash: crowd.random.bytes(32), number }] })
  })
})

/** Asks for much and reads nothing. */
const neverReads = session('never reads', async (crowd, peer) => {
  peer.pause()
  let requestId = 0n
  await keepSending(crowd, peer, 25, () => {
    requestId++
    say(peer, { kind: 'getBlockHeaders', requestId, start: 0n, limit: 1024n, skip: 0n, isReverse: false })
    const path = crowd.random.chance(0.5) ? new Uint8Array(1_048_576) : new Uint8Array(32)
    const base = { requestId, root: crowd.random.bytes(32), maxBytes: 1_000_000n }
    const { code, payload } = encodeSnapMessage({ kind: 'getTrieNodes', ...base, paths: [[path]] })
    peer.send('snap', code, payload)
  })
})

const floods = session('flood of announcements', async (crowd, peer) => {
  const { random } = crowd
  await keepSending(crowd, peer, 100, () => {
    const hashes = Array.from({ length: 4096 }, () => random.bytes(32))
    const forms = { types: new Uint8Array(4096).fill(2), sizes: hashes.map(() => 120) }
    say(peer, { kind: 'newPooledTransactionHashes', hashes, forms })
  })
})

/** Messages of all codes with changed bytes. */
const mutations = session('mutations', async (crowd, peer) => {
  const { random, bombs: all, head } = crowd
  const valid = head === undefined ? EMPTY_LIST : encodeEthMessage(ETH68, head).payload
  for (let i = 0; i < 20 && !peer.isClosed; i++) {
    const { capability, code } = all[random.below(all.length)] as (typeof all)[number]
    const bytes = valid.slice(0, 1 + random.below(valid.length))
    for (let k = 0; k < 3; k++) bytes[random.below(bytes.length)] = random.below(256)
    if (random.chance(0.5)) peer.send(capability, code, bytes)
    else peer.sendCompressed(capability, code, bytes)
    crowd.count('mutated messages')
    await delay(5)
  }
})

/** Statuses of other chains, and what is none. */
const statuses: HostileKind = {
  name: 'false status',
  suits: always,
  async run(crowd) {
    const status = (own: Uint8Array): Uint8Array => {
      const changed = own.slice()
      changed[crowd.random.below(changed.length)] = crowd.random.below(256)
      return crowd.random.chance(0.2) ? new Uint8Array(60_000) : changed
    }
    const peer = await crowd.connect(crowd.nodes[0], { status })
    if (peer !== undefined) await crowd.linger(peer, 300)
    peer?.close()
  },
}

/** Whole handshakes without any other purpose. */
const reconnects: HostileKind = {
  name: 'reconnects',
  suits: always,
  async run(crowd) {
    for (let i = 0; i < 5 && !crowd.isOver; i++) {
      const peer = await crowd.connect(crowd.nodes[crowd.random.below(crowd.nodes.length)])
      peer?.close()
      await delay(50)
    }
  },
}

/** Bytes that are no handshake, single bytes, and silence. */
const junk: HostileKind = {
  name: 'junk handshakes',
  suits: always,
  async run(crowd) {
    const { random } = crowd
    const { host, port } = crowd.nodes[random.below(crowd.nodes.length)] as { host: string; port: number }
    const socket = await openSocket(host, port, crowd.nextHost())
    if (socket === undefined) return
    socket.resume()
    const kind = random.below(3)
    if (kind === 0) socket.write(random.bytes(1000))
    else if (kind === 1) {
      const bytes = concatBytes(Uint8Array.of(4), random.bytes(400))
      for (let at = 0; at < bytes.length && !socket.destroyed; at++) {
        socket.write(bytes.subarray(at, at + 1))
        await delay(5)
      }
    }
    await delay(kind === 2 ? 3000 : 300)
    socket.destroy()
  },
}

/** The beginning of a long frame, then bytes that have no MAC. */
const trickle = session('trickle', async (crowd, peer) => {
  await keepSending(crowd, peer, 50, () => peer.write(crowd.random.bytes(32)))
})

const forgers: readonly HostileKind[] = [
  {
    ...session('forged votes', (crowd, peer) => keepSending(crowd, peer, 50, () => forgeVotes(crowd, peer))),
    suits: isBft,
  },
  {
    ...session('false claims', (crowd, peer) => keepSending(crowd, peer, 200, () => claimEverything(crowd, peer))),
    suits: isBft,
  },
]

export const HOSTILE_KINDS: readonly HostileKind[] = [
  // Rare kinds come first: there may be fewer connections than kinds.
  { name: 'Byzantine validator', suits: (crowd) => isBft(crowd) && crowd.signer !== undefined, run: byzantine },
  ...forgers,
  bombs('eth'),
  bombs('snap'),
  bombs(BFT_CAPABILITIES.ibft2.name),
  bombs(BFT_CAPABILITIES.qbft.name),
  block('many seals', manySeals, 500),
  block(
    'bodies of others',
    (crowd) => {
      const body = BODIES_OF_LIARS[crowd.random.below(BODIES_OF_LIARS.length)] as (typeof BODIES_OF_LIARS)[number]
      return changedHead(crowd, (header) => header, body(crowd))
    },
    100,
  ),
  block('false blocks', falseBlock, 50),
  drip,
  liar,
  neverReads,
  floods,
  mutations,
  statuses,
  reconnects,
  junk,
  trickle,
]
