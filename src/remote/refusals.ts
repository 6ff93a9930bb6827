/**
 * The meaning of a remote's error. JSON-RPC has no codes for limits of rate and of batches, so each provider has its own
 * codes and words.
 * @module
 */
import type { RemoteError } from './contract.ts'

/** Codes of HTTP that some providers put into the error object; -32016 and -32029 are used for nothing else. */
const RATE_CODES: ReadonlySet<number> = new Set([429, -32016, -32029])
/** "Limit exceeded" of EIP-1474: limits of rate, but also of blocks or logs. */
const LIMIT_EXCEEDED = -32005
const METHOD_NOT_FOUND = -32601
/** Error code of a call that reverted; its message is chosen by the contract. */
const REVERTED = 3

const RATE_WORDS =
  /rate.?limit|too many (?:concurrent )?requests|request limit|requests? per (?:second|minute|day)|compute units|throughput|(?:over|exceeded|exceeds|insufficient).{0,40}(?:capacity|quota|credits)|(?:quota|capacity|credits).{0,40}(?:exceeded|exhausted|used up)|request count exceeded|throttl|slow down/i
/** Limits of one request: asking later does not help. */
const SIZE_WORDS = /\b(?:gas|range|results?|logs?|response|size|batch|stack|memory|code|blocks?|depth|nonce)\b/i
const BATCH_WORDS = /\bbatch/i
const TRANSIENT_WORDS =
  /time(?:d)?[ -]?out|temporar|try again|service unavailable|bad gateway|gateway error|overloaded|no (?:healthy|available) (?:upstream|backend)/i
const MISSING_METHOD_WORDS =
  /method.{0,80}(?:not found|not supported|not available|unavailable|does not exist|not exist|not allowed|not enabled|not whitelisted|is disabled)|(?:unsupported|unknown|invalid) method|not supported method/i

/** Whether the text comes from the executed contract and says nothing about the remote. */
function isOfContract({ code, message }: RemoteError): boolean {
  return code === REVERTED || /^(?:execution reverted|vm exception)/i.test(message)
}

/** The remote has answered too much, and answers later. */
export function isRateLimit(error: RemoteError): boolean {
  if (isOfContract(error)) return false
  if (RATE_CODES.has(error.code)) return true
  if (error.code === LIMIT_EXCEEDED) return RATE_WORDS.test(error.message) || !SIZE_WORDS.test(error.message)
  return RATE_WORDS.test(error.message)
}

/** A smaller batch, or a single request, may be answered. */
export function isBatchRefusal(error: RemoteError): boolean {
  return !isOfContract(error) && BATCH_WORDS.test(error.message)
}

/** The remote does not have the method. */
export function isMissingMethod(error: RemoteError): boolean {
  return error.code === METHOD_NOT_FOUND || (!isOfContract(error) && MISSING_METHOD_WORDS.test(error.message))
}

/** A fault behind the remote, which another attempt may not meet. */
export function isTransient(error: RemoteError): boolean {
  return !isOfContract(error) && !isMissingMethod(error) && TRANSIENT_WORDS.test(error.message)
}

const MISSING_DATA_WORDS =
  /missing trie node|(?:header|block|state|receipts?)\b.{0,60}(?:not found|not available|unavailable|missing|pruned)|unknown block|resource not found|history (?:has been|is) pruned|archive/i

/** The remote lacks the block or its state: it is behind, or keeps recent states only. */
export function isMissingData(error: RemoteError): boolean {
  return !isOfContract(error) && MISSING_DATA_WORDS.test(error.message)
}

const INVALID_PARAMS = -32602
const FORM_WORDS = /invalid (?:argument|params?|type|request|block|hex)|unmarshal|deserializ|expected|unexpected|parse/i

/** The remote has the method, but does not understand this form of its parameters. */
export function isMisunderstood(error: RemoteError): boolean {
  return error.code === INVALID_PARAMS || (!isOfContract(error) && FORM_WORDS.test(error.message))
}
