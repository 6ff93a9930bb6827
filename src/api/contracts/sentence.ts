/**
 * A transaction in one sentence.
 * @module
 */
import type { Decoded } from '../../abi/decoded.ts'
import { decodedText } from '../../abi/decodedText.ts'
import { NO_REASON } from '../../abi/failureReason.ts'
import { ether } from '../../base/primitives/amounts.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { checksumAddress } from '../../types/address.ts'
import type { Transaction } from '../../types/transaction.ts'
import type { Failure } from './failure.ts'

interface CommonFacts {
  readonly transaction: Pick<Transaction, 'to' | 'value' | 'data'>
  readonly sender: Uint8Array
  readonly call: Decoded | undefined
  /** Name of the called or created contract. */
  readonly contractName: string | undefined
  /** Whether the recipient has code. */
  readonly hasCode: boolean
}

export type SentenceFacts =
  | (CommonFacts & { readonly kind: 'done'; readonly created: Uint8Array | undefined })
  | (CommonFacts & { readonly kind: 'waiting' })
  | (CommonFacts & { readonly kind: 'failed'; readonly failure: Failure })

const SELECTOR_BYTES = 4

/** `0x1234…abcd called `Vault.deposit(5)``, or `reverted in `Vault.withdraw`: InsufficientBalance(5, 3)` */
export function sentenceOf(facts: SentenceFacts): string {
  if (facts.kind === 'failed') return failureSentence(facts, facts.failure)
  const created = facts.kind === 'done' ? facts.created : undefined
  return `${shortAddress(facts.sender)} ${actionOf(facts, facts.kind === 'done', created)}`
}

function failureSentence(facts: CommonFacts, { isRevert, text, steps }: Failure): string {
  const [first] = steps
  const isNamed = first !== undefined && first.contract !== null && first.function !== null
  const target = isNamed ? `${first.contract}.${first.function}` : targetOf(facts)
  const verb = isRevert ? 'reverted' : 'failed'
  const place = target === undefined ? verb : `${verb} in \`${target}\``
  return text === NO_REASON ? `${place} without a reason` : `${place}: ${text}`
}

function targetOf({ transaction: { to, data }, call, contractName }: CommonFacts): string | undefined {
  if (to === undefined) return contractName === undefined ? undefined : `new ${contractName}`
  const owner = call?.contract ?? contractName ?? shortAddress(to)
  if (call !== undefined) return `${owner}.${call.name}`
  return data.length === 0 ? owner : `${owner}.${selectorText(data)}`
}

/** @param isDone whether it is told in the past */
function actionOf(
  { transaction: { to, value, data }, call, contractName, hasCode }: CommonFacts,
  isDone: boolean,
  created: Uint8Array | undefined,
): string {
  const paid = value > 0n ? ` with ${ether(value)}` : ''
  if (to === undefined) {
    const name = contractName === undefined ? 'a contract' : `\`${contractName}\``
    const place = created === undefined ? '' : ` at ${shortAddress(created)}`
    return `${isDone ? 'created' : 'creates'} ${name}${place}${paid}`
  }
  const owner = call?.contract ?? contractName
  const calls = isDone ? 'called' : 'calls'
  if (call !== undefined) return `${calls} \`${owner ?? shortAddress(to)}.${decodedText(call)}\`${paid}`
  if (data.length > 0 && hasCode) return `${calls} \`${owner ?? shortAddress(to)}.${selectorText(data)}\`${paid}`
  const recipient = owner === undefined ? shortAddress(to) : `\`${owner}\``
  const sent = value > 0n ? ether(value) : data.length > 0 ? `${data.length} bytes of data` : 'nothing'
  return `${isDone ? 'sent' : 'sends'} ${sent} to ${recipient}`
}

function selectorText(data: Uint8Array): string {
  return bytesToHex(data.subarray(0, SELECTOR_BYTES))
}

/** `0x1234…abcd` */
function shortAddress(address: Uint8Array): string {
  const text = checksumAddress(address)
  return `${text.slice(0, 6)}…${text.slice(-4)}`
}
