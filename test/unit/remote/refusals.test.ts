/** Error objects as providers send them. */
import { describe, expect, it } from 'vitest'
import {
  isBatchRefusal,
  isMissingData,
  isMissingMethod,
  isRateLimit,
  isTransient,
} from '../../../src/remote/refusals.ts'

const kindsOf = (code: number, message: string): string[] => {
  const error = { code, message }
  return [
    ...(isRateLimit(error) ? ['rate'] : []),
    ...(isBatchRefusal(error) ? ['batch'] : []),
    ...(isMissingMethod(error) ? ['method'] : []),
    ...(isMissingData(error) ? ['data'] : []),
    ...(isTransient(error) ? ['transient'] : []),
  ]
}

describe('an error', () => {
  it.each([
    [429, 'Your app has exceeded its compute units per second capacity. If you have retries enabled, …'],
    [429, 'Too Many Requests'],
    [-32005, 'limit exceeded'],
    [-32005, 'daily request count exceeded, request rate limited'],
    [-32005, 'Too many requests'],
    [-32007, '50/second request limit reached - reduce calls per second or upgrade your account'],
    [-32016, 'over rate limit'],
    [-32029, 'Too Many Requests, please slow down'],
    [-32090, 'Too many requests, reason: call rate limit exhausted, retry in 10s'],
    [-32097, 'rate limit exceeded'],
    [-32603, 'You have exceeded the throughput limit of your plan'],
    [0, 'Request quota exceeded'],
  ])('%i "%s" is a limit of rate', (code, message) => expect(kindsOf(code, message)).toEqual(['rate']))

  it.each([
    [-32600, 'batch too large'],
    [-32005, 'Number of requests exceeds max batch size'],
    [31, 'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account'],
    [-32000, 'batch limit 50 exceeded'],
  ])('%i "%s" is a refusal of the batch', (code, message) => expect(kindsOf(code, message)).toEqual(['batch']))

  it.each([
    [-32601, 'the method eth_createAccessList does not exist/is not available'],
    [-32600, 'Unsupported method: debug_traceCall on ETH_MAINNET'],
    [-32004, 'method not supported'],
    [-32601, 'rpc method is not whitelisted'],
    [-32604, 'Method not enabled'],
  ])('%i "%s" is a missing method', (code, message) => expect(kindsOf(code, message)).toEqual(['method']))

  it.each([
    [-32000, 'missing trie node 5a1d (path ) state 0x5a1d is not available, not found'],
    [-32000, 'header not found'],
    [-39001, 'Unknown block'],
    [-32001, 'Resource not found'],
    [-32000, 'World state unavailable'],
    [-32000, 'historical state 00ff is not available'],
    [4444, 'pruned history unavailable: block 7 is pruned'],
    [-32000, 'Archive requests require a paid plan'],
  ])('%i "%s" is missing data', (code, message) => expect(kindsOf(code, message)).toEqual(['data']))

  it.each([
    [-32002, 'request timed out'],
    [-32603, 'Service unavailable, try again later'],
    [-32000, 'no healthy upstream'],
  ])('%i "%s" may pass', (code, message) => expect(kindsOf(code, message)).toEqual(['transient']))

  it.each([
    [3, 'execution reverted: too many requests'],
    [-32000, 'execution reverted: rate limit exceeded'],
    [-32015, 'VM Exception while processing transaction: batch timeout'],
    [-32000, 'insufficient funds for gas * price + value'],
    [-32005, 'query returned more than 10000 results'],
    [-32005, 'block range limit exceeded'],
    [-32000, 'exceeds block gas limit'],
    [-32602, 'invalid argument 0: hex string has length 3, want 64'],
    [-32000, 'stack limit reached 1024 (1023)'],
    [-32602, 'method parameters are invalid'],
  ])('%i "%s" is about the request itself', (code, message) => expect(kindsOf(code, message)).toEqual([]))
})
