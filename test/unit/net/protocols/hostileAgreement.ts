/** The receiver of consensus messages: the inbox of a validator and the state machine behind it. */
import type { Hex } from 'viem'
import { MAX_BFT_MESSAGE_BYTES, MAX_BRIEF_MESSAGE_BYTES } from '../../../../src/base/limits/limits.ts'
import { KeySigner } from '../../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../../src/base/primitives/keccak.ts'
import { bodyRoots } from '../../../../src/chain/validation/bodyRules.ts'
import { encodeExtraData, initialExtraData } from '../../../../src/consensus/bft/extraData.ts'
import type { HeightPlan } from '../../../../src/consensus/bft/machine/contract.ts'
import { initialState, step } from '../../../../src/consensus/bft/machine/machine.ts'
import type { BftProtocol } from '../../../../src/consensus/bft/messages/packets.ts'
import type { Message, PreparedClaim } from '../../../../src/consensus/bft/messages/payloads.ts'
import { quorumOf } from '../../../../src/consensus/bft/quorum.ts'
import { BFT_DIGEST } from '../../../../src/consensus/bft/rules.ts'
import { hasBlock } from '../../../../src/net/protocols/bftWire.ts'
import type { ChainBlock } from '../../../../src/sealing/bft/chainBlocks.ts'
import { BftInbox } from '../../../../src/sealing/bft/inbox.ts'
import { agreementContext, PROTOCOLS, type Protocol, packetOf } from '../../../../src/sealing/bft/protocols.ts'
import type { Header } from '../../../../src/types/block.ts'
import { encodeBlock, splitBlock } from '../../../../src/types/blockCodec.ts'
import { EMPTY_BLOOM } from '../../../../src/types/bloom.ts'
import { decodeTransaction } from '../../../../src/types/transactionCodec.ts'
import { ALICE, signed } from '../../../support/nodes/devChain.ts'
import type { Target } from './hostileTable.ts'

const HEIGHT = 7
const SIGNERS = [1, 2, 3, 4].map((byte) => new KeySigner(new Uint8Array(32).fill(byte)))
const VALIDATORS = SIGNERS.map(({ address }) => address)
const LIMITS = { messageQueueLimit: 1000, duplicateMessageLimit: 100, gossipedHistoryLimit: 1000 }
const MACHINE_LIMITS = { futureMessagesMaxDistance: 10, futureMessagesLimit: 1000, futureMessagesBytes: 33_554_432 }
const NETWORK = { refuse() {}, charge() {} }
const CLOCK = { monotonic: () => performance.now() }

const planOf = ({ rules }: Protocol): HeightPlan => ({
  height: HEIGHT,
  rules,
  validators: VALIDATORS,
  quorum: quorumOf(VALIDATORS.length),
  proposerOf: () => VALIDATORS[0] as Uint8Array,
  leastTimestamp: 2,
  dueMs: 2000,
  emptyDueMs: 2000,
  requestTimeoutMs: 1000,
})

/** A block with a few transactions, whose header names its body. @param data of each transaction */
export async function blockOf({ flavour, blocks }: Protocol, data: Hex = '0x'): Promise<ChainBlock> {
  const raw = await Promise.all([0, 1, 2].map((nonce) => signed(ALICE, { nonce, data })))
  const transactions = raw.map(decodeTransaction)
  const header: Header = {
    parentHash: new Uint8Array(32).fill(1),
    ommersHash: EMPTY_LIST_HASH,
    beneficiary: VALIDATORS[0] as Uint8Array,
    stateRoot: new Uint8Array(32).fill(2),
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: EMPTY_BLOOM,
    difficulty: 1n,
    number: BigInt(HEIGHT),
    gasLimit: 30_000_000n,
    gasUsed: 63_000n,
    timestamp: 2n,
    extraData: encodeExtraData(initialExtraData(VALIDATORS, new Uint8Array(32)), flavour),
    mixHash: BFT_DIGEST,
    nonce: new Uint8Array(8),
  }
  const { transactionsRoot } = bodyRoots(splitBlock(encodeBlock({ header, transactions, ommers: [] })))
  return blocks.of({ header: { ...header, transactionsRoot }, transactions, ommers: [] })
}

function examples(protocol: Protocol, block: ChainBlock): Message[] {
  const contexts = SIGNERS.map((signer) => agreementContext(protocol, signer))
  const [context] = contexts as [(typeof contexts)[number]]
  const view = { height: HEIGHT, round: 0, digest: block.digest }
  const proposal = context.sign({ kind: 'proposal', ...view } as const, block)
  const prepares = contexts.slice(1).map((one) => one.sign({ kind: 'prepare', ...view } as const))
  const isInside = protocol.rules.protocol === 'ibft2'
  const prepared: PreparedClaim = {
    round: 0,
    digest: block.digest,
    certificate: isInside ? { proposal, prepares } : undefined,
  }
  const outside = isInside ? [] : prepares
  const roundChanges = contexts.map((one) =>
    one.sign({ kind: 'roundChange', height: HEIGHT, round: 1, prepared } as const),
  )
  const next = protocol.blocks.withRound(block, 1)
  const again = context.sign({ kind: 'proposal', height: HEIGHT, round: 1, digest: next.digest } as const, next)
  const [roundChange] = roundChanges as [(typeof roundChanges)[number]]
  return [
    { kind: 'proposal', signed: again, block: next, roundChanges, prepares: outside },
    { kind: 'prepare', signed: prepares[0] as (typeof prepares)[number] },
    { kind: 'commit', signed: context.sign({ kind: 'commit', ...view, seal: context.seal(block.digest) } as const) },
    { kind: 'roundChange', signed: roundChange, block, prepares: outside },
  ]
}

/** Validators read what strangers send, and what a faulty validator has signed. */
export async function agreementTargets(): Promise<Target[]> {
  const targets: Target[] = []
  for (const name of ['ibft2', 'qbft'] as const) {
    const protocol = PROTOCOLS[name]
    for (const message of examples(protocol, await blockOf(protocol))) targets.push(targetOf(name, message))
  }
  return targets
}

function targetOf(name: BftProtocol, message: Message): Target {
  const protocol = PROTOCOLS[name]
  const { payload, code } = packetOf(message, protocol)
  const plan = planOf(protocol)
  return {
    protocol: name,
    message: message.kind,
    example: payload,
    maxBytes: hasBlock(name, code) ? MAX_BFT_MESSAGE_BYTES : MAX_BRIEF_MESSAGE_BYTES,
    open: async (bytes) => {
      let outcome = 'dropped'
      const network = { ...NETWORK, refuse: () => (outcome = 'breachOfProtocol') }
      const inbox = new BftInbox(LIMITS, { network, clock: CLOCK, logger: silentLogger })
      const machine = { context: agreementContext(protocol, SIGNERS[3] as KeySigner), limits: MACHINE_LIMITS }
      const { state } = step(initialState(undefined), { kind: 'newHead', plan }, 2000, machine)
      return () => {
        inbox.add({ protocol: name, code, payload: bytes }, 'peer')
        const received = inbox.next({ height: HEIGHT, validators: VALIDATORS })
        if (received === undefined) return outcome
        const { effects } = step(state, { kind: 'message', received }, 2000, machine)
        return effects.some(({ kind }) => kind === 'refused') ? 'refused' : 'kept'
      }
    },
  }
}
