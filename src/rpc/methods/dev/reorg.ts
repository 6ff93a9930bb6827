import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { stateAt } from '../../../api/lookup.ts'
import { MAX_WHOLE_BLOCKS_PER_REQUEST } from '../../../base/limits/limits.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import { isNodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import type { DevTransaction } from '../../../dev/contract.ts'
import { decodeSubmission } from '../../../txpool/decode.ts'
import { signingHash, transactionSender } from '../../../types/transactionCodec.ts'
import { arrayOf, parameterCodec } from '../../codecs/support.ts'
import {
  type Codec,
  defineMethod,
  type MethodDefinition,
  optional,
  param,
  type RequestContext,
  result,
} from '../../method.ts'
import { hexBytes, nothing, number64 } from './codecs.ts'
import { fillIn, type MakerBackend, senderMark, withSignature } from './makeTransaction.ts'
import { devChain, operation } from './operation.ts'
import { MAKING_ERRORS, senderOf } from './sendTransaction.ts'
import { signWith, unusableAccount } from './signing.ts'
import { type TransactionRequest, transactionRequest } from './transactionRequest.ts'

/** A signed transaction or a request, with the position of its new block, 0 being the lowest. */
interface Placed {
  readonly given: Uint8Array | TransactionRequest
  readonly position: number
}

const placed: Codec<Placed> = parameterCodec(
  {
    type: 'array',
    prefixItems: [{ anyOf: [hexBytes.schema, transactionRequest.schema] }, number64.schema],
    minItems: 2,
    maxItems: 2,
  },
  (value, profile) => {
    if (!Array.isArray(value) || value.length !== 2) {
      throw unexpectedValue('a pair of transaction and block position', described(value))
    }
    const [given, position] = value
    return {
      given: typeof given === 'string' ? hexBytes.parse(given) : transactionRequest.parse(given, profile),
      position: Number(number64.parse(position)),
    }
  },
)

const depthCodec: Codec<number> = parameterCodec(number64.schema, (value) => {
  const depth = number64.parse(value)
  if (depth > MAX_WHOLE_BLOCKS_PER_REQUEST) {
    throw invalidParams(`at most ${MAX_WHOLE_BLOCKS_PER_REQUEST} blocks can be replaced per request`, {
      expected: `at most ${MAX_WHOLE_BLOCKS_PER_REQUEST}`,
      got: String(depth),
    })
  }
  return Number(depth)
})

/** Makes the transactions of a reorganisation on the state of its lowest common block. */
class Placement {
  readonly #backend: MakerBackend
  readonly #base: BlockNumberOrTag
  readonly #context: RequestContext
  /** Next nonce by sender in hex. */
  readonly #nonces = new Map<string, bigint>()

  constructor(backend: MakerBackend, base: number, context: RequestContext) {
    this.#backend = backend
    this.#base = { kind: 'number', number: base }
    this.#context = context
  }

  make(given: Uint8Array | TransactionRequest): DevTransaction | Promise<DevTransaction> {
    return given instanceof Uint8Array ? signed(given) : this.#fromRequest(given)
  }

  async #fromRequest(request: TransactionRequest): Promise<DevTransaction> {
    const { accounts } = devChain(this.#backend)
    const sender = senderOf(devChain(this.#backend), request)
    const hasKey = accounts.hasKey(sender)
    if (!hasKey && !accounts.isImpersonated(sender)) throw unusableAccount(accounts, sender)
    const nonce = request.nonce ?? this.#nextNonce(sender)
    this.#nonces.set(bytesToHex(sender), nonce + 1n)
    const unsigned = await fillIn(this.#backend, { ...request, nonce }, sender, this.#context, this.#base)
    const signature = hasKey ? signWith(this.#backend, sender, signingHash(unsigned)) : senderMark(sender)
    return { transaction: withSignature(unsigned, signature), sender, isImpersonated: !hasKey }
  }

  #nextNonce(sender: Uint8Array): bigint {
    const nonce = this.#nonces.get(bytesToHex(sender))
    return nonce ?? stateAt(this.#backend, this.#base)?.getAccount(sender)?.nonce ?? 0n
  }
}

function signed(raw: Uint8Array): DevTransaction {
  try {
    const { transaction } = decodeSubmission(raw)
    const sender = transactionSender(transaction)
    if (sender === undefined) throw invalidParams('the transaction has no valid signature')
    return { transaction, sender, isImpersonated: false }
  } catch (error) {
    if (!isNodeError(error)) throw error
    throw invalidParams(error.message)
  }
}

const reorg: MethodDefinition<MakerBackend> = defineMethod({
  name: 'anvil_reorg',
  group: 'DEV',
  summary:
    'Replaces the newest blocks by the same number of new ones, which contain only the given transactions: encoded ' +
    'and signed, or requests as for eth_sendTransaction. The transactions of the removed blocks are dropped.',
  params: [
    param('depth', depthCodec, 'Number of blocks.'),
    optional('transactions', arrayOf(placed), 'Pairs of a transaction and the position of its new block, from 0 on.'),
  ],
  result: result('done', nothing),
  errors: [...new Set([...MAKING_ERRORS, 'INVALID_PARAMS'])],
  handler: async (backend: MakerBackend, [depth, pairs = []], context) => {
    const { head, genesis } = backend.chain
    const height = Number(head.header.number - genesis.header.number)
    if (depth > height) throw invalidParams(`depth: the chain has only ${height} blocks above the genesis block`)
    const outside = pairs.find(({ position }) => position >= depth)
    if (outside !== undefined) {
      throw invalidParams(
        `transactions: there is no new block ${outside.position}, the positions are 0 to ${depth - 1}`,
      )
    }
    const placement = new Placement(backend, Number(head.header.number) - depth, context)
    const byPosition = new Map<number, DevTransaction[]>()
    for (const { given, position } of [...pairs].sort((a, b) => a.position - b.position)) {
      const list = byPosition.get(position) ?? []
      list.push(await placement.make(given))
      byPosition.set(position, list)
    }
    await devChain(backend).reorganise(depth, byPosition)
  },
})

export const reorganisations: readonly MethodDefinition<MakerBackend>[] = [
  reorg,
  ...operation({
    answersNull: ['anvil_rollback'],
    summary: 'Removes the newest blocks (default: 1). Their transactions are dropped.',
    params: [optional('depth', number64, 'Number of blocks. Absent: 1.')],
    errors: ['INVALID_PARAMS'],
    run: (dev, [depth = 1n]) => dev.rollback(Number(depth)),
  }),
]
