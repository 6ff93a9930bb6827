import { MAX_JS_TRACER_UPLOAD } from '../../base/limits/limits.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { precompileAt } from '../../evm/precompiles/index.ts'
import { create2Address, createAddress } from '../../types/address.ts'
import type { TraceBegin, TraceState } from '../contract.ts'
import { type Batch, writeWord } from './batch.ts'
import type { LiveState } from './liveState.ts'
import * as layout from './program/layout.ts'

const ADDRESS_BYTES = 20
const SECOND_ARGUMENT = 32
const WORD_BYTES = 32

export interface AnswerSources {
  readonly context: TraceBegin
  readonly batch: Batch
  /** Memory before the traced step. */
  memory(): Uint8Array
  /** undefined when the state after the transaction is meant */
  live(): LiveState | undefined
}

/** Answers the questions of the program: they and the answers are at the beginning of the shared memory. */
export class Answers {
  readonly #sources: AnswerSources
  /** Answer that the program reads in pieces. */
  #long: Uint8Array = EMPTY_BYTES
  #uploaded: Uint8Array[] = []

  constructor(sources: AnswerSources) {
    this.#sources = sources
  }

  answer(question: number, shared: Uint8Array): number {
    const view = new DataView(shared.buffer, shared.byteOffset, layout.EXCHANGE_BYTES)
    switch (question) {
      case layout.ASK_PIECE:
        return this.#piece(shared, view.getUint32(0, true))
      case layout.ASK_MEMORY: {
        const from = view.getUint32(0, true)
        return this.#begin(this.#sources.memory().subarray(from, from + view.getUint32(4, true)))
      }
      case layout.ASK_LONG_DATA:
        return this.#begin(this.#sources.batch.longData ?? EMPTY_BYTES)
      case layout.ASK_UPLOAD:
        return this.#upload(shared, view)
      case layout.ASK_CONTRACT:
        shared.set(createAddress(shared.slice(0, ADDRESS_BYTES), nonceOf(view.getFloat64(SECOND_ARGUMENT, true))), 0)
        return ADDRESS_BYTES
      case layout.ASK_CONTRACT2:
        shared.set(this.#contract2(shared), 0)
        return ADDRESS_BYTES
      case layout.ASK_PRECOMPILED:
        return precompileAt(shared.slice(0, ADDRESS_BYTES), this.#sources.context.rules) === undefined ? 0 : 1
      default:
        return this.#state(question, shared, view)
    }
  }

  #state(question: number, shared: Uint8Array, view: DataView): number {
    const state = this.#sources.live() ?? stateOf(this.#sources.context.now)
    const address = shared.slice(0, ADDRESS_BYTES)
    switch (question) {
      case layout.ASK_BALANCE:
        writeWord(view, 0, state.account(address)?.balance ?? 0n)
        return WORD_BYTES
      case layout.ASK_NONCE:
        view.setFloat64(0, Number(state.account(address)?.nonce ?? 0n), true)
        return 8
      case layout.ASK_EXISTS:
        return state.account(address) === undefined ? 0 : 1
      case layout.ASK_CODE:
        return this.#begin(state.code(address))
      case layout.ASK_STATE:
        shared.set(state.storage(address, shared.slice(SECOND_ARGUMENT, SECOND_ARGUMENT + WORD_BYTES)), 0)
        return WORD_BYTES
      default:
        return 0
    }
  }

  #begin(answer: Uint8Array): number {
    this.#long = answer
    return answer.length
  }

  #piece(shared: Uint8Array, from: number): number {
    const piece = this.#long.subarray(from, from + layout.EXCHANGE_BYTES)
    shared.set(piece, 0)
    return piece.length
  }

  #upload(shared: Uint8Array, view: DataView): number {
    const length = Math.min(view.getUint32(0, true), layout.EXCHANGE_BYTES - 8)
    const before = view.getUint32(4, true)
    if (before === 0) this.#uploaded = []
    if (before + length > MAX_JS_TRACER_UPLOAD || this.#uploaded.length > MAX_JS_TRACER_UPLOAD / WORD_BYTES) return 0
    this.#uploaded.push(shared.slice(8, 8 + length))
    return 1
  }

  #contract2(shared: Uint8Array): Uint8Array {
    const code = new Uint8Array(this.#uploaded.reduce((length, piece) => length + piece.length, 0))
    let at = 0
    for (const piece of this.#uploaded) {
      code.set(piece, at)
      at += piece.length
    }
    this.#uploaded = []
    const salt = shared.slice(SECOND_ARGUMENT, SECOND_ARGUMENT + WORD_BYTES)
    return create2Address(shared.slice(0, ADDRESS_BYTES), salt, keccak256(code))
  }
}

function nonceOf(value: number): bigint {
  return BigInt.asUintN(64, BigInt(Number.isFinite(value) ? Math.trunc(value) : 0))
}

function stateOf(state: TraceState): Pick<LiveState, 'account' | 'code' | 'storage'> {
  return {
    account: (address) => state.getAccount(address),
    code: (address) => state.getCode(address),
    storage: (address, slot) => state.getStorage(address, slot),
  }
}
