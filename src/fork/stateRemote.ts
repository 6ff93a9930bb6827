/**
 * Asks a remote for state: proven or as plain values, by the hash of the block or by its number.
 * @module
 */
import { MAX_FORK_CODE_BYTES, MAX_FORK_PROOF_SLOTS } from '../base/limits/limits.ts'
import type { RemoteBlock } from '../base/ports/keyValueStore.ts'
import { bytesToHex, EMPTY_BYTES, equalBytes, quantity, ZERO_WORD } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../base/primitives/keccak.ts'
import type { RemoteError, RemoteRequest, RemoteResult } from '../remote/contract.ts'
import { refused, shortened } from '../remote/errors.ts'
import { isMissingData, isMissingMethod, isMisunderstood } from '../remote/refusals.ts'
import { verifyAccountProof } from '../state/accountProof.ts'
import type { BaseAccount } from '../state/baseState.ts'
import { requireAbsence } from './callWitness.ts'
import type { VerifyMode } from './contract.ts'
import { blockChanged, contradictedAnswer, malformedAnswer, statePruned, unknownBlock, unproven } from './errors.ts'
import type { RemoteAccess } from './remoteAccess.ts'
import { RemoteObject, readBytes, readNumber, readPadded, readUint } from './remoteObject.ts'

/** A question about one account. */
export interface AccountQuestion {
  /** 20 bytes */
  readonly address: Uint8Array
  /** Whether nonce, balance and storage root are unknown. */
  readonly wantsAccount: boolean
  readonly wantsCode: boolean
  /** 32 bytes each */
  readonly slots: readonly Uint8Array[]
}

export interface AccountAnswer {
  /** Present when the account was asked for; undefined in it: the account does not exist. */
  readonly account?: { readonly value: BaseAccount | undefined }
  /** Present when the code was asked for. */
  readonly code?: Uint8Array
  /** 32-byte values in the order of the slots */
  readonly values: readonly Uint8Array[]
  readonly isProven: boolean
}

export interface StateRemoteDeps {
  readonly remote: RemoteAccess
  readonly mode: VerifyMode
  readonly onUnverified: (what: string) => void
  /** Hears the hash that a number has now, when it is no longer that of the block. */
  readonly onChanged?: (number: number, hash: Uint8Array) => void
}

const PLAIN = 'state, because the remote does not prove it'
const ABSENCE = 'accounts that do not exist, because the remote does not prove it'

const NO_ABSENCE_PROOF = 'the remote refuses to prove that an account does not exist, as Besu does'

type Parser = (values: readonly unknown[]) => AccountAnswer

/** The requests for one account, and the reading of their results. */
interface Part {
  readonly requests: readonly RemoteRequest[]
  readonly read: Parser
}

export class StateRemote {
  readonly #deps: StateRemoteDeps
  readonly #said = new Set<string>()

  constructor(deps: StateRemoteDeps) {
    this.#deps = deps
  }

  /** Whether values count that are not proven. While it is unknown whether the remote has proofs, those of the cache do. */
  get acceptsPlain(): boolean {
    const { mode, remote } = this.#deps
    return mode === 'auto' ? remote.can('proofs') !== true || this.#said.has(ABSENCE) : mode !== 'proofs'
  }

  /** Whether the remote is asked for values without proofs. */
  get isPlain(): boolean {
    const { mode, remote } = this.#deps
    return mode === 'auto' ? remote.can('proofs') === false : mode !== 'proofs'
  }

  /**
   * @returns in the order of the questions
   * @throws {NodeError} PROOF_INVALID, FORK_UNPROVEN, FORK_STATE_PRUNED, FORK_BLOCK_CHANGED, REMOTE_REFUSED,
   *   FORK_UNAVAILABLE, FORK_OFFLINE
   */
  async ask(block: RemoteBlock, questions: readonly AccountQuestion[]): Promise<AccountAnswer[]> {
    for (;;) {
      const answers = await this.#attempt(block, questions, !this.isPlain)
      if (answers !== undefined) return answers
    }
  }

  /** @returns undefined when the remote has to be asked in another form */
  async #attempt(
    block: RemoteBlock,
    questions: readonly AccountQuestion[],
    isProven: boolean,
  ): Promise<AccountAnswer[] | undefined> {
    const { remote } = this.#deps
    if (!isProven && this.isPlain) this.#say(PLAIN)
    const byHash = remote.can('stateByHash') !== false
    const at = remote.blockParameter(block)
    const parts = questions.map((question) => (isProven ? provenPart(block, question, at) : plainPart(question, at)))
    const requests = parts.flatMap((part) => part.requests)
    const check = byHash ? [] : [hashRequest(block)]
    const datum = `the state of account ${bytesToHex((questions[0] as AccountQuestion).address)}`
    const results = await remote.requestAll([...requests, ...check], datum)
    if (!byHash) this.#requireHash(block, results.pop() as RemoteResult)
    for (const [i, result] of results.entries()) {
      if (result.kind === 'result' || (isProven && isAbsence(result.error))) continue
      await this.#afterRefusal(block, (requests[i] as RemoteRequest).method, result.error, byHash)
      return undefined
    }
    if (byHash) remote.learn('stateByHash', true)
    if (isProven) remote.learn('proofs', true)
    return this.#withAbsent(block, questions, readParts(parts, results))
  }

  /** Besu proves no account that does not exist. @param answers undefined where the remote refused a proof */
  async #withAbsent(
    block: RemoteBlock,
    questions: readonly AccountQuestion[],
    answers: readonly (AccountAnswer | undefined)[],
  ): Promise<AccountAnswer[] | undefined> {
    const { mode, remote } = this.#deps
    const refused = questions.filter((_, i) => answers[i] === undefined)
    if (refused.length === 0) return answers.filter((answer) => answer !== undefined)
    const isPlain = mode === 'auto' && remote.can('callWitness') !== true
    if (isPlain) this.#say(ABSENCE)
    const found = isPlain ? await this.#attempt(block, refused, false) : await this.#absenceProofs(block, refused)
    return found && answers.map((answer) => answer ?? (found.shift() as AccountAnswer))
  }

  /**
   * A node of this project that refuses such proofs as Besu does has them in the witness of a call.
   * @throws {NodeError} FORK_UNPROVEN when the remote makes no witnesses, PROOF_INVALID
   */
  async #absenceProofs(block: RemoteBlock, questions: readonly AccountQuestion[]): Promise<AccountAnswer[]> {
    const { remote } = this.#deps
    const requests = questions.map(({ address }) => absenceRequest(block, address))
    const results = remote.can('callWitness') === false ? [] : await remote.requestAll(requests, 'absent accounts')
    return questions.map(({ address, slots }, i) => {
      const result = results[i]
      if (result?.kind !== 'result') {
        if (result !== undefined && isMissingMethod(result.error)) remote.learn('callWitness', false)
        throw unproven(`the absence of ${bytesToHex(address)} in block ${block.number}`, NO_ABSENCE_PROOF)
      }
      remote.learn('callWitness', true)
      requireAbsence(result.value, block, address)
      const account = { value: undefined }
      return { account, code: EMPTY_BYTES, values: slots.map(() => ZERO_WORD), isProven: true }
    })
  }

  /** Once, and only where the user may expect proofs. */
  #say(what: string): void {
    if (this.#deps.mode !== 'auto' || this.#said.has(what)) return
    this.#said.add(what)
    this.#deps.onUnverified(what)
  }

  /** @throws {NodeError} FORK_BLOCK_CHANGED */
  #requireHash({ number, hash }: RemoteBlock, result: RemoteResult): void {
    if (result.kind === 'error') throw refused('eth_getBlockByNumber', result.error)
    if (result.value === null) throw unknownBlock(`block ${number}`)
    const found = new RemoteObject(result.value, 'eth_getBlockByNumber').bytes('hash', 32)
    if (equalBytes(found, hash)) return
    this.#deps.onChanged?.(number, found)
    throw blockChanged(number, hash, found)
  }

  /** Learns what the remote lacks. @throws {NodeError} when another form does not help */
  async #afterRefusal(block: RemoteBlock, method: string, error: RemoteError, byHash: boolean): Promise<void> {
    const { remote, mode } = this.#deps
    const lacksProof = isMissingMethod(error) || /proof/i.test(error.message)
    if (method === 'eth_getProof' && lacksProof) {
      if (mode === 'proofs')
        throw unproven(`the state of block ${block.number}`, `the remote said: ${shortened(error.message)}`)
      remote.learn('proofs', false)
      return
    }
    if (byHash && remote.can('stateByHash') === undefined && isMisunderstood(error)) {
      remote.learn('stateByHash', false)
      return
    }
    if (!isMissingData(error)) throw refused(method, error)
    const requests = [hashRequest(block), { method: 'eth_blockNumber', params: [] }]
    const [current, head] = (await remote.requestOne(requests, `block ${block.number}`)) as [RemoteResult, RemoteResult]
    this.#requireHash(block, current)
    throw statePruned(block.number, head.kind === 'error' ? block.number : headOf(head.value), error)
  }
}

/** Whether the remote refuses to prove that an account does not exist. */
function isAbsence({ message }: RemoteError): boolean {
  return /account not found|no account found/i.test(message)
}

/** The state that a call from the account to itself reads. */
function absenceRequest({ number }: RemoteBlock, address: Uint8Array): RemoteRequest {
  const account = bytesToHex(address)
  return { method: 'isonode_callWitness', params: [{ from: account, to: account }, quantity(number)] }
}

/** @returns undefined for a part of which a request was refused */
function readParts(parts: readonly Part[], results: RemoteResult[]): (AccountAnswer | undefined)[] {
  return parts.map(({ requests, read }) => {
    const own = results.splice(0, requests.length)
    const values = own.map((result) => (result.kind === 'result' ? result.value : undefined))
    return own.every(({ kind }) => kind === 'result') ? read(values) : undefined
  })
}

function headOf(value: unknown): number {
  return readNumber(value, 'eth_blockNumber')
}

function hashRequest({ number }: RemoteBlock): RemoteRequest {
  return { method: 'eth_getBlockByNumber', params: [quantity(number), false] }
}

function provenPart({ stateRoot }: RemoteBlock, question: AccountQuestion, at: unknown): Part {
  const { address, slots, wantsAccount, wantsCode } = question
  const hex = bytesToHex(address)
  const groups: Uint8Array[][] = []
  for (let from = 0; from < slots.length; from += MAX_FORK_PROOF_SLOTS) {
    groups.push(slots.slice(from, from + MAX_FORK_PROOF_SLOTS))
  }
  if (groups.length === 0 && wantsAccount) groups.push([])
  const proofs = groups.map((group) => ({ method: 'eth_getProof', params: [hex, group.map(bytesToHex), at] }))
  const code = wantsCode ? [{ method: 'eth_getCode', params: [hex, at] }] : []
  return {
    requests: [...proofs, ...code],
    read: (values) => {
      const proven = groups.map((group, i) => verifyAccountProof(stateRoot, address, group, values[i]))
      const account = proven[0]
      return {
        ...(account === undefined ? {} : { account: { value: account.account } }),
        ...(wantsCode ? { code: readCode(values[proofs.length], hex, account?.account) } : {}),
        values: proven.flatMap((group) => group.values),
        isProven: true,
      }
    },
  }
}

/** @param account undefined: of unknown code */
function readCode(value: unknown, address: string, account: BaseAccount | undefined): Uint8Array {
  const datum = `eth_getCode of ${address}`
  const code = readBytes(value, datum)
  if (code.length > MAX_FORK_CODE_BYTES) throw malformedAnswer(datum, `at most ${MAX_FORK_CODE_BYTES} bytes`, value)
  if (account === undefined || equalBytes(keccak256(code), account.codeHash)) return code
  throw contradictedAnswer(datum, `its hash is not ${bytesToHex(account.codeHash)}`)
}

function plainPart({ address, slots, wantsAccount, wantsCode }: AccountQuestion, at: unknown): Part {
  const hex = bytesToHex(address)
  const ask = (method: string): RemoteRequest => ({ method, params: [hex, at] })
  const fields = wantsAccount
    ? [ask('eth_getBalance'), ask('eth_getTransactionCount'), ask('eth_getCode')]
    : wantsCode
      ? [ask('eth_getCode')]
      : []
  const storage = slots.map((slot) => ({ method: 'eth_getStorageAt', params: [hex, bytesToHex(slot), at] }))
  return {
    requests: [...fields, ...storage],
    read: (values) => {
      const code = fields.length === 0 ? undefined : readCode(values[fields.length - 1], hex, undefined)
      return {
        ...(wantsAccount ? { account: { value: plainAccount(values, hex, code ?? EMPTY_BYTES) } } : {}),
        ...(code === undefined ? {} : { code }),
        values: slots.map((slot, i) =>
          readPadded(values[fields.length + i], `eth_getStorageAt of ${hex} ${bytesToHex(slot)}`, 32),
        ),
        isProven: false,
      }
    },
  }
}

/** Nobody says whether an empty account exists. */
function plainAccount(values: readonly unknown[], address: string, code: Uint8Array): BaseAccount | undefined {
  const balance = readUint(values[0], `eth_getBalance of ${address}`, 256)
  const nonce = readUint(values[1], `eth_getTransactionCount of ${address}`, 64)
  if (balance === 0n && nonce === 0n && code.length === 0) return undefined
  const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
  return { nonce, balance, codeHash, storageRoot: undefined }
}
