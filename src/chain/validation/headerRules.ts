/**
 * Header rules shared by all consensus engines. Each rule returns undefined, or the reason why the header is invalid
 * with actual and expected value.
 * @see Yellow Paper 4.4.4; EIP-1559, EIP-4788, EIP-4844, EIP-4895, EIP-7685; docs/reference/pow-ethash.md section 4
 * @module
 */

import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ForkRules } from '../../config/forks.ts'
import type { Header } from '../../types/block.ts'
import type { ConsensusEngine } from '../engine.ts'
import { GAS_PER_BLOB, nextBaseFee, nextExcessBlobGas } from '../fees.ts'

export interface HeaderContext {
  readonly config: ChainConfig
  /** The rules that apply to the header itself. */
  readonly rules: ForkRules
  readonly parent: Header
  /** That of the header. */
  readonly engine: Pick<ConsensusEngine, 'allowsEqualTimestamps'>
}

export const MIN_GAS_LIMIT = 5000n
const MAX_GAS_LIMIT = 2n ** 63n - 1n
/** Yellow Paper: the gas limit changes by less than parent / 1024. */
const GAS_LIMIT_BOUND_DIVISOR = 1024n
const GAS_LIMIT_ELASTICITY = 2n
/** EIP-779: "dao-hard-fork" */
export const DAO_EXTRA_DATA: Uint8Array = Uint8Array.of(
  0x64,
  0x61,
  0x6f,
  0x2d,
  0x68,
  0x61,
  0x72,
  0x64,
  0x2d,
  0x66,
  0x6f,
  0x72,
  0x6b,
)
const DAO_EXTRA_DATA_BLOCKS = 10n

/** @returns why the header may not follow its parent; undefined when it may */
export function validateHeader(header: Header, context: HeaderContext): string | undefined {
  return (
    checkNumber(header, context) ??
    checkTimestamp(header, context) ??
    checkGasLimit(header, context) ??
    checkGasUsed(header) ??
    checkDaoExtraData(header, context) ??
    checkForkFields(header, context) ??
    checkBaseFee(header, context) ??
    checkBlobGas(header, context)
  )
}

/** The block that a chain requires at one height (the chain that refused the DAO fork). */
export function checkRequiredBlock(number: bigint, hash: Uint8Array, config: ChainConfig): string | undefined {
  const required = config.options.requiredBlock
  if (required === undefined || required.number !== number || equalBytes(required.hash, hash)) return undefined
  return `invalid block hash at ${number}: ${bytesToHex(hash)}, this chain requires ${bytesToHex(required.hash)}`
}

function checkNumber({ number }: Header, { parent }: HeaderContext): string | undefined {
  return number === parent.number + 1n ? undefined : `invalid block number: ${number}, the parent's is ${parent.number}`
}

function checkTimestamp({ timestamp }: Header, { parent, engine }: HeaderContext): string | undefined {
  if (timestamp > parent.timestamp) return undefined
  if (timestamp === parent.timestamp && engine.allowsEqualTimestamps === true) return undefined
  return `invalid timestamp: ${timestamp}, the parent's is ${parent.timestamp}`
}

function checkGasLimit({ gasLimit }: Header, { parent, rules }: HeaderContext): string | undefined {
  if (gasLimit < MIN_GAS_LIMIT) return `invalid gas limit: ${gasLimit}, the minimum is ${MIN_GAS_LIMIT}`
  if (gasLimit > MAX_GAS_LIMIT) return `invalid gas limit: ${gasLimit}, the maximum is ${MAX_GAS_LIMIT}`
  const firstWithBaseFee = rules.eips.has(1559) && parent.baseFeePerGas === undefined
  const reference = firstWithBaseFee ? parent.gasLimit * GAS_LIMIT_ELASTICITY : parent.gasLimit
  const change = gasLimit > reference ? gasLimit - reference : reference - gasLimit
  const bound = reference / GAS_LIMIT_BOUND_DIVISOR
  return change < bound
    ? undefined
    : `invalid gas limit: ${gasLimit}, must differ from ${reference} by less than ${bound}`
}

function checkGasUsed({ gasUsed, gasLimit }: Header): string | undefined {
  return gasUsed <= gasLimit ? undefined : `invalid gas used: ${gasUsed}, the gas limit is ${gasLimit}`
}

/** The extra data that a block must have; undefined: any. @see EIP-779 */
export function requiredExtraData(number: bigint, { options }: ChainConfig): Uint8Array | undefined {
  const first = options.daoForkBlock
  if (first === undefined || number < first || number >= first + DAO_EXTRA_DATA_BLOCKS) return undefined
  return DAO_EXTRA_DATA
}

function checkDaoExtraData({ number, extraData }: Header, { config }: HeaderContext): string | undefined {
  const required = requiredExtraData(number, config)
  return required === undefined || equalBytes(extraData, required)
    ? undefined
    : `invalid extra data: ${bytesToHex(extraData)}, the DAO fork requires ${bytesToHex(required)}`
}

/** Fields and the EIPs that added them; a field is present exactly when its EIP is active. */
const FORK_FIELDS = [
  ['baseFeePerGas', 1559],
  ['withdrawalsRoot', 4895],
  ['blobGasUsed', 4844],
  ['excessBlobGas', 4844],
  ['parentBeaconBlockRoot', 4788],
  ['requestsHash', 7685],
] as const

function checkForkFields(header: Header, { rules }: HeaderContext): string | undefined {
  for (const [field, eip] of FORK_FIELDS) {
    const present = header[field] !== undefined
    if (present !== rules.eips.has(eip)) {
      return present ? `unexpected ${field}: ${rules.name} has none` : `missing ${field}: ${rules.name} requires it`
    }
  }
  return undefined
}

function checkBaseFee(header: Header, { parent, config, rules }: HeaderContext): string | undefined {
  if (header.baseFeePerGas === undefined) return undefined
  const expected = nextBaseFee(parent, rules, config)
  return header.baseFeePerGas === expected
    ? undefined
    : `invalid base fee: ${header.baseFeePerGas}, must be ${expected}`
}

function checkBlobGas(header: Header, { parent, rules }: HeaderContext): string | undefined {
  const { blobGasUsed, excessBlobGas } = header
  if (blobGasUsed === undefined || excessBlobGas === undefined || rules.blobs === undefined) return undefined
  const limit = rules.blobs.max * GAS_PER_BLOB
  if (blobGasUsed > limit) return `invalid blob gas used: ${blobGasUsed}, the limit is ${limit}`
  if (blobGasUsed % GAS_PER_BLOB !== 0n)
    return `invalid blob gas used: ${blobGasUsed}, not a multiple of ${GAS_PER_BLOB}`
  const expected = nextExcessBlobGas(parent, rules)
  return excessBlobGas === expected ? undefined : `invalid excess blob gas: ${excessBlobGas}, must be ${expected}`
}
