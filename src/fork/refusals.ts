/**
 * What the error of a remote means. Nodes and gateways agree on few codes, so their texts are read as well.
 * @module
 */
import type { RemoteError } from '../remote/contract.ts'

const METHOD_NOT_FOUND = -32601
const METHOD_NOT_SUPPORTED = -32004
const INVALID_PARAMS = -32602

const NO_METHOD =
  /method\b.*\b(?:not|un)[ -]?(?:found|supported|available|exist|allowed|enabled|whitelisted)|method\b.*doesn't exist|unsupported method|method .*(?:disabled|blocked|restricted)|not implemented|unknown method/i
const NO_STATE =
  /missing trie node|pruned|prune history|archive|historical state|(?:state|world state)\b.*(?:unavailable|not available|not found|missing|does not exist)|(?:header|block)(?: for hash)? (?:is )?not found|unknown block|no state|distance to target block|proof window|too (?:old|far)/i
const NOT_UNDERSTOOD = /invalid (?:argument|params?|type|request|block|hex)|unmarshal|deserializ|expected|unexpected|parse/i

/** The remote does not have the method. */
export function lacksMethod({ code, message }: RemoteError): boolean {
  return code === METHOD_NOT_FOUND || code === METHOD_NOT_SUPPORTED || NO_METHOD.test(message)
}

/** The remote has the method, but not the state or the block that it needs. */
export function lacksState({ message }: RemoteError): boolean {
  return NO_STATE.test(message)
}

/** The remote does not understand the form of the parameters. */
export function misunderstands({ code, message }: RemoteError): boolean {
  return code === INVALID_PARAMS || NOT_UNDERSTOOD.test(message)
}
