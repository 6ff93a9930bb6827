import { bytesToHex, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { CallStart } from '../../evm/hooks.ts'
import type { TraceBegin, TraceEnd } from '../contract.ts'

/** A member of `ctx`: bytes, an integer of any size, or a value of JSON. */
type Member = { readonly hex: string } | { readonly big: string } | { readonly value: unknown }

export interface ResultContext {
  readonly context: Readonly<Record<string, Member>>
  /** Members that go-ethereum no longer has; they do not appear in JSON. */
  readonly hidden: Readonly<Record<string, unknown>>
}

const hex = (bytes: Uint8Array): Member => ({ hex: bytesToHex(bytes) })
const big = (value: bigint): Member => ({ big: String(value) })

/** The first argument of `result`. @param error of the transaction's call */
export function resultContext(
  { transaction, block }: TraceBegin,
  { gasUsed }: TraceEnd,
  root: CallStart,
  error: string | undefined,
  output: Uint8Array = EMPTY_BYTES,
): ResultContext {
  const { position, hash, gasPrice, gasLimit, intrinsicGas } = transaction
  // go-ethereum's tracers call the part of the price that the producer gets the price.
  const tip = gasPrice - (block.baseFeePerGas ?? 0n)
  return {
    context: {
      ...(position !== undefined && { blockHash: hex(position.blockHash) }),
      ...(position !== undefined && hash !== undefined && { txIndex: { value: position.index }, txHash: hex(hash) }),
      block: { value: Number(block.number) },
      gas: { value: Number(gasLimit) },
      gasPrice: big(tip > 0n ? tip : 0n),
      coinbase: hex(block.beneficiary),
      type: { value: root.kind },
      from: hex(root.caller),
      to: hex(root.target),
      input: hex(root.input),
      value: big(root.value),
      ...(error !== undefined && { error: { value: error } }),
      output: hex(output),
      gasUsed: { value: Number(gasUsed) },
    },
    hidden: { intrinsicGas: Number(intrinsicGas) },
  }
}
